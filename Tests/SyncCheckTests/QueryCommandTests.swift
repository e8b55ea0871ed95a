import ProgramRuns
import Testing

/// `query` and `search` print what they should, and say where an expression is wrong.
@Suite struct QueryCommandTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let folder = SampleSchemas.schema(
            title: "Folder",
            properties: #""id": { "type": "string" }, "name": { "type": "string" }"#,
            required: ["id", "name"],
            sync: #""key": "id", "strategy": "last-write-wins", "indexes": [["name"]]"#
        )
        let save = SampleSchemas.schema(
            title: "Save",
            properties: """
                "id": { "type": "string" },
                "folderId": { "type": ["string", "null"] },
                "title": { "type": "string" },
                "year": { "type": ["integer", "null"] },
                "madeIn": {
                    "type": ["object", "null"],
                    "properties": { "city": { "type": "string" }, "year": { "type": "integer" } }
                },
                "price": { "type": "string", "format": "decimal", "default": "0" },
                "at": { "type": ["string", "null"], "format": "date-time" },
                "mood": { "type": "string", "enum": ["low", "fair", "high"], "default": "fair" },
                "kinds": { "type": "array", "items": { "type": "string" }, "default": ["inbox"] },
                "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "default": [] }
                """,
            required: ["id", "title"],
            sync: """
                "key": "id", "strategy": "last-write-wins", "indexes": [["year"], ["tags"]], "search": ["title"],
                "references": { "folderId": { "entity": "folder", "onDelete": "nullify" } }
                """
        )
        try scratch.write("Schemas/folder.schema.json", text: folder)
        try scratch.write("Schemas/save.schema.json", text: save)
        for record in [#"{"id":"in","name":"Inbox"}"#, #"{"id":"out","name":"Archive"}"#] {
            try scratch.must(arguments: "put", "folder", record)
        }
        for record in [
            #"{"id":"a","folderId":"in","title":"Café crème","year":2001,"price":"12.5","tags":["x","y"]}"#,
            #"{"id":"b","folderId":"out","title":"It's mercy","year":2002,"madeIn":{"city":"Bonn","year":2000},"mood":"high","kinds":[],"price":"9","at":"2026-01-02T03:04:05Z"}"#,
            #"{"id":"c","title":"Mercy and grace","price":"100","tags":["y"]}"#,
        ] { try scratch.must(arguments: "put", "save", record) }
    }

    private func ids(_ expression: String, _ options: String...) throws -> [String] {
        let arguments = ["query", "save", expression] + options
        let run = try Tool.run(in: scratch.folder, arguments: arguments)
        #expect(run.exitCode == 0, "\(expression): \(run.error)")
        return try run.lines.map { try #require(try object(text: $0)["id"] as? String) }
    }

    @Test(arguments: [
        ("mood > 'low'", "abc"), ("mood >= 'high'", "b"), ("mood < 'high'", "ac"), ("mood <= 'fair'", "ac"),
        ("kinds has 'inbox'", "ac"), ("not kinds has 'inbox'", "b"), ("price = '0'", ""),
    ])
    func enumerationsAndDefaultsCountAsInAnApp(expression: String, expected: String) throws {
        #expect(try ids(expression, "--scan").joined() == expected)
    }

    @Test func anEnumerationIsSortedAsTheSchemaListsIt() throws {
        #expect(try ids("year is null or year > 0", "--sort", "mood:desc", "--scan").first == "b")
        let run = try Tool.run(
            in: scratch.folder,
            arguments: ["query", "save", "--sort", "madeIn.year", "--scan"]
        )
        #expect(run.exitCode == 64 && run.error.contains("madeIn.year"))
        let text = try Tool.run(
            in: scratch.folder,
            arguments: ["query", "save", "tags contains 'x'", "--scan"]
        )
        #expect(text.exitCode == 64 && text.error.contains("is no text"))
    }

    @Test(arguments: [
        ("year = 2001", "a"), ("year == 2001 or year = 2002", "ab"), ("year in (2001, 2002)", "ab"),
        ("year between 2002 and 2010", "b"), ("year >= 2001 && year < 2002", "a"), ("year is null", "c"),
        ("tags has 'y'", "ac"), ("tags has all ('x', \"y\")", "a"), ("tags has any ('x','z')", "a"),
        ("folderId.name = 'Inbox'", "a"), ("folderId.(name = 'Archive' or name beginswith 'In')", "ab"),
        ("matches 'mercy'", "bc"), ("matches 'cafe*' and year > 0", "a"), ("id = 'c'", "c"),
    ])
    func aConditionFindsItsRecords(expression: String, found: String) throws {
        #expect(try ids(expression, "--sort", "id").joined() == found)
    }

    @Test(arguments: [
        ("title contains 'and'", "c"), ("title contains[cd] 'CAFE'", "a"),
        ("title contains[c] 'MERCY'", "bc"),
        ("title = 'It''s mercy'", "b"), ("price > 10", "ac"), ("price = 12.50", "a"),
        ("price between 9 and 12.5", "ab"),
        ("at > '2026-01-01T00:00:00Z'", "b"), ("not (year is not null)", "c"), ("year != 2001", "bc"),
        ("title beginswith 'It' or price < 10", "b"), ("", "abc"),
        ("madeIn.city = 'Bonn'", "b"), ("madeIn is null", "ac"), ("year > madeIn.year", "b"),
        ("madeIn.year >= year", ""), ("not (title = id)", "abc"),
    ])
    func aConditionWithoutAnIndexFindsItsRecordsByAScan(expression: String, found: String) throws {
        #expect(try ids(expression, "--sort", "id", "--scan").joined() == found)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [("year", "2001"), ("title", "'x'")])
    func bracketsWithinEachOtherCostNoMoreThanAList(field: String, value: String) throws {
        let opening = String(repeating: "(", count: 60)
        let closing = String(repeating: " or \(field) = \(value))", count: 60)
        let found = try ids("\(opening)\(field) = \(value)\(closing)", "--scan")
        #expect(found.joined() == (field == "year" ? "a" : ""))
    }

    @Test(arguments: [
        ("tags has null", "ac"), ("marks has null", "ac"), ("tags has any ('x', null)", "abc"),
        ("tags has all ('x', null)", "a"), ("not tags has null", "bd"), ("tags has 'x'", "ab"),
    ])
    func nullsInAListAreElements(expression: String, found: String) throws {
        let list = #"{ "type": "array", "items": { "type": ["string", "null"] } }"#
        let item = SampleSchemas.schema(
            title: "Item",
            properties: #""id": { "type": "string" }, "tags": \#(list), "marks": \#(list)"#,
            required: ["id"],
            sync: #""key": "id", "strategy": "last-write-wins", "indexes": [["tags"]]"#
        )
        try scratch.write("Schemas/item.schema.json", text: item)
        for record in [
            #"{"id":"a","tags":["x",null],"marks":[null]}"#, #"{"id":"b","tags":["x"],"marks":[]}"#,
            #"{"id":"c","tags":[null],"marks":["y",null]}"#, #"{"id":"d"}"#,
        ] { try scratch.must(arguments: "put", "item", record) }
        let run = try Tool.run(
            in: scratch.folder,
            arguments: ["query", "item", expression, "--sort", "id", "--scan"]
        )
        #expect(try run.lines.map { try #require(try object(text: $0)["id"] as? String) }.joined() == found)
    }

    @Test func recordsAreSortedLimitedAndCounted() throws {
        #expect(try ids("year > 0", "--sort", "year:desc") == ["b", "a"])
        #expect(try ids("year > 0", "--sort", "year", "--limit", "1") == ["a"])
        #expect(try scratch.must(arguments: "query", "save", "year > 0", "--count") == "2\n")
        let record = try scratch.must(arguments: "query", "save", "id = 'c'")
        #expect(record == (try scratch.must(arguments: "get", "save", "c")))
    }

    @Test(arguments: [
        ("yaer = 1", "'yaer'"), ("year =", "character 7"), ("year = 'x'", "character 8"),
        ("year = 1 and", "character 13"),
        ("(year = 1", "')'"), ("year has 1", "no list"), ("title.name = 'x'", "no entity"),
        ("title = 'x", "closing"),
        ("year 1", "operator"), ("year = 1 title", "character 10"), ("year = 1x", "'and'"),
        ("#", "character 1"),
        ("title contains 'x'", "index"),
    ])
    func aConditionThatCannotBeReadEndsWith64AndItsPlace(expression: String, hint: String) throws {
        let run = try scratch.run(arguments: "query", "save", expression)
        #expect(run.exitCode == 64, "\(run.error)")
        #expect(run.error.contains(hint), "\(run.error)")
        #expect(run.output == "")
    }

    /// Deep conditions are an error of usage, neither a crash nor a fault of the store.
    @Test(arguments: [
        ("(", 20_000, "year = 1", ""), ("not ", 20_000, "year = 1", ""),
        ("folderId.", 10_000, "name = 'x'", ""),
        ("not ", 190, "year = 1", ""), ("(year = 1 and (title = 'a' or ", 90, "year = 2", "))"),
        ("title contains 'a' or ", 1_200, "year = 1", ""),
    ])
    func anExpressionThatIsTooLargeIsRefused(start: String, count: Int, middle: String, end: String) throws {
        let (opening, closing) = (
            String(repeating: start, count: count), String(repeating: end, count: count)
        )
        let run = try scratch.run(arguments: "query", "save", opening + middle + closing, "--scan")
        #expect(run.exitCode == 64, "\(run.exitCode) \(run.error)")
        #expect(run.error.contains("help: "))
    }

    @Test func aSearchPrintsTheBestHitsWithTheirWords() throws {
        let hits = try scratch.run(arguments: "search", "save", "mercy").lines
        #expect(Set(try hits.map { try object(text: $0)["id"] as? String }) == ["b", "c"])
        let run = try scratch.must(arguments: "search", "save", "grace", "merc*", "--excerpts")
        let hit = try object(text: run)
        #expect((hit["excerpts"] as? [String: String])?["title"] == "[Mercy] and [grace]")
        #expect((hit["record"] as? [String: Any])?["id"] as? String == "c")
        #expect(try scratch.run(arguments: "search", "save", "mercy", "--limit", "1").lines.count == 1)
        #expect(try scratch.must(arguments: "search", "save", "nothing") == "")
        let none = try scratch.run(arguments: "search", "folder", "x")
        #expect(none.exitCode == 64)
        #expect(none.error.contains("\"search\""))
    }

    @Test func doctorFindsTheSearchIndexSound() throws {
        #expect(!(try scratch.run(arguments: "doctor").output.contains("search index")))
    }
}
