import EntitySync
import Foundation
import SyncEntities
import Testing

// snippet: threads-both
func rename(_ read: Bookmark, to notes: String, in bookmarks: SyncCollection<Bookmark>) async throws {
    try await bookmarks.update(read) { $0.notes = notes }
}

func renameNow(_ read: Bookmark, to notes: String, in bookmarks: SyncCollection<Bookmark>) throws {
    try bookmarks.update(read) { $0.notes = notes }
}
// snippet end

// snippet: threads-read
func numbers(of bookmarks: SyncCollection<Bookmark>, in space: SyncSpace) async throws -> (
    all: Int, last: Int?
) {
    try await space.read {
        (try bookmarks.count, try bookmarks.maximum(of: Bookmark.Fields.surahNumber))
    }
}
// snippet end

// snippet: threads-flush
func configuration(folder: String) -> SpaceConfiguration {
    var configuration = SpaceConfiguration(folder: folder, entities: [Bookmark.self])
    configuration.flushesWrites = false
    return configuration
}
// snippet end

@Suite struct ThreadSnippets {
    @Test func callsOfBothKinds() async throws {
        let desk = try Desk()
        let space = try SyncSpace.open(configuration(folder: desk.path + "/phone"))
        let bookmarks = space.collection(Bookmark.self)
        let read = try await bookmarks.insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
        try await rename(read, to: "one", in: bookmarks)
        #expect(try await bookmarks.find(read.id)?.notes == "one")
        try renameNow(read, to: "two", in: bookmarks)
        #expect(try await bookmarks.find(read.id)?.notes == "two")
        let numbers = try await numbers(of: bookmarks, in: space)
        #expect(numbers.all == 1 && numbers.last == 2)
    }
}
