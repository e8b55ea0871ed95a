import EntitySync
import Foundation
import SyncEntities
import Testing

@Suite struct MovingInSnippets {
    /// A row of the old database.
    struct OldBookmark {
        var uuid: UUID
        var chapter: Int
        var verse: Int
        var notes: String?
        /// Seconds since 2001, as Core Data stores dates.
        var created: Double
        var changed: Double
    }

    @Test func oldRowsMoveInOnceWithTheirIdsAndTimes() async throws {
        let desk = try Desk()
        let space = try desk.device(name: "phone")
        let oldRows = (1...2500).map {
            OldBookmark(
                uuid: UUID(),
                chapter: 2 + $0 / 250,
                verse: 1 + $0 % 250,
                notes: nil,
                created: 700_000_000,
                changed: 700_000_001.5
            )
        }
        // snippet: moving-in
        func moveIn(_ rows: [OldBookmark], to space: SyncSpace) throws {
            for start in stride(from: 0, to: rows.count, by: 1000) {
                try space.write { batch in
                    for row in rows[start..<min(start + 1000, rows.count)] {
                        guard try batch.find(Bookmark.self, key: row.uuid) == nil else { continue }
                        var bookmark = Bookmark(
                            id: row.uuid,
                            userId: "ada",
                            surahNumber: row.chapter,
                            verseNumber: row.verse,
                            notes: row.notes
                        )
                        bookmark.createdAt = Date(timeIntervalSinceReferenceDate: row.created)
                        bookmark.updatedAt = Date(timeIntervalSinceReferenceDate: row.changed)
                        try batch.insert(bookmark)
                    }
                }
            }
        }
        // snippet end
        try moveIn(oldRows, to: space)
        let bookmarks = space.collection(Bookmark.self)
        var edited = try #require(try bookmarks.find(oldRows[0].uuid))
        #expect(edited.createdAt == Date(timeIntervalSinceReferenceDate: 700_000_000))
        #expect(edited.updatedAt == Date(timeIntervalSinceReferenceDate: 700_000_001.5))
        edited.notes = "after the move"
        try bookmarks.update(edited)
        // Begun anew after it was interrupted, it neither repeats nor reverts anything.
        try moveIn(oldRows, to: space)
        #expect(try bookmarks.count == 2500)
        #expect(try bookmarks.find(oldRows[0].uuid)?.notes == "after the move")
        // snippet: moving-in-check
        let moved = try space.collection(Bookmark.self).count
        let isComplete = moved >= oldRows.count
        // snippet end
        #expect(isComplete)
    }
}
