/// What the sync states take on the disk with their indexes, against the table with its own.
enum SQLSizeRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let rows = bench.records / 5
        let server = try await BenchPostgres.shared()
        let byDevice = try await size(server, rows: rows) { session in
            var requests = BenchRequests()
            for start in stride(from: 0, to: rows, by: 1000) {
                let request = requests.push(start..<min(rows, start + 1000))
                try requests.take(try session.exchange(request))
            }
        }
        let byOthers = try await size(server, rows: rows) { session in
            for start in stride(from: 0, to: rows, by: 1000) {
                let bodies = BenchRequests.bodies(start..<min(rows, start + 1000))
                try session.transaction(PlainTable.insert(bodies))
            }
        }
        let larger = byDevice.ratio >= byOthers.ratio ? byDevice : byOthers
        return Measurement(
            ratio: larger.ratio,
            ours: larger.states,
            yardstick: larger.table,
            unit: "bytes",
            note: """
                \(rows) rows; pushed by a device \(Figure.text(seconds: byDevice.ratio)), inserted by others \
                \(Figure.text(seconds: byOthers.ratio))
                """
        )
    }

    private struct Size {
        var states: Double
        var table: Double
        var ratio: Double { states / table }
    }

    private static func size(
        _ server: BenchPostgres,
        rows: Int,
        fill: (AccountSession) throws -> Void
    ) async throws -> Size {
        let database = try await server.database(copying: server.synced)
        let session = try AccountSession(server.superuser(of: database))
        try fill(session)
        try session.client.run([BenchPostgres.foldAll])
        let text = try session.client.value(
            PostgresCommand(
                """
                select pg_total_relation_size('entitysync.state') || ' ' || pg_total_relation_size('public.bookmarks')
                  || ' ' || (select count(*) from entitysync.state) || ' ' || (select count(*) from public.bookmarks)
                """
            )
        )
        try await server.remove(database)
        let numbers = text.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 4, numbers[2] == Double(rows), numbers[3] == Double(rows) else {
            throw Unmeasured(reason: "rows and states: \(text)")
        }
        return Size(states: numbers[0], table: numbers[1])
    }
}
