import SyncSQLite
import Testing

@Suite struct SQLTests {
    @Test(arguments: [
        "t", "select", "a\"b", "\"", "\"\"", "x\"; DROP TABLE t; --", "a b", "a.b", "[a]", "`a`", "'a'",
        "e\u{301}", "\u{E9}",
        "\"\u{301}", "ج", "?1", "\n",
    ])
    func aNameWithAnyCharacterIsOneName(name: String) throws {
        let connection = try Connection.inMemory()
        let quoted = try SQL.identifier(name: name)
        try connection.execute("CREATE TABLE \(quoted) (\(quoted) INTEGER NOT NULL) STRICT")
        let stored = try connection.texts(sql: "SELECT name FROM sqlite_schema")
        #expect(stored.map { Array($0.utf8) } == [Array(name.utf8)])
        try connection.run("INSERT INTO \(quoted) (\(quoted)) VALUES (?1)", values: 7)
        let select = try connection.prepare("SELECT \(quoted).\(quoted) FROM \(quoted)")
        #expect(try select.step())
        #expect(select.int64(at: 0) == 7)
    }

    @Test(arguments: ["", "a\0", "\0"])
    func aNameThatSQLiteWouldCutIsRefused(name: String) throws {
        #expect(try failure { _ = try SQL.identifier(name: name) }.isMisuse)
    }

    @Test(arguments: ["", "it's", "'", "''", "'); DROP TABLE t; --", "\"", "e\u{301}", "'\u{301}", "\\"])
    func aLiteralIsOneText(text: String) throws {
        let connection = try Connection.inMemory()
        let stored = try connection.texts(sql: "SELECT \(SQL.literal(text: text))")
        #expect(stored.map { Array($0.utf8) } == [Array(text.utf8)])
    }

    @Test func aLiteralThatSQLiteWouldCutIsRefused() throws {
        #expect(try failure { _ = try SQL.literal(text: "a\0b") }.isMisuse)
    }

    @Test func quotingIsDoneInBytes() throws {
        #expect(try SQL.identifier(name: "a\"b") == "\"a\"\"b\"")
        #expect(try SQL.literal(text: "it's") == "'it''s'")
    }
}
