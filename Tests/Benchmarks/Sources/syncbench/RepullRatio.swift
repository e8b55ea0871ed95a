import EntitySync
import SyncCore

/// A pull of records that are all there already, against the pull into an empty store.
enum RepullRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let pages = RecordPages(count: bench.records)
        let input = PullInput(pages)
        let template = try await BenchStore.pulled(bench: bench, pages: pages)
        let again = Bench.Side<any PullRun>(
            prepare: { try BenchStore.copy(of: template, bench: bench) },
            run: { try await ($0 as? BenchStore)?.pullAgain(input.answers) },
            clear: { try $0.check(count: bench.records, bench: bench) }
        )
        let repeated = pages.allAnswers(isSnapshot: false)
        let changed = Bench.Side<any PullRun>(
            prepare: { try BenchStore.copy(of: template, bench: bench) },
            run: { try await ($0 as? BenchStore)?.pullAgain(repeated) },
            clear: { try $0.check(count: bench.records, bench: bench) }
        )
        let times = try await bench.takeTurns([again, input.product(bench: bench), changed])
        let full = try await rowsWritten(by: input.answers, template: template, bench: bench)
        let delta = try await rowsWritten(by: repeated, template: template, bench: bench)
        let ratio = Figure.text(seconds: times[2].median / times[1].median)
        var measurement = Measurement.over(
            sides: Sides(ours: times[0], yardstick: times[1]),
            note: """
                the full state after an expired cursor: \(full) row writes (0 wanted); \
                the same pages as changes: ratio \(ratio), \(delta) row writes
                """
        )
        measurement.holds = full == 0 && delta == 0
        return measurement
    }

    /// How many rows of records are written when pages come again, counted by triggers.
    static func rowsWritten(by answers: [[UInt8]], template: String, bench: Bench) async throws -> Int {
        let store = try BenchStore.copy(of: template, bench: bench)
        let database = try RawDatabase(path: store.file, synchronous: .normal)
        try database.execute("CREATE TABLE bench_written (number INTEGER PRIMARY KEY)")
        for event in ["INSERT", "UPDATE", "DELETE"] {
            try database.execute(
                """
                CREATE TRIGGER bench_\(event) AFTER \(event) ON bookmark BEGIN \
                INSERT INTO bench_written VALUES (NULL); END
                """
            )
        }
        try await store.pullAgain(answers)
        let count = try database.integer(sql: "SELECT count(*) FROM bench_written")
        database.close()
        try bench.remove(store.folder)
        return count
    }
}

extension BenchStore {
    /// Takes all pages in once more, because the server does not know the cursor any more.
    func pullAgain(_ answers: [[UInt8]]) async throws {
        let server = BenchServer(answers)
        server.expireCursors()
        try await sync(server)
        close()
    }
}
