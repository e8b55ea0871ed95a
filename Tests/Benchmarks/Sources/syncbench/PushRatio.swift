import EntitySync

/// Encoding and marking of records that wait to be pushed, against a hand-written writer and a raw update.
enum PushRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let pages = RecordPages(count: bench.records)
        let product = try BenchStore.pending(bench: bench, pages: pages)
        let raw = try RawPull.filled(bench: bench, pages: pages, isPending: true)
        let sides = try await bench.takeTurns(
            ours: Bench.Side<any PushRun>(
                prepare: { try ProductPush(store: BenchStore.copy(of: product, bench: bench)) },
                run: { try await $0.push() },
                clear: { try $0.check(count: bench.records, bench: bench) }
            ),
            yardstick: Bench.Side<any PushRun>(
                prepare: { try RawPush(RawPull.copy(of: raw, bench: bench, synchronous: .full)) },
                run: { try await $0.push() },
                clear: { try $0.check(count: bench.records, bench: bench) }
            )
        )
        return .over(
            sides: sides,
            note: "\(RecordPages.size) records a batch on both sides, each batch durable before the next"
        )
    }
}

/// One of the ways to push all that waits.
protocol PushRun {
    var folder: String { get }
    /// Pushes all, and closes the file.
    func push() async throws
    /// How many records are pushed by now.
    func pushed() throws -> Int
}

extension PushRun {
    fileprivate func check(count: Int, bench: Bench) throws {
        let pushed = try pushed()
        guard pushed == count else { throw Unmeasured(reason: "\(pushed) of \(count) records were pushed") }
        try bench.remove(folder)
    }
}

/// The product's push: one sync with a server that takes everything.
struct ProductPush: PushRun {
    let store: BenchStore
    private let server = BenchServer()

    init(store: BenchStore) {
        self.store = store
    }

    var folder: String { store.folder }

    func push() async throws {
        try await store.sync(server)
        store.close()
    }

    func pushed() throws -> Int {
        let again = try BenchStore(what: folder)
        defer { again.close() }
        return server.changesTaken - (try again.counts().pending)
    }
}
