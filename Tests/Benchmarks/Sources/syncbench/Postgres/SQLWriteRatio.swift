/// Records that a device pushes with one exchange, against one plain statement with the same JSON in the same table
/// under the same policies and constraints.
enum SQLWriteRatio {
    /// Rounds for each round of a long ratio: one exchange is short.
    private static let repeats = 3

    /// How many records one exchange pushes: 1,000, or fewer of a small input.
    static func count(_ bench: Bench) -> Int { max(20, min(1000, bench.records / 100)) }

    /// New records.
    static func push(_ bench: Bench) async throws -> Measurement {
        try await measure(bench, edit: 0, statement: PlainTable.insert)
    }

    /// Edits of records that are there, each once.
    static func edit(_ bench: Bench) async throws -> Measurement {
        try await measure(bench, edit: 1, statement: PlainTable.update)
    }

    private static func measure(
        _ bench: Bench,
        edit: Int,
        statement: @escaping ([UInt8]) -> PostgresCommand
    ) async throws -> Measurement {
        var often = bench
        often.rounds = bench.rounds * repeats
        let count = count(bench)
        return try await BenchPostgres.shared().withBoth { synced, plain in
            let (device, byHand) = (BatchPosition(count: count), BatchPosition(count: count))
            if edit > 0 { try fill(synced, plain, device: device, rounds: often.rounds + 1) }
            let sides = try await often.takeTurns(
                ours: Bench.Side(
                    prepare: { device.requests.push(device.next(), edit: edit) },
                    run: { device.answer = try synced.exchange($0) },
                    clear: { _ in try device.requests.take(device.answer) },
                    processorSeconds: { _ in synced.client.processorSeconds }
                ),
                yardstick: Bench.Side(
                    prepare: { BenchRequests.bodies(byHand.next(), edit: edit) },
                    run: { try plain.transaction(statement($0)) },
                    processorSeconds: { _ in plain.client.processorSeconds }
                )
            )
            let (ours, theirs) = (try synced.rows(), try plain.rows())
            guard ours == theirs else { throw Unmeasured(reason: "rows differ: \(ours), \(theirs)") }
            return .over(
                sides: sides,
                note: "\(count) records at once, both sides hold the same rows: \(ours)"
            )
        }
    }

    /// Puts the records that are edited later into both databases.
    private static func fill(
        _ synced: AccountSession,
        _ plain: AccountSession,
        device: BatchPosition,
        rounds: Int
    ) throws {
        for batch in 0..<rounds {
            let range = device.count * batch..<device.count * (batch + 1)
            try device.requests.take(try synced.exchange(device.requests.push(range)))
            try plain.transaction(PlainTable.insert(BenchRequests.bodies(range)))
        }
        for session in [synced, plain] { try session.client.script("vacuum analyze") }
    }
}

/// Where one side stands in the input, and what it was answered last.
private final class BatchPosition {
    let count: Int
    var requests = BenchRequests()
    var answer: [UInt8] = []
    private var batch = 0

    init(count: Int) {
        self.count = count
    }

    /// The records of the next batch.
    func next() -> Range<Int> {
        defer { batch += 1 }
        return count * batch..<count * (batch + 1)
    }
}
