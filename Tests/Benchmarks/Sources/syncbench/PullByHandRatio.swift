/// The same pull against what an app team writes by hand with Foundation and GRDB.
enum PullByHandRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let input = PullInput(RecordPages(count: bench.records))
        let sides = try await bench.takeTurns(
            ours: input.product(bench: bench),
            yardstick: input.byHand(bench: bench)
        )
        return .timesFaster(
            sides: sides,
            note:
                "JSONDecoder and GRDB's upsert of each Codable record, \(RecordPages.size) rows a transaction"
        )
    }
}

extension PullInput {
    /// By hand, until the file is closed.
    func byHand(bench: Bench) -> Bench.Side<any PullRun> {
        Bench.Side(
            prepare: { try HandPull(try bench.folder(path: "hand")) },
            run: { try await $0.pull(self) },
            clear: { try $0.check(count: count, bench: bench) }
        )
    }
}
