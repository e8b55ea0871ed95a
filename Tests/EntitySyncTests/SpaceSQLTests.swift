import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// SQL as an app uses it.
@Suite struct SpaceSQLTests {
    let library: Library
    var space: SyncSpace { library.space }

    init() throws { library = try Library() }

    @Test func aViewHasTheLiveRecordsWithTheSchemasNames() throws {
        try library.add("b1", on: "s1", title: "Emma", price: "10.50", pages: 300, tags: ["novel", "old"])
        try library.add("b2", title: "Gone")
        try library.books.delete("b2")
        let rows = try space.sql("SELECT id, shelfId, price, pages, tags, note FROM book_live")
        #expect(rows.count == 1)
        let row = try #require(rows.first)
        #expect(row.columns == ["id", "shelfId", "price", "pages", "tags", "note"])
        #expect(row["shelfId"]?.text == "s1")
        #expect(row["price"]?.text == "10.5")
        #expect(row["pages"]?.integer == 300)
        #expect(row["tags"]?.text == #"["novel","old"]"#)
        #expect(row["note"] == .null)
        #expect(row["other"] == nil)
    }

    @Test func instantsAreTextInUTCThatComparesAsTimeDoes() throws {
        let scratch = try Scratch()
        let space = try SyncSpace.open(scratch: scratch)
        let start = Date(timeIntervalSince1970: 1_700_000_000.25)
        try space.projects.insert(.named(id: "p1", start: start))
        try space.projects.insert(.named(id: "p2", start: Date(timeIntervalSince1970: -1)))
        let rows = try space.sql("SELECT startDate FROM project_live ORDER BY startDate")
        #expect(
            rows.map { $0["startDate"]?.text } == [
                "1969-12-31T23:59:59.000000Z", "2023-11-14T22:13:20.250000Z",
            ]
        )
        #expect(try space.sql("SELECT id FROM project_live WHERE startDate = \(start)").count == 1)
        #expect(try space.sql("SELECT id FROM project_live WHERE startDate >= \(start)").count == 1)
        for far in [1e15, .greatestFiniteMagnitude, .infinity] {
            let (before, after) = (Date(timeIntervalSince1970: -far), Date(timeIntervalSince1970: far))
            let between = try space.sql(
                "SELECT id FROM project_live WHERE startDate > \(before) AND startDate < \(after)"
            )
            #expect(between.count == 2)
        }
        let none = Date(timeIntervalSince1970: .nan)
        #expect(try space.sql("SELECT id FROM project_live WHERE startDate > \(none)").isEmpty)
    }

    @Test func aValueInAStatementIsAnArgumentAndNeverSQL() throws {
        let hostile = "x'; DROP TABLE book; --"
        try library.add("b1", title: hostile)
        #expect(try space.sql("SELECT id FROM book_live WHERE title = \(hostile)").count == 1)
        let none: String? = nil
        #expect(
            try space.sql(SQLQuery("SELECT id FROM book_live WHERE note IS ?", arguments: [none])).count == 1
        )
        let query = SQLQuery(
            "SELECT id FROM book_live WHERE title = ? AND copies = ?",
            arguments: [hostile, 1]
        )
        #expect(try space.sql(query).count == 1)
        #expect(throws: SyncError.wrongArguments(found: 0, expected: 1)) {
            try space.sql("SELECT id FROM book_live WHERE title = ?")
        }
    }

    @Test(arguments: [
        "DELETE FROM book", "UPDATE book SET title = ''", "INSERT INTO shelf (id) VALUES ('x')",
        "DROP VIEW book_live",
        "PRAGMA user_version = 9", "ATTACH 'other' AS o", "BEGIN", "VACUUM", "CREATE TEMP TABLE t (a)",
    ])
    func aStatementThatDoesMoreThanReadIsRefused(text: String) throws {
        try library.add("b1")
        #expect(throws: SyncError.writingStatement()) { try space.sql(SQLQuery(text)) }
        #expect(try library.books.count == 1)
    }

    @Test func aBadStatementSaysWhyWithoutValues() throws {
        let wrong = #expect(throws: SyncError.self) {
            try space.sql("SELECT missing FROM book_live WHERE title = \("secret")")
        }
        #expect(wrong?.kind == .usage)
        #expect(wrong?.message.contains("no such column: missing") == true)
        let failing = #expect(throws: SyncError.self) {
            try space.sql("SELECT json_extract(\("{secret"), '$')")
        }
        #expect(failing?.kind == .invalidInput)
        #expect(failing?.message.contains("secret") == false)
        #expect(throws: SyncError.self) { try space.sql("SELECT 1; SELECT 2") }
        #expect(throws: SyncError.self) { try space.sql("") }
    }

    @Test func rowsOfAViewBecomeRecordsWithoutLoss() throws {
        let book = try library.add("b1", on: "s1", price: "0.10", tags: ["a"])
        try library.add("b2")
        let all: SQLQuery = "SELECT book_live.* FROM book_live JOIN shelf_live ON shelf_live.id = shelfId"
        #expect(try space.sql(all, as: Book.self) == [book])
        let error = #expect(throws: SyncError.self) {
            try space.sql("SELECT id, title, price FROM book_live", as: Book.self)
        }
        #expect(error?.message.contains("'shelfId'") == true)
    }

    @Test func anObservationIsToldWhenItsRowsChange() async throws {
        let query: SQLQuery = "SELECT count(*) AS count FROM book_live WHERE price > 5 AND title = \("Emma")"
        var counts = try space.observe(sql: query).makeAsyncIterator()
        #expect(try await counts.next()?.first?["count"]?.integer == 0)
        try library.add("b1", title: "Other", price: "6")
        try library.add("b2", title: "Emma", price: "6")
        // The first of the two changes nothing that the statement shows.
        #expect(try await counts.next()?.first?["count"]?.integer == 1)
    }

    @Test func anObservationOfRecordsFollowsAllEntitiesOfAJoin() async throws {
        let query: SQLQuery = """
            SELECT book_live.* FROM book_live JOIN shelf_live AS s ON s.id = shelfId WHERE s.room = \("Attic")
            """
        let book = try library.add("b1", on: "s1")
        var found = try space.observe(sql: query, as: Book.self).makeAsyncIterator()
        #expect(try await found.next() == [])
        try await library.shelves.update(Shelf(id: "s1", room: "Attic"))
        #expect(try await found.next() == [book])
    }

    @Test func aStatementThatCannotBeUsedIsNotObserved() throws {
        #expect(throws: SyncError.writingStatement()) { try space.observe(sql: "DELETE FROM book") }
    }
}
