/// Many rows in one transaction into an empty database, against a tenth of them: how the time of a row grows.
enum SQLLoadRatio {
    /// Who writes.
    private enum Writer {
        /// A device, by exchanges of 1,000 records.
        case device
        /// A web app that does not know EntitySync, by one insert.
        case webApp
    }

    static func measure(_ bench: Bench) async throws -> Measurement {
        let (many, few) = (max(200, bench.records / 10), max(20, bench.records / 100))
        let server = try await BenchPostgres.shared()
        let times = try await bench.takeTurns([
            side(.device, rows: few, server: server), side(.device, rows: many, server: server),
            side(.webApp, rows: few, server: server), side(.webApp, rows: many, server: server),
        ])
        let perRow = zip(times, [few, many, few, many]).map { $0.median / Double($1) }
        let (device, webApp) = (perRow[1] / perRow[0], perRow[3] / perRow[2])
        let isDevice = device >= webApp
        return Measurement(
            ratio: max(device, webApp),
            ours: perRow[isDevice ? 1 : 3] * 1000,
            yardstick: perRow[isDevice ? 0 : 2] * 1000,
            unit: "ms",
            note: """
                a row of \(many) against one of \(few); a device \(Figure.text(seconds: device)) \
                (\(Figure.text(seconds: perRow[1] * 1000)) ms), an insert by others \
                \(Figure.text(seconds: webApp)) (\(Figure.text(seconds: perRow[3] * 1000)) ms)
                """
        )
    }

    private static func side(_ writer: Writer, rows: Int, server: BenchPostgres) -> Bench.Side<Load> {
        Bench.Side(
            prepare: {
                let database = try await server.database(copying: server.synced)
                return try Load(
                    database: database,
                    session: AccountSession(server.superuser(of: database)),
                    rows: rows
                )
            },
            run: { load in
                switch writer {
                case .device: try load.exchange()
                case .webApp: try load.session.transaction(PlainTable.insert(load.bodies))
                }
            },
            clear: { load in
                try load.check()
                try await server.remove(load.database)
            },
            processorSeconds: { $0.session.client.processorSeconds }
        )
    }
}

/// An empty database, and what is to be loaded into it.
private final class Load {
    let database: String
    let session: AccountSession
    let bodies: [UInt8]
    private let rows: Int

    /// Runs each statement once and takes it back: a session that has never done so reads the functions first.
    init(database: String, session: AccountSession, rows: Int) throws {
        (self.database, self.session, self.rows) = (database, session, rows)
        bodies = BenchRequests.bodies(0..<rows)
        var requests = BenchRequests()
        try session.begin()
        try session.client.run([AccountSession.exchange(requests.push(0..<2))])
        try session.client.run([PlainTable.insert(BenchRequests.bodies(2..<4)), PostgresCommand("rollback")])
    }

    /// All rows by exchanges in one transaction, each on the cursor of the one before.
    func exchange() throws {
        var requests = BenchRequests()
        try session.begin()
        for start in stride(from: 0, to: rows, by: 1000) {
            let request = requests.push(start..<min(rows, start + 1000))
            try requests.take(try session.client.run([AccountSession.exchange(request)])[0])
        }
        try session.client.run([PostgresCommand("commit")])
    }

    /// Throws unless each row is there with its state.
    func check() throws {
        try session.client.run([BenchPostgres.foldAll])
        let found = try session.client.value(
            PostgresCommand(
                """
                select (select count(*) from public.bookmarks) || ' '
                  || (select count(*) from entitysync.state where not is_deleted)
                """
            )
        )
        guard found == "\(rows) \(rows)" else { throw Unmeasured(reason: "rows and states: \(found)") }
    }
}
