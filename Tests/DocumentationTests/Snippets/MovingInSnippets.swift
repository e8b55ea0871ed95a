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
        /// Whether the old sync had not sent it yet.
        var isUnsent = false
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
        func moveIn(_ rows: [OldBookmark], deleted: [UUID], to space: SyncSpace) throws {
            func bookmark(_ row: OldBookmark) -> Bookmark {
                var bookmark = Bookmark(
                    id: row.uuid,
                    userId: "ada",
                    surahNumber: row.chapter,
                    verseNumber: row.verse,
                    notes: row.notes
                )
                bookmark.createdAt = Date(timeIntervalSinceReferenceDate: row.created)
                bookmark.updatedAt = Date(timeIntervalSinceReferenceDate: row.changed)
                return bookmark
            }
            let bookmarks = space.collection(Bookmark.self)
            try bookmarks.moveIn(rows.filter { !$0.isUnsent }.map(bookmark), as: .agreed)
            try bookmarks.moveIn(rows.filter(\.isUnsent).map(bookmark), as: .edited, deletes: deleted)
        }
        // snippet end
        try moveIn(oldRows, deleted: [], to: space)
        let bookmarks = space.collection(Bookmark.self)
        var edited = try #require(try await bookmarks.find(oldRows[0].uuid))
        #expect(edited.createdAt == Date(timeIntervalSinceReferenceDate: 700_000_000))
        #expect(edited.updatedAt == Date(timeIntervalSinceReferenceDate: 700_000_001.5))
        edited.notes = "after the move"
        try await bookmarks.update(edited)
        // Begun anew after it was interrupted, it neither repeats nor reverts anything.
        try moveIn(oldRows, deleted: [], to: space)
        #expect(try bookmarks.count == 2500)
        #expect(try await bookmarks.find(oldRows[0].uuid)?.notes == "after the move")
        // snippet: moving-in-check
        let moved = try space.collection(Bookmark.self).count
        let isComplete = moved >= oldRows.count
        // snippet end
        #expect(isComplete)
    }

    @Test func settingsMoveInFromUserDefaultsOnce() async throws {
        let desk = try Desk()
        let space = try desk.device(name: "phone")
        let name = "moving-in-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        defaults.set("from the old app", forKey: "lastNote")
        let id = UUID()
        // snippet: moving-settings
        func moveSettings(from defaults: UserDefaults, to space: SyncSpace) throws {
            let bookmarks = space.collection(Bookmark.self)
            var settings = Bookmark(id: id, userId: "ada", surahNumber: 1, verseNumber: 1)
            guard let chosen = defaults.string(forKey: "lastNote") else {
                // Nobody chose anything: values that the app brings along.
                try bookmarks.insert(settings, as: .seed)
                return
            }
            settings.notes = chosen
            try bookmarks.moveIn([settings], as: .edited)
        }
        // snippet end
        try moveSettings(from: defaults, to: space)
        try moveSettings(from: defaults, to: space)
        #expect(try await space.collection(Bookmark.self).find(id)?.notes == "from the old app")
    }
}
