import SyncSQLite
import Testing

@Suite struct StatementTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL UNIQUE CHECK (v <> 'no')) STRICT"
        )
    }

    @Test func aCachedStatementIsCompiledOnce() throws {
        for number in 0..<100 {
            let insert = try connection.cached(sql: "INSERT INTO t (id, v) VALUES (?1, ?2)")
            try insert.bind(number, at: 1)
            try insert.bind("\(number)", at: 2)
            try insert.run()
        }
        #expect(connection.counters.statementsPrepared == 1)
        #expect(connection.counters.cacheHits == 99)
        #expect(try connection.count(table: "t") == 100)
    }

    @Test func aStatementWorksAgainAfterAnError() throws {
        let sql = "INSERT INTO t (id, v) VALUES (?1, ?2)"
        let insert = try connection.cached(sql: sql)
        try insert.bind(1, at: 1)
        try insert.bind("a", at: 2)
        try insert.run()
        #expect(try failure { try insert.run() }.isConstraint)
        let again = try connection.cached(sql: sql)
        #expect(again === insert)
        try again.bind(2, at: 1)
        try again.bind("b", at: 2)
        try again.run()
        #expect(try connection.count(table: "t") == 2)
    }

    @Test func aStatementFromTheCacheHasNoValueOfItsLastUse() throws {
        let sql = "SELECT ?1"
        let first = try connection.cached(sql: sql)
        try first.bind("secret", at: 1)
        #expect(try first.step())
        first.reset()
        let second = try connection.cached(sql: sql)
        #expect(try second.step())
        #expect(second.isNull(at: 0))
    }

    @Test func nestedLoopsOverOneQueryDoNotDisturbEachOther() throws {
        for number in 1...3 { try connection.execute("INSERT INTO t VALUES (\(number), '\(number)')") }
        var pairs: [String] = []
        let outer = try connection.cached(sql: "SELECT v FROM t ORDER BY id")
        while try outer.step() {
            let inner = try connection.cached(sql: "SELECT v FROM t ORDER BY id")
            while try inner.step() { pairs.append(outer.string(at: 0) + inner.string(at: 0)) }
        }
        #expect(pairs == ["11", "12", "13", "21", "22", "23", "31", "32", "33"])
    }

    @Test func aStatementWithBoundValuesIsNotHandedOutAgain() throws {
        let first = try connection.cached(sql: "SELECT ?1")
        try first.bind("first", at: 1)
        let second = try connection.cached(sql: "SELECT ?1")
        try second.bind("second", at: 1)
        #expect(try first.step() && second.step())
        #expect(first.string(at: 0) == "first")
        #expect(second.string(at: 0) == "second")
    }

    @Test func textsThatDifferOnlyInUnicodeFormAreTwoStatements() throws {
        let composed = try connection.cached(sql: "SELECT 1 AS \"\u{E9}\"")
        let decomposed = try connection.cached(sql: "SELECT 1 AS \"e\u{301}\"")
        #expect(Array(composed.columnName(at: 0).utf8) == [0xC3, 0xA9])
        #expect(Array(decomposed.columnName(at: 0).utf8) == [0x65, 0xCC, 0x81])
    }

    @Test func theCacheForgetsTheLeastRecentlyUsed() throws {
        _ = try connection.cached(sql: "SELECT 0")
        for number in 1...300 {
            _ = try connection.cached(sql: "SELECT \(number)")
            _ = try connection.cached(sql: "SELECT 0")
        }
        let prepared = connection.counters.statementsPrepared
        #expect(prepared == 301)
        _ = try connection.cached(sql: "SELECT 300")
        #expect(connection.counters.statementsPrepared == prepared)
        _ = try connection.cached(sql: "SELECT 1")
        #expect(connection.counters.statementsPrepared == prepared + 1)
    }

    @Test func borrowedBytesAreForgottenAtTheEndOfTheRun() throws {
        let statement = try connection.prepare("SELECT ?1")
        try Array("borrowed".utf8).withUnsafeBufferPointer { try statement.bindTextWithoutCopy($0, at: 1) }
        statement.reset()
        #expect(try statement.step())
        #expect(statement.isNull(at: 0))
    }

    @Test func copiedBytesStayForTheNextRun() throws {
        let statement = try connection.prepare("SELECT ?1")
        try statement.bind("copied", at: 1)
        #expect(try statement.step())
        #expect(try !statement.step())
        #expect(try statement.step())
        #expect(statement.string(at: 0) == "copied")
    }

    @Test func aLoopThatThrowsLeavesNoSnapshotOpen() throws {
        struct Stop: Error {}
        let select = try connection.prepare("VALUES (1), (2)")
        #expect(throws: Stop.self) { try select.forEachRow { _ in throw Stop() } }
        var numbers: [Int64] = []
        try select.forEachRow { numbers.append($0.int64(at: 0)) }
        #expect(numbers == [1, 2])
    }

    @Test func constraintsAreToldApart() throws {
        try connection.execute("INSERT INTO t VALUES (1, 'a')")
        let unique = try failure { try connection.execute("INSERT INTO t VALUES (2, 'a')") }
        #expect(unique.isConstraint && unique.isUniqueConstraint)
        #expect(unique.message == "UNIQUE constraint failed: t.v")
        #expect(try failure { try connection.execute("INSERT INTO t VALUES (1, 'b')") }.isUniqueConstraint)
        for sql in [
            "INSERT INTO t VALUES (3, NULL)", "INSERT INTO t VALUES (3, 'no')",
            "INSERT INTO t VALUES (3, x'00')",
        ] {
            let error = try failure { try connection.execute(sql) }
            #expect(error.isConstraint && !error.isUniqueConstraint, "\(sql)")
        }
    }

    @Test func anErrorNeverRepeatsABoundValue() throws {
        let insert = try connection.prepare("INSERT INTO t (id, v) VALUES (?1, ?2)")
        try insert.bind("a private note", at: 1)
        try insert.bind("another private note", at: 2)
        let error = try failure { try insert.run() }
        #expect(!String(reflecting: error).contains("private") && !error.description.contains("private"))
        #expect(error.operation == "INSERT INTO t (id, v) VALUES (?1, ?2)")
    }

    @Test func aParameterThatDoesNotExistIsRefused() throws {
        let statement = try connection.prepare("SELECT ?1")
        #expect(try failure { try statement.bind(1, at: 2) }.isMisuse)
        #expect(try failure { try statement.bind(1, at: 0) }.isMisuse)
        #expect(try failure { try statement.bind("x", at: Int.max) }.isMisuse)
        #expect(statement.parameterCount == 1)
    }

    @Test func bindingBetweenRowsIsRefused() throws {
        let statement = try connection.prepare("SELECT ?1 UNION ALL SELECT 2")
        #expect(try statement.step())
        #expect(try failure { try statement.bind(1, at: 1) }.isMisuse)
    }

    @Test(arguments: ["", "  ", "-- only words", "SELECT 1; SELECT 2", "SELECT 1\0; DROP TABLE t"])
    func aTextThatIsNotOneStatementIsRefused(sql: String) throws {
        #expect(try failure { _ = try connection.prepare(sql) }.isMisuse)
    }

    @Test func aCommentAfterAStatementIsNoSecondStatement() throws {
        let statement = try connection.prepare("SELECT 7; -- seven\n")
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 7)
    }

    @Test func wrongSQLIsNamedWithSQLitesWords() throws {
        let error = try failure { _ = try connection.prepare("SELEC 1") }
        #expect(error.code == 1)
        #expect(error.message.contains("syntax error"))
        #expect(try failure { try connection.execute("SELECT 1; NONSENSE") }.message.contains("syntax error"))
    }

    @Test func aClosedConnectionAnswersWithErrorsOnly() throws {
        let kept = try connection.prepare("SELECT v FROM t")
        let cached = try connection.cached(sql: "SELECT 1")
        connection.close()
        connection.close()
        for statement in [kept, cached] {
            #expect(try failure { _ = try statement.step() }.isMisuse)
            #expect(try failure { try statement.bind(1, at: 1) }.isMisuse)
            #expect(
                statement.isNull(at: 0) && statement.columnCount == 0 && statement.columnName(at: 0) == ""
            )
            statement.reset()
            statement.clearBindings()
        }
        #expect(try failure { try connection.execute("SELECT 1") }.isMisuse)
        #expect(try failure { _ = try connection.prepare("SELECT 1") }.message == "the connection is closed")
        #expect(try failure { try connection.transaction(kind: .immediate) {} }.isMisuse)
        #expect(try failure { try connection.checkpoint() }.isMisuse)
        #expect(connection.changes == 0 && connection.lastInsertRowID == 0 && !connection.isInTransaction)
    }

    @Test func statementsOutliveTheirConnectionSafely() throws {
        var short: Connection? = try .inMemory()
        let statement = try #require(try short?.prepare("SELECT 1"))
        short = nil
        #expect(try failure { _ = try statement.step() }.isMisuse)
    }

    @Test func aStatementKnowsWhetherItWrites() throws {
        #expect(try connection.prepare("SELECT v FROM t").isReadOnly)
        #expect(try !connection.prepare("DELETE FROM t").isReadOnly)
    }

    @Test func changesAndRowIDsAreCounted() throws {
        try connection.execute("INSERT INTO t VALUES (41, 'a')")
        #expect(connection.lastInsertRowID == 41)
        try connection.execute("INSERT INTO t (v) VALUES ('b')")
        #expect(connection.lastInsertRowID == 42)
        try connection.execute("UPDATE t SET v = v || '!'")
        #expect(connection.changes == 2)
        #expect(connection.totalChanges == 4)
    }
}
