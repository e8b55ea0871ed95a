import EntitySync
import Foundation
import SyncCore
import SyncStore

/// What one changed record costs who observes all of them, against reading them all anew.
enum ObserveRatio {
    /// Changes of each side: one is short, so many are needed.
    static let changes = 20

    static func measure(_ bench: Bench) async throws -> Measurement {
        let pages = RecordPages(count: bench.records)
        let folder = try await BenchStore.pulled(bench: bench, pages: pages)
        let observed = try ObservedStore(BenchStore(what: folder), pages: pages)
        var often = bench
        often.rounds = max(bench.rounds, changes)
        let sides = try await often.takeTurns(
            ours: Bench.Side(
                prepare: { try observed.edit() },
                run: { _ in try observed.renew() },
                clear: { try observed.check(key: $0) }
            ),
            yardstick: Bench.Side(
                prepare: { try observed.edit() },
                run: { _ in try observed.readAnew() },
                clear: { try observed.check(key: $0) }
            )
        )
        observed.close()
        try bench.remove(folder)
        return .over(
            sides: sides,
            note: "one of \(pages.count) records, which are observed, is edited before each read"
        )
    }
}

/// A store of which all records are shown, and which knows that: it keeps the keys of commits only for who follows them.
private final class ObservedStore {
    private let store: BenchStore
    private let pages: RecordPages
    private let subscription: any StoreSubscription
    private var shown: ObservedModels<Bookmark>
    private var turn = 0

    init(_ store: BenchStore, pages: RecordPages) throws {
        (self.store, self.pages) = (store, pages)
        subscription = store.store.changes { _ in }
        shown = try store.store.load(with: Bookmark.adapter, query: StoreQuery(), since: nil)
    }

    /// Edits one record. Returns its identifier.
    func edit() throws -> UUID {
        turn += 1
        var model = Bookmark(pages.records.record(index: turn * 7919 % pages.count))
        model.notes = "edit \(turn)"
        try store.writer.batch { _ = try $0.save(model) }
        return model.id
    }

    func renew() throws {
        shown = try store.store.load(with: Bookmark.adapter, query: StoreQuery(), since: shown)
    }

    func readAnew() throws {
        shown = try store.store.load(with: Bookmark.adapter, query: StoreQuery(), since: nil)
    }

    /// Makes sure that the edit is shown.
    func check(key: UUID) throws {
        guard shown.models.count == pages.count,
            shown.models.first(where: { $0.id == key })?.notes == "edit \(turn)"
        else { throw Unmeasured(reason: "an edit is not shown") }
    }

    func close() {
        subscription.cancel()
        store.close()
    }
}
