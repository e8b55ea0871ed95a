import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import Testing

/// Calls that may wait: they keep no thread of the caller, and a cancelled one has either happened or not.
@Suite(.timeLimit(.minutes(2))) struct AsyncCallTests {
    let scratch: Scratch
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(scratch: scratch)
    }

    @Test func whatIsWrittenIsReadBack() async throws {
        let bookmarks = space.bookmarks
        for verse in 1...5 { try await bookmarks.insert(.verse(verse: verse)) }
        let second = try #require(try await bookmarks.find(Bookmark.verse(verse: 2).id))
        #expect(try await bookmarks.update(second) { $0.notes = "read" }.notes == "read")
        #expect(try await bookmarks.update(second.id) { $0.notes? += " twice" }.notes == "read twice")
        try await bookmarks.delete(Bookmark.verse(verse: 5).id)
        #expect(try await bookmarks.all().count == 4)
        let chapter = SyncQuery<Bookmark>().filter(Bookmark.Fields.surahNumber == 2).allowingScan()
        #expect(try await bookmarks.query(chapter).count == 4)
        #expect(try await bookmarks.count(chapter) == 4)
        #expect(try await bookmarks.first(chapter)?.surahNumber == 2)
        #expect(try await bookmarks.update(chapter) { $0.notes = "all" } == 4)
        #expect(
            try await bookmarks.find(keys: [second.id, Bookmark.verse(verse: 5).id]).map(\.notes) == ["all"]
        )
        let count = try await space.write { batch in
            try batch.delete(Bookmark.verse(verse: 1))
            return try batch.query(chapter).count
        }
        #expect(count == 3)
        #expect(try await bookmarks.delete(chapter) == 3)
        #expect(try await space.read { try bookmarks.all() } == [])
    }

    @Test func aWriteThatFailsWritesNothingAndSaysWhy() async throws {
        let bookmarks = space.bookmarks
        try await bookmarks.insert(.verse(verse: 1))
        await #expect(throws: SyncError.self) { try await bookmarks.insert(.verse(verse: 1)) }
        await #expect(throws: SyncError.self) {
            try await space.write { batch in
                try batch.insert(Bookmark.verse(verse: 2))
                try batch.insert(Bookmark.verse(verse: 1))
            }
        }
        #expect(try await bookmarks.all().count == 1)
    }

    @Test @MainActor func aWriteThatWaitsLeavesTheCallersThreadFree() async throws {
        let hold = HeldWrite(space: space)
        let bookmarks = space.bookmarks
        async let write = bookmarks.insert(.verse(verse: 1))
        async let query = bookmarks.all()
        #expect(try await query == [], "a read does not wait for a writer")
        // Runs only if the main actor is free while the write waits.
        await Task { @MainActor in hold.end() }.value
        #expect(try await write.verseNumber == 1)
    }

    @Test func aCancelledWriteThatHasNotBegunNeverHappens() async throws {
        let (space, bookmarks) = (space, space.bookmarks)
        let begun = DispatchSemaphore(value: 0), go = DispatchSemaphore(value: 0)
        let first = Task {
            try await space.write { batch in
                begun.signal()
                go.wait()
                return try batch.insert(Bookmark.verse(verse: 1))
            }
        }
        await wait(for: begun)
        let second = Task { try await bookmarks.insert(.verse(verse: 2)) }
        first.cancel()
        second.cancel()
        await #expect(throws: CancellationError.self, "at once, while the first still writes") {
            try await second.value
        }
        go.signal()
        #expect(try await first.value.verseNumber == 1, "what has begun is done")
        #expect(try await bookmarks.all().map(\.verseNumber) == [1])
    }

    @Test func whateverIsCancelledHasEitherHappenedOrNot() async throws {
        let bookmarks = space.bookmarks
        var random = Seed(11)
        var there: Set<Int> = []
        for round in 0..<40 {
            let tasks = (0..<5).map { place in
                Task { try await bookmarks.insert(.verse(verse: place + 1, surah: round + 1)) }
            }
            for task in tasks where Bool.random(using: &random) {
                if Bool.random(using: &random) { await Task.yield() }
                task.cancel()
            }
            for (place, task) in tasks.enumerated() {
                do {
                    _ = try await task.value
                    there.insert(round * 5 + place)
                } catch is CancellationError {}
            }
        }
        let found = try await bookmarks.all().map { ($0.surahNumber - 1) * 5 + $0.verseNumber - 1 }
        #expect(Set(found) == there)
        #expect(!there.isEmpty)
    }

    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}

/// A write of another thread that goes on until it is told to end.
private final class HeldWrite: Sendable {
    private let go = DispatchSemaphore(value: 0)

    init(space: SyncSpace) {
        let begun = DispatchSemaphore(value: 0), go = go
        Thread.detachNewThread {
            try? space.write { _ in
                begun.signal()
                go.wait()
            }
        }
        begun.wait()
    }

    func end() { go.signal() }
}
