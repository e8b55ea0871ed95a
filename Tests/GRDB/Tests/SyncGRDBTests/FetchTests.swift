import EntitySync
import Foundation
import GRDB
import SyncCore
import SyncGRDB
import SyncStore
import Testing

/// Generated types as records of GRDB.
@Suite struct FetchTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    @Test func aRecordWithAllTypesIsFetchedAsItsCollectionFindsIt() throws {
        try stage.bookmarks.insert(try .full())
        try stage.bookmarks.insert(.sample())
        let fetched = try stage.fetched()
        #expect(fetched.count == 2)
        #expect(Set(fetched) == Set(try stage.bookmarks.all()))
        #expect(fetched.first { $0.surahNumber == 2 }?.tags == ["a", "b"])
        #expect(fetched.first { $0.surahNumber == 2 }?.places?.count == 2)
    }

    @Test func deletedRecordsAreNotFetched() throws {
        let bookmark = try stage.bookmarks.insert(.sample())
        try stage.bookmarks.delete(bookmark.id)
        #expect(try stage.fetched() == [])
    }

    @Test func whatTheSchemaDoesNotKnowOutlivesAFetchAndAnUpdate() throws {
        let inserted = try stage.bookmarks.insert(try .full())
        var fetched = try #require(try stage.fetched().first)
        fetched.notes = "other"
        try stage.bookmarks.update(fetched)
        let found = try #require(try stage.bookmarks.find(inserted.id))
        #expect(found.notes == "other")
        #expect(found.unknownFields.members == [UnknownField(path: "colour", json: #"{"r":1}"#)])
    }

    @Test func nullAndAbsentStayApart() throws {
        for isAbsent in [false, true] {
            var bookmark = Bookmark.sample()
            if isAbsent {
                bookmark.unknownFields = UnknownFields(members: [], absentFields: ["notes", "tags"])
            }
            let inserted = try stage.bookmarks.insert(bookmark)
            let fetched = try stage.reader.read { try Bookmark.find($0, id: inserted.id) }
            #expect(fetched.unknownFields.isAbsent("notes") == isAbsent)
            #expect(fetched.unknownFields.isAbsent("tags") == isAbsent)
            #expect(fetched == (try stage.bookmarks.find(inserted.id)))
        }
    }

    /// A table that has grown has its null bits in another order than the schema has its fields.
    @Test func nullAndAbsentStayApartInATableThatHasGrown() throws {
        let scratch = try Scratch()
        let present = BookmarkAdapter.descriptor
        let names = ["updatedAt", "tags", "notes", "id", "readerId", "surahNumber", "createdAt"]
        let former = EntityDescriptor(
            name: present.name,
            typeName: present.typeName,
            version: present.version,
            fields: names.compactMap { name in present.fields.first { $0.name == name } },
            key: present.key,
            strategy: present.strategy,
            created: present.created,
            updated: present.updated
        )
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/a",
            withIntermediateDirectories: true
        )
        let path = scratch.path + "/a/" + SyncSpace.storeFileName
        try SQLiteStore.open(path: path, entities: [former], random: SystemRandom()).close()
        let space = try scratch.space()
        defer { space.close() }
        try space.collection(Reader.self).insert(Reader(id: "ada", name: "Ada"))
        let reader = try space.databaseReader()
        for absent in [[], ["notes"], ["price", "mood"], ["notes", "tags", "price", "second"]] {
            var bookmark = Bookmark.sample()
            bookmark.unknownFields = UnknownFields(members: [], absentFields: absent)
            let id = try space.collection(Bookmark.self).insert(bookmark).id
            let fetched = try reader.read { try Bookmark.find($0, id: id) }
            #expect(fetched == (try space.collection(Bookmark.self).find(id)))
            for name in ["notes", "tags", "price", "second", "mood"] {
                #expect(fetched.unknownFields.isAbsent(name) == absent.contains(name), "\(name) of \(absent)")
            }
        }
    }

    @Test func aRowWithoutAColumnIsNoRecord() throws {
        try stage.bookmarks.insert(.sample())
        let error = #expect(throws: SyncError.self) {
            try stage.reader.read {
                try Bookmark.fetchAll($0, sql: "SELECT id, surahNumber FROM bookmark_live")
            }
        }
        #expect(error?.kind == .usage)
        #expect(throws: SyncError.self) {
            _ = try stage.reader.read { try Bookmark.fetchOne($0, sql: "SELECT * FROM reader_live") }
        }
    }

    @Test func aRowOfAJoinAndACopyAreRecords() throws {
        let bookmark = try stage.bookmarks.insert(try .full())
        let sql = """
            SELECT b.* FROM reader_live AS r JOIN bookmark_live AS b ON b.readerId = r.id WHERE r.name = ?
            """
        #expect(
            try stage.reader.read { try Bookmark.fetchAll($0, sql: sql, arguments: ["Ada"]) } == [bookmark]
        )
        let row = try #require(try stage.reader.read { try Row.fetchOne($0, Bookmark.all()) })
        #expect(try Bookmark(row: row) == bookmark)
    }

    @Test func aValueThatDoesNotFitIsAnErrorAndNoTrap() throws {
        try stage.bookmarks.insert(.sample())
        for wrong in ["'x' AS id", "'x' AS price", "x'00ff' AS tags", "'[1]' AS tags", "'{' AS sync_unknown"]
        {
            let name = try #require(wrong.split(separator: " ").last)
            let columns = try stage.reader.read { try $0.columns(in: "bookmark_live").map(\.name) }
            let list = columns.map { $0 == name ? wrong : $0 }.joined(separator: ", ")
            #expect(throws: (any Error).self, "\(wrong)") {
                try stage.reader.read { try Bookmark.fetchAll($0, sql: "SELECT \(list) FROM bookmark_live") }
            }
        }
    }

    @Test func grdbComparesAndShowsTheViewsForm() throws {
        let bookmark = try stage.bookmarks.insert(try .full())
        let row = try #require(try stage.reader.read { try Row.fetchOne($0, Bookmark.all()) })
        let shown = try bookmark.databaseDictionary
        for (name, value) in shown { #expect(row[name] as DatabaseValue == value, "\(name)") }
        #expect(shown.count == Bookmark.fields.count)
    }
}
