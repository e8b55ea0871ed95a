import EntitySync
import Foundation
import GRDB
import SyncGRDB
import Testing

/// `ValueObservation` wakes on our commits.
@Suite(.timeLimit(.minutes(5))) struct ObservationTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    /// The values of an observation that has fetched for the last time before it waits to be woken. Where SQLite has no
    /// snapshots, GRDB fetches twice at the start.
    private func follow<Value: Sendable>(
        isConstant: Bool = false,
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) async -> AsyncValueObservation<Value>.Iterator {
        let (starting, continuation) = AsyncStream.makeStream(of: Void.self)
        let observation =
            isConstant
            ? ValueObservation.trackingConstantRegion(fetch) : ValueObservation.tracking(fetch)
        let iterator = observation.handleEvents(willTrackRegion: { _ in continuation.finish() })
            .values(in: stage.reader).makeAsyncIterator()
        for await _ in starting {}
        return iterator
    }

    @Test func aLocalWriteWakesIt() async throws {
        var values = await follow { try Bookmark.order(Column("surahNumber")).fetchAll($0) }
        try await wait(for: [], in: &values)
        var first = try await stage.bookmarks.insert(.sample())
        try await wait(for: [first], in: &values)
        first.notes = "read"
        first = try await stage.bookmarks.update(first)
        try await wait(for: [first], in: &values)
        let second = try await stage.bookmarks.insert(.sample(surah: 2))
        try await wait(for: [first, second], in: &values)
        try await stage.bookmarks.delete(first.id)
        try await wait(for: [second], in: &values)
    }

    /// No commit is missed, whenever it falls between the first fetch and the second.
    @Test func commitsDuringItsStartAreSeen() async throws {
        for surah in 1...40 {
            let observation = ValueObservation.tracking { try Bookmark.fetchCount($0) }
            var values = observation.values(in: stage.reader).makeAsyncIterator()
            let bookmarks = stage.bookmarks
            async let written = Task.detached { try bookmarks.insert(.sample(surah: surah)) }.value
            try await wait(for: surah, in: &values)
            _ = try await written
        }
    }

    /// A commit right after a reader's opening is told, too.
    @Test func aNewReaderMissesNoCommit() async throws {
        for surah in 1...40 {
            let reader = try stage.space.databaseReader()
            let observation = ValueObservation.tracking { try Bookmark.fetchCount($0) }
            var values = observation.values(in: reader).makeAsyncIterator()
            try await wait(for: surah - 1, in: &values)
            try await stage.bookmarks.insert(.sample(surah: surah))
            try await wait(for: surah, in: &values)
        }
    }

    @Test func oneRecordAndAChangingRegionAreFollowed() async throws {
        let bookmark = try await stage.bookmarks.insert(.sample())
        var notes = await follow { try Bookmark.fetchOne($0, id: bookmark.id)?.notes }
        try await wait(for: nil, in: &notes)
        var sums = await follow(isConstant: true) { db in
            try Reader.fetchCount(db) + (try Bookmark.fetchCount(db))
        }
        // GRDB fetches this one on its write connection, because the first request decides about the second.
        var counts = await follow { db in
            try Bookmark.filter { $0.notes != nil }.fetchCount(db) == 0 ? 0 : try Reader.fetchCount(db)
        }
        try await wait(for: 2, in: &sums)
        try await wait(for: 0, in: &counts)
        var changed = bookmark
        changed.notes = "read"
        try await stage.bookmarks.update(changed)
        try await wait(for: "read", in: &notes)
        try await wait(for: 1, in: &counts)
        try await stage.readers.insert(Reader(id: "bob", name: "Bob"))
        try await wait(for: 3, in: &sums)
        try await wait(for: 2, in: &counts)
    }

    @Test func whatASyncDownloadsWakesIt() async throws {
        let other = try stage.scratch.space("b")
        defer { other.close() }
        _ = try await stage.space.sync()
        _ = try await other.sync()
        var values = await follow { try Bookmark.fetchAll($0) }
        try await wait(for: [], in: &values)
        let written = try await other.collection(Bookmark.self).insert(.sample())
        _ = try await other.sync()
        _ = try await stage.space.sync()
        try await wait(for: [written], in: &values)
    }

    @Test func aCascadeWakesIt() async throws {
        try await stage.bookmarks.insert(.sample())
        var values = await follow { try Bookmark.fetchCount($0) }
        try await wait(for: 1, in: &values)
        try await stage.readers.delete("ada")
        try await wait(for: 0, in: &values)
    }

    /// A commit of another space stands for one of another process: it is noticed by looking at the file.
    @Test func aCommitBesideTheSpaceWakesIt() async throws {
        let other = try stage.scratch.space()
        defer { other.close() }
        var values = await follow { try Bookmark.fetchCount($0) }
        try await wait(for: 0, in: &values)
        try await other.collection(Bookmark.self).insert(.sample())
        try await wait(for: 1, in: &values)
    }

    @Test func anotherEntityDoesNotWakeIt() async throws {
        let fetches = Fetches()
        var values = await follow(isConstant: true) { db in
            fetches.count()
            return try ReadStatus.fetchCount(db)
        }
        try await wait(for: 0, in: &values)
        // This one is registered after the other, and both are told in that order.
        var marks = await follow(isConstant: true) { try Bookmark.fetchCount($0) }
        try await wait(for: 0, in: &marks)
        try await stage.bookmarks.insert(.sample())
        try await wait(for: 1, in: &marks)
        let before = fetches.total
        for surah in 2...5 {
            try await stage.bookmarks.insert(.sample(surah: surah))
            try await wait(for: surah, in: &marks)
        }
        #expect(fetches.total == before)
        let day = try #require(CalendarDate("2026-01-31"))
        try await stage.space.collection(ReadStatus.self).insert(
            ReadStatus(day: day, surahNumber: 2, verses: 7)
        )
        try await wait(for: 1, in: &values)
        #expect(fetches.total > before)
    }

    /// A write of ours that runs while GRDB reads neither waits nor shows in that read.
    @Test func aReadSeesOneStateWhileWritesGoOn() throws {
        try stage.bookmarks.insert(.sample())
        let bookmarks = stage.bookmarks
        try stage.reader.read { db in
            #expect(try Bookmark.fetchCount(db) == 1)
            try bookmarks.insert(.sample(surah: 2))
            #expect(try Bookmark.fetchCount(db) == 1)
            #expect(try bookmarks.count == 2)
        }
        #expect(try stage.fetched().count == 2)
    }
}

/// Counts the fetches of an observation.
private final class Fetches: @unchecked Sendable {
    // `value` is only touched inside `lock`.
    private let lock = NSLock()
    private var value = 0

    var total: Int { lock.withLock { value } }
    func count() { lock.withLock { value += 1 } }
}
