import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import SyncRuntime
import SyncStore
import Testing

/// Who observes is told at once, and again when the result has changed: not less, and not more.
@Suite struct ObservationTests {
    let scratch: Scratch
    let sleeper = ManualSleeper()
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(scratch: scratch, sleeper: sleeper)
    }

    @Test func theFirstValueComesAtOnce() async throws {
        try await space.bookmarks.insert(.verse(verse: 1))
        var all = space.bookmarks.observe().makeAsyncIterator()
        var one = space.bookmarks.observe(Bookmark.verse(verse: 1).id).makeAsyncIterator()
        var none = space.bookmarks.observe(Bookmark.verse(verse: 2).id).makeAsyncIterator()
        #expect(try await all.next()?.map(\.verseNumber) == [1])
        #expect(try await one.next()??.verseNumber == 1)
        #expect(try await none.next() == .some(nil))
    }

    /// A view that goes away while records arrive cancels its task during a commit.
    @Test(.timeLimit(.minutes(30))) func observersMayLeaveDuringCommits() async throws {
        let bookmarks = space.bookmarks
        let writes = Task.detached {
            for verse in 1...40 { try bookmarks.insert(.verse(verse: verse)) }
        }
        let leaving = Task.detached {
            for _ in 0..<60 {
                let observers = (1...2).map { _ in
                    Task { for try await _ in bookmarks.observe(Bookmark.verse(verse: 1).id) {} }
                }
                await Task.yield()
                for observer in observers { observer.cancel() }
                for observer in observers { _ = await observer.result }
            }
        }
        try await writes.value
        await leaving.value
        #expect(try bookmarks.count == 40)
    }

    @Test func everyChangeOfTheResultIsToldOnce() async throws {
        var values = space.bookmarks.observe().makeAsyncIterator()
        #expect(try await values.next() == [])
        try await space.bookmarks.insert(.verse(verse: 1))
        #expect(try await values.next()?.count == 1)
        // Neither a write that changes nothing, nor a record of another entity, nor one and its opposite is a change.
        try await space.bookmarks.save(try #require(try space.bookmarks.find(Bookmark.verse(verse: 1).id)))
        try await space.projects.insert(.named(id: "p1"))
        try await space.bookmarks.insert(.verse(verse: 9))
        try await space.bookmarks.delete(Bookmark.verse(verse: 9).id)
        try await space.bookmarks.insert(.verse(verse: 2))
        #expect(try await values.next()?.map(\.verseNumber) == [1, 2])
    }

    @Test func aCommitToAnotherEntityReadsNothingAgain() async throws {
        let store = try SQLiteStore.open(
            path: scratch.path + "/a/store.sqlite",
            entities: space.entities,
            random: SeededRandom(1)
        )
        let versions = Versions()
        let subscription = store.changes { versions.add($0) }
        let writer = LocalWriter(store: store, clock: ManualClock(), random: SeededRandom(2))
        try writer.batch { _ = try $0.save(Project.named(id: "p1")) }
        try writer.batch { _ = try $0.save(Bookmark.verse(verse: 1)) }
        #expect(throws: SyncError.self) {
            try writer.batch { batch in
                try batch.save(Bookmark.verse(verse: 2))
                try batch.delete(Project.self, key: "none")
            }
        }
        #expect(versions.all.map { $0["bookmark"] } == [0, 0, 1])
        #expect(versions.all.map { $0["project"] } == [0, 1, 1])
        subscription.cancel()
        try writer.batch { _ = try $0.save(Bookmark.verse(verse: 3)) }
        #expect(versions.all.count == 3)
    }

    @Test func aQueryTellsOnlyWhatItAsksFor() async throws {
        let query = SyncQuery<Bookmark>().filter(
            Bookmark.Fields.userId == "u1",
            Bookmark.Fields.surahNumber == 3
        )
        var values = space.bookmarks.observe(query).makeAsyncIterator()
        #expect(try await values.next() == [])
        try await space.bookmarks.insert(.verse(verse: 1, surah: 2))
        try await space.bookmarks.insert(.verse(verse: 7, surah: 3))
        #expect(try await values.next()?.map(\.verseNumber) == [7])
    }

    @Test func aDeleteOfTheObservedRecordIsTold() async throws {
        try await space.bookmarks.insert(.verse(verse: 1))
        var values = space.bookmarks.observe(Bookmark.verse(verse: 1).id).makeAsyncIterator()
        #expect(try await values.next()??.verseNumber == 1)
        try await space.bookmarks.delete(Bookmark.verse(verse: 1).id)
        #expect(try await values.next() == .some(nil))
    }

    @Test func whatASyncBringsIsTold() async throws {
        let here = try SyncSpace.open(scratch: scratch, name: "here", remote: scratch.remote)
        let there = try SyncSpace.open(scratch: scratch, name: "there", remote: scratch.remote)
        try await there.bookmarks.insert(.verse(verse: 1))
        try await there.sync()
        var values = here.bookmarks.observe().makeAsyncIterator()
        #expect(try await values.next() == [])
        try await here.sync()
        #expect(try await values.next()?.map(\.verseNumber) == [1])
    }

    @Test func whatAnotherStoreOnTheFileCommitsIsTold() async throws {
        let other = try SyncSpace.open(scratch: scratch, name: "a")
        var values = space.bookmarks.observe().makeAsyncIterator()
        #expect(try await values.next() == [])
        try await other.bookmarks.insert(.verse(verse: 1))
        await sleeper.wake()
        #expect(try await values.next()?.map(\.verseNumber) == [1])
        // Own commits between two looks are no foreign ones, and a look without one tells nothing.
        try await space.bookmarks.insert(.verse(verse: 2))
        #expect(try await values.next()?.count == 2)
        await sleeper.wake()
        await sleeper.wake()
        try await other.bookmarks.insert(.verse(verse: 3))
        await sleeper.wake()
        #expect(try await values.next()?.count == 3)
    }

    @Test func nobodyLooksAtTheFileWhileNobodyObserves() async throws {
        #expect(await sleeper.sleepers.isEmpty)
        let task = Task { [space] in for try await _ in space.bookmarks.observe() {} }
        await sleeper.wake()
        task.cancel()
        try await task.value
        try await sleeper.untilNobodySleeps()
        #expect(await sleeper.sleepers.isEmpty)
    }

    @Test func anObservationEndsWithItsTaskAndWithTheSpace() async throws {
        let (cancelled, closed) = (space.bookmarks.observe(), space.projects.observe())
        let first = Task { for try await _ in cancelled {} }
        first.cancel()
        try await first.value
        var values = closed.makeAsyncIterator()
        #expect(try await values.next() == [])
        space.close()
        #expect(try await values.next() == nil)
    }

    @Test func whoStopsObservingKeepsNothingAlive() async throws {
        weak var gone: SyncSpace?
        do {
            let space = try SyncSpace.open(scratch: scratch, name: "b")
            gone = space
            for try await bookmarks in space.bookmarks.observe() where bookmarks.isEmpty { break }
            for try await status in space.statuses() where !status.isInSync { break }
        }
        #expect(gone == nil)
    }

    @Test func aSlowReaderSeesTheNewestAndNothingTwice() async throws {
        var values = space.bookmarks.observe().makeAsyncIterator()
        #expect(try await values.next() == [])
        for verse in 1...50 { try await space.bookmarks.insert(.verse(verse: verse)) }
        #expect(try await values.next()?.count == 50)
        try await space.bookmarks.delete(Bookmark.verse(verse: 1).id)
        #expect(try await values.next()?.count == 49)
    }

    @Test @MainActor func observationIsUsedFromTheMainActor() async throws {
        var shown: [Int] = []
        try await space.bookmarks.insert(.verse(verse: 1))
        for try await bookmarks in space.bookmarks.observe() {
            shown.append(bookmarks.count)
            if bookmarks.count == 2 { break }
            try await space.bookmarks.insert(.verse(verse: 2))
        }
        #expect(shown == [1, 2])
    }
}

/// Versions as they are told.
private final class Versions: @unchecked Sendable {
    // Guarded by `lock`.
    private var versions: [StoreVersion] = []
    private let lock = NSLock()

    var all: [StoreVersion] { lock.withLock { versions } }

    func add(_ version: StoreVersion) { lock.withLock { versions.append(version) } }
}
