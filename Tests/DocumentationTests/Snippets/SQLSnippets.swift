import EntitySync
import SyncEntities
import Testing

/// The page on SQL.
@Suite struct SQLSnippets {
    let space: SyncSpace

    init() throws {
        space = try SyncSpace.temporary(entities: [Bookmark.self])
        for verse in [255, 256] {
            try space.collection(Bookmark.self).insert(
                Bookmark(userId: "ada", surahNumber: 2, verseNumber: verse, notes: "note", tags: ["throne"])
            )
        }
    }

    @Test func asking() throws {
        var shown: [Int?] = []
        func show(_ number: Int?, _ text: String?) { shown.append(number) }
        // snippet: sql-arguments
        let surah = 2
        let rows = try space.sql(
            "SELECT verseNumber, notes FROM bookmark_live WHERE surahNumber = \(surah) ORDER BY verseNumber"
        )
        for row in rows { show(row["verseNumber"]?.integer, row["notes"]?.text) }
        // snippet end
        #expect(shown == [255, 256])
    }

    @Test func rowsAsRecords() throws {
        // snippet: sql-records
        let longest = try space.sql(
            "SELECT * FROM bookmark_live ORDER BY length(notes) DESC LIMIT 10",
            as: Bookmark.self
        )
        // snippet end
        #expect(longest.count == 2)
    }

    @Test func observing() async throws {
        let space = space
        func show(_ count: Int?) {
            #expect(count == 2)
            space.close()
        }
        // snippet: sql-observing
        let counts = try space.observe(
            sql: "SELECT count(*) AS count FROM bookmark_live WHERE notes IS NOT NULL"
        )
        for try await rows in counts { show(rows.first?["count"]?.integer) }
        // snippet end
    }

    @Test func everyStatementOfThePageRuns() throws {
        let blocks = try Article("\(Article.catalog)/SQL.md").blocks.filter { $0.language == "sql" }
        #expect(blocks.count == 3)
        for block in blocks { #expect(try space.sql(SQLQuery(block.text)).count == 1, "\(block.place)") }
    }
}
