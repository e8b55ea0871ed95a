import EntitySync
import Foundation
import SyncEntities
import Testing

/// Rows of another database come in as what they are: copies of what the remote had, or edits.
@Suite struct MovingInTests {
    private let scratch: Scratch
    private let tablet: SyncSpace
    private let phone: SyncSpace

    init() throws {
        scratch = try Scratch()
        tablet = try SyncSpace.open(scratch: scratch, name: "tablet", remote: scratch.remote)
        phone = try SyncSpace.open(scratch: scratch, name: "phone", remote: scratch.remote)
    }

    private func rows(_ notes: String, verses: ClosedRange<Int> = 1...4) -> [Bookmark] {
        verses.map { verse in
            var row = Bookmark.verse(verse: verse, notes: notes)
            row.createdAt = Date(timeIntervalSinceReferenceDate: 700_000_000)
            row.updatedAt = Date(timeIntervalSinceReferenceDate: 700_000_001)
            return row
        }
    }

    @Test func staleCleanRowsMakeNoConflicts() async throws {
        for row in rows("newer") { try await tablet.bookmarks.insert(row) }
        try await tablet.sync()
        #expect(try phone.bookmarks.moveIn(rows("stale"), as: .agreed) == 4)
        #expect(try await phone.bookmarks.all().map(\.notes) == Array(repeating: "stale", count: 4))
        try await phone.sync()
        try await tablet.sync()
        for space in [phone, tablet] {
            #expect(try await space.bookmarks.all().map(\.notes) == Array(repeating: "newer", count: 4))
            #expect(try await space.bookmarks.conflicts().isEmpty && space.bookmarks.journal().isEmpty)
        }
    }

    @Test func whatTheRemoteLacksIsSentAndWhatItDeletedStaysDeleted() async throws {
        try await tablet.bookmarks.insert(.verse(verse: 1))
        try await tablet.sync()
        try await tablet.bookmarks.delete(Bookmark.verse(verse: 1).id)
        try await tablet.sync()
        try phone.bookmarks.moveIn(rows("old", verses: 1...2), as: .agreed)
        try await phone.sync()
        try await tablet.sync()
        for space in [phone, tablet] { #expect(try await space.bookmarks.all().map(\.verseNumber) == [2]) }
        let moved = try #require(try await tablet.bookmarks.find(Bookmark.verse(verse: 2).id))
        #expect(moved.updatedAt == Date(timeIntervalSinceReferenceDate: 700_000_001))
    }

    @Test func anEditAfterTheMoveIsAPersons() async throws {
        for row in rows("newer", verses: 1...1) { try await tablet.bookmarks.insert(row) }
        try await tablet.sync()
        try phone.bookmarks.moveIn(rows("stale", verses: 1...1), as: .agreed)
        try await phone.bookmarks.update(Bookmark.verse(verse: 1).id) { $0.notes = "mine" }
        try await phone.sync()
        #expect(try await phone.bookmarks.conflicts().count == 1)
        #expect(try await phone.bookmarks.all().map(\.notes) == ["mine"])
    }

    @Test func rowsThatWereEditedMeetTheRemoteByTheStrategy() async throws {
        for row in rows("newer") { try await tablet.bookmarks.insert(row) }
        try await tablet.sync()
        #expect(try phone.bookmarks.moveIn(rows("unsent"), as: .edited) == 4)
        try await phone.sync()
        #expect(try await phone.bookmarks.conflicts().count == 4)
        #expect(try await phone.bookmarks.all().map(\.notes) == Array(repeating: "unsent", count: 4))
    }

    @Test(arguments: [MovedRows.agreed, .edited])
    func aMoveThatBeginsAnewRepeatsAndRevertsNothing(kind: MovedRows) throws {
        #expect(try phone.bookmarks.moveIn(rows("old"), as: kind) == 4)
        try phone.bookmarks.update(Bookmark.verse(verse: 1).id) { $0.notes = "mine" }
        try phone.bookmarks.delete(Bookmark.verse(verse: 2).id)
        #expect(try phone.bookmarks.moveIn(rows("old"), as: kind) <= 1)
        #expect(try phone.bookmarks.find(Bookmark.verse(verse: 1).id)?.notes == "mine")
        #expect(try phone.bookmarks.count >= 3)
    }

    @Test func deletesThatWereNotSentAreSent() async throws {
        for name in ["p1", "p2"] { try await tablet.projects.insert(.named(id: name)) }
        try await tablet.sync()
        try phone.projects.moveIn([.named(id: "p2")], as: .agreed, deletes: ["p1"])
        try phone.projects.moveIn([], as: .agreed, deletes: ["p1"])
        try await phone.sync()
        try await tablet.sync()
        for space in [phone, tablet] {
            #expect(try await space.projects.all().map(\.id) == ["p2"])
        }
        // A delete that somebody edited unseen asks a person, where the strategy says so.
        for row in rows("newer", verses: 1...1) { try await tablet.bookmarks.insert(row) }
        try await tablet.sync()
        try phone.bookmarks.moveIn([], as: .edited, deletes: [Bookmark.verse(verse: 1).id])
        try await phone.sync()
        #expect(try await phone.bookmarks.conflicts().count == 1)
    }
}
