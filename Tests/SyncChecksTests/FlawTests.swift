import SyncCore
import Testing

@testable import SyncChecks

/// Tests of the suite: each deliberate server defect is detected by the check named for it.
@Suite struct FlawTests {
    static let finders: [MemoryFlaw: String] = [
        .ignoresBase: "stale-base",
        .createsOver: "same-create",
        .createsForgotten: "edit-of-purged",
        .trustsVectors: "unseen-vector",
        .storesRepeats: "repeated-push",
        .refusesWholeBatches: "partial-batch",
        .cutsBatches: "limits",
        .givesRevisionsEarly: "late-commit",
        .skipsOnPush: "push-first",
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
        .dropsFieldTimestamps: "stamps",
        .foldsKeys: "awkward-keys",
        .ignoresCopies: "copied-store",
        .writesInReadOnlySessions: "read-only",
    ]

    @Test(arguments: MemoryFlaw.allCases)
    func aFlawIsFoundByTheCheckThatIsNamedForIt(flaw: MemoryFlaw) async throws {
        try await expectFailure(flaw, id: try #require(Self.finders[flaw]))
    }

    @Test(arguments: ["other-remote", "foreign-cursor"])
    func believingAnotherHistoryIsFoundWhereverItShows(check: String) async throws {
        try await expectFailure(.acceptsOtherHistories, id: check)
    }

    @Test(arguments: ["late-push", "late-push-of-deleted"])
    func aLatePushThatBringsSomethingBackIsFound(check: String) async throws {
        try await expectFailure(.createsOver, id: check)
    }

    private func expectFailure(_ flaw: MemoryFlaw, id: String) async throws {
        let check = try #require(BackendSuite.checks.first { $0.id == id })
        let outcome = await check.outcome(subject: MemorySubject(flaws: [flaw]))
        #expect(CheckResult(check: check, outcome: outcome).isFailure, "\(outcome)")
    }
}
