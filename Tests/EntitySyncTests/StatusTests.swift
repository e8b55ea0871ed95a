import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import SyncFileBackend
import Testing
import Waits

/// The status says what is so, and "in sync" only when that is confirmed.
@Suite struct StatusTests {
    let scratch: Scratch
    let clock = ManualClock()
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(scratch: scratch, remote: scratch.remote, clock: clock)
    }

    @Test func inSyncIsSaidOnlyAfterASyncHasConfirmedTheLastWrite() async throws {
        #expect(try !space.status().isInSync)
        try await space.bookmarks.insert(.verse(verse: 1))
        #expect(try !space.status().isInSync)
        try await space.sync()
        let status = try space.status()
        #expect(status.isInSync)
        #expect(status.lastSuccess == clock.now())
        try await space.bookmarks.delete(Bookmark.verse(verse: 1).id)
        #expect(try !space.status().isInSync)
        #expect(try space.status().hasUnconfirmedWrites)
    }

    @Test func waitingEditsAreCountedWithTheAgeOfTheOldest() throws {
        #expect(try space.status().oldestPendingAge(now: clock.now()) == nil)
        try space.bookmarks.insert(.verse(verse: 1))
        clock.advance(seconds: 90)
        try space.projects.insert(.named(id: "p1"))
        clock.advance(seconds: 30)
        let status = try space.status()
        #expect(status.pending == 2)
        #expect(status.entities.map(\.counts.pending).sorted() == [0, 1, 1])
        #expect(status.oldestPendingAge(now: clock.now()) == .seconds(120))
        #expect(status.oldestPendingAge(now: Timestamp(microseconds: 0)) == .zero)
    }

    @Test func theStatusIsToldAgainOnlyWhenItHasChanged() async throws {
        var statuses = space.statuses().makeAsyncIterator()
        #expect(try await statuses.next()?.pending == 0)
        try await space.bookmarks.insert(.verse(verse: 1))
        #expect(try await statuses.next()?.pending == 1)
        try await space.bookmarks.save(try #require(try space.bookmarks.find(Bookmark.verse(verse: 1).id)))
        space.report { $0.nextRetry = nil }
        space.report { $0.nextRetry = Timestamp(microseconds: 5) }
        let status = try #require(try await statuses.next())
        #expect(status.outside.nextRetry == Timestamp(microseconds: 5))
        #expect(status.pending == 1)
    }

    @Test func aPausedAccountIsNotInSync() async throws {
        try await space.sync()
        #expect(try space.status().isInSync)
        space.report { $0.account = .paused }
        #expect(try !space.status().isInSync)
    }

    @Test func progressEndsWithTheSyncWhateverItsOutcome() async throws {
        try await space.bookmarks.insert(.verse(verse: 1))
        try await space.sync()
        #expect(try space.status().outside.progress == nil)
        let lost = try SyncSpace.open(
            scratch: scratch,
            name: "lost",
            remote: FolderBackend(root: "/dev/null/none")
        )
        await #expect(throws: SyncError.self) { try await lost.sync() }
        #expect(try lost.status().outside.progress == nil)
    }

    @Test func theLastSyncsAreKeptWithTheirOutcome() async throws {
        try await space.bookmarks.insert(.verse(verse: 1))
        try await space.sync()
        clock.advance(seconds: 60)
        try FileManager.default.removeItem(atPath: scratch.path + "/shared")
        await #expect(throws: SyncError.self) { try await space.sync() }
        let history = try space.syncHistory()
        #expect(history.map(\.outcome) == [.failed, .synced])
        #expect(history.map(\.pushed) == [0, 1])
        #expect(history[0].errorKind != nil)
        #expect(history[0].started == clock.now())
        #expect(history[1].errorKind == nil)
    }

    @Test func fiftySyncsAreKept() async throws {
        for _ in 0..<53 {
            clock.advance(seconds: 1)
            try await space.sync()
        }
        let history = try space.syncHistory()
        #expect(history.count == PastSync.maxKept)
        #expect(history[0].ended == clock.now())
        #expect(history.map(\.ended) == history.map(\.ended).sorted(by: >))
    }

    @Test func aDryRunLeavesNoTrace() async throws {
        try await space.sync(SyncOptions(isDryRun: true))
        #expect(try space.syncHistory().isEmpty)
    }

    @Test func aSignalThatWaitedUntilTheSpaceWasClosedEndsTheSequence() async throws {
        var statuses = space.statuses().makeAsyncIterator()
        _ = try await statuses.next()
        space.report { $0.nextRetry = clock.now() }
        space.close()
        #expect(try await statuses.next() == nil)
    }

    @Test @MainActor func theModelFollowsTheSpace() async throws {
        let model = SyncStatusModel()
        let following = Task { await model.follow(space) }
        try await eventually(what: "a status") { model.status != nil }
        try await space.bookmarks.insert(.verse(verse: 1))
        try await eventually(what: "one edit waits") { model.status?.pending == 1 }
        try await space.sync()
        try await eventually(what: "it is in sync") { model.status?.isInSync == true }
        space.close()
        await following.value
        #expect(model.error == nil)
    }
}
