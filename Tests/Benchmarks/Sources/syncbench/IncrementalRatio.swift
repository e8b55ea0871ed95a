import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncRuntime

/// A sync of few changes in a large store, against the same in a small one.
enum IncrementalRatio {
    /// Changes that come, and as many edits that go.
    static let changes = 10
    /// Syncs of each side: one is short, so many are needed.
    static let syncs = 60

    static func measure(_ bench: Bench) async throws -> Measurement {
        let large = try await ChangingStore(bench: bench, count: bench.records * 10)
        let small = try await ChangingStore(bench: bench, count: 1000)
        var often = bench
        often.rounds = max(bench.rounds, syncs)
        let sides = try await often.takeTurns(ours: large.side(), yardstick: small.side())
        try large.remove(bench)
        try small.remove(bench)
        return .over(
            sides: sides,
            note: """
                \(changes) changes in and \(changes) edits out by one sync, in stores of \(large.pages.count) \
                and \(small.pages.count) records
                """
        )
    }
}

/// A store that is full, and a server that has something new for it now and then.
private final class ChangingStore {
    let pages: RecordPages
    private let store: BenchStore
    private let server: BenchServer
    private let engine: SyncEngine
    private var random = Seed(7)
    private var turn = 0

    init(bench: Bench, count: Int) async throws {
        let pages = RecordPages(count: count)
        self.pages = pages
        store = try BenchStore(what: try bench.folder(path: "changing"))
        server = BenchServer(pageCount: pages.pageCount) { pages.answer(page: $0) }
        engine = try store.engine(server: server)
        _ = try await engine.sync()
    }

    func side() -> Bench.Side<Int> {
        Bench.Side(
            prepare: {
                try self.change()
                return self.server.changesTaken
            },
            run: { _ in try self.check(try await self.engine.sync()) },
            clear: { before in
                guard self.server.changesTaken == before + IncrementalRatio.changes else {
                    throw Unmeasured(reason: "not all edits were pushed")
                }
            }
        )
    }

    /// Changes records at the server, and others here.
    private func change() throws {
        turn += 1
        var chosen: Set<Int> = []
        while chosen.count < IncrementalRatio.changes { chosen.insert(random.below(bound: pages.count / 2)) }
        let places = chosen.sorted()
        // The even ones change there and the odd ones here, so that no two edits ever meet.
        server.publish(places.map { pages.entry(index: 2 * $0, edit: turn) })
        try store.writer.batch { session in
            for place in places {
                let key = Bookmark(pages.records.record(index: 2 * place + 1)).id
                guard var bookmark = try session.find(Bookmark.self, key: key) else {
                    throw Unmeasured(reason: "a record is missing")
                }
                bookmark.notes = "edit \(turn) here"
                try session.save(bookmark)
            }
        }
    }

    private func check(_ report: SyncReport) throws {
        let counts = report.entities[0]
        guard report.outcome == .synced, counts.pulled == IncrementalRatio.changes,
            counts.pushed == IncrementalRatio.changes, counts.conflicts == 0
        else { throw Unmeasured(reason: "\(counts)") }
    }

    func remove(_ bench: Bench) throws {
        store.close()
        try bench.remove(store.folder)
    }
}
