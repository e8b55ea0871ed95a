import SyncCore
import Testing

@testable import SyncChecks

/// The tests of the tests: each mistake that a server can make is found by the check that is named for it.
@Suite struct FlawTests {
    static let finders: [MemoryFlaw: String] = [
        .ignoresBase: "stale-base",
        .createsOver: "same-create",
        .createsForgotten: "edit-of-purged",
        .trustsVectors: "unseen-vector",
        .storesRepeats: "repeated-push",
        .refusesWholeBatches: "partial-batch",
        .cutsBatches: "limits",
        .pagesByTime: "equal-timestamps",
        .pagesByOffset: "edit-while-paging",
        .pagesFromTheOpening: "commit-while-paging",
        .movesCursorAhead: "resume",
        .neverRests: "rest",
        .asksTwice: "idle-requests",
        .claimsToBeComplete: "equal-timestamps",
        .keepsExpiredSnapshots: "purge-while-paging",
        .neverExpires: "cursor-expiry",
        .acceptsOtherHistories: "history-change",
        .takesBrokenCursorsForNew: "broken-cursor",
        .skipsAddedEntities: "entity-added-later",
        .forgetsTombstones: "tombstone",
        .showsTombstonesAsLive: "tombstone",
        .dropsSurvivors: "merged-into",
        .dropsFinerMarks: "stamps",
        .foldsKeys: "awkward-keys",
        .ignoresCopies: "copied-store",
        .writesInReadOnlySessions: "read-only",
    ]

    @Test(arguments: MemoryFlaw.allCases)
    func aFlawIsFoundByTheCheckThatIsNamedForIt(flaw: MemoryFlaw) async throws {
        let results = await BackendSuite.run(MemorySubject(flaws: [flaw]))
        let failed = results.filter(\.isFailure).map(\.check.id)
        #expect(failed.contains(try #require(Self.finders[flaw])), "found by \(failed)")
    }

    @Test func foreignCursorsThatAreBelievedAreFound() async throws {
        let found = await failures(.acceptsOtherHistories)
        #expect(found.contains("other-remote"))
        #expect(found.contains("foreign-cursor"))
    }

    @Test func aLatePushThatBringsSomethingBackIsFound() async throws {
        #expect(await failures(.createsOver).isSuperset(of: ["late-push", "late-push-of-deleted"]))
    }

    private func failures(_ flaw: MemoryFlaw) async -> Set<String> {
        Set(await BackendSuite.run(MemorySubject(flaws: [flaw])).filter(\.isFailure).map(\.check.id))
    }
}
