import Foundation
import SyncSQLite
import Testing

@Suite struct OpeningTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: Connection.Flags.allCases)
    func whatIsNoDatabaseIsRefusedAndKept(flags: Connection.Flags) throws {
        let contents = [
            Data("x".utf8), Data("Dear diary, ".utf8), Data(repeating: 0, count: 4096),
            Data(repeating: 0xAB, count: 100_000),
            Data("SQLite format 4\0".utf8) + Data(repeating: 1, count: 8000),
        ]
        for content in contents {
            try scratch.write(content)
            let error = try failure { _ = try Connection.open(path: scratch.path(), flags: flags) }
            #expect(error.isNotADatabase)
            #expect(error.message == "file is not a database" && error.operation == "open")
            #expect(try scratch.bytes() == content)
            #expect(try scratch.names() == ["test.sqlite"])
        }
    }

    @Test(arguments: Connection.Flags.allCases)
    func aFolderIsRefused(flags: Connection.Flags) throws {
        let error = try failure { _ = try Connection.open(path: scratch.path(name: ""), flags: flags) }
        #expect(error.cantOpen)
        #expect(error.message == "the path is a folder")
    }

    @Test(.timeLimit(.minutes(30)), arguments: Connection.Flags.allCases)
    func aPipeIsRefusedAtOnce(flags: Connection.Flags) throws {
        try #require(mkfifo(scratch.path(name: "pipe"), 0o600) == 0)
        let error = try failure { _ = try Connection.open(path: scratch.path(name: "pipe"), flags: flags) }
        #expect(error.cantOpen)
        #expect(error.message == "the path is not a regular file")
    }

    @Test(arguments: [Connection.Flags.readOnly, .readWrite])
    func aMissingFileIsRefusedAndNotMade(flags: Connection.Flags) throws {
        #expect(try failure { _ = try Connection.open(path: scratch.path(), flags: flags) }.cantOpen)
        #expect(try scratch.names() == [])
    }

    @Test func aMissingFolderIsRefused() throws {
        let path = scratch.path(name: "missing/test.sqlite")
        let error = try failure { _ = try Connection.open(path: path, flags: .readWriteCreate) }
        #expect(error.cantOpen && !error.isNotPermitted)
    }

    @Test(arguments: ["file:x?mode=memory", "file::memory:", ":memory:"])
    func aPathIsNeverReadAsAURIOrASpecialName(path: String) throws {
        #expect(try failure { _ = try Connection.open(path: path, flags: .readWrite) }.cantOpen)
    }

    @Test(arguments: [
        "50%41.sqlite", "a?mode=ro", "a#b", " ", "e\u{301}", "\u{E9}", ":memory:", "file:x", "'\"\\",
    ])
    func aFileNameIsTakenLiterally(name: String) throws {
        try Connection.open(path: scratch.path() + name, flags: .readWriteCreate).execute(
            "CREATE TABLE t (v)"
        )
        #expect(try scratch.names().map { Array($0.utf8) } == [Array(("test.sqlite" + name).utf8)])
    }

    @Test(arguments: ["", "a\0b"])
    func aPathThatNamesNothingIsRefused(path: String) throws {
        #expect(try failure { _ = try Connection.open(path: path, flags: .readWriteCreate) }.isMisuse)
    }

    @Test func aReadOnlyConnectionChangesNothing() throws {
        let writer = try scratch.connection()
        try writer.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        let reader = try Connection.open(path: scratch.path(), flags: .readOnly)
        try reader.configure(settings: Settings())
        #expect(reader.isReadOnly)
        #expect(try reader.count(table: "t") == 1)
        let error = try failure { try reader.execute("INSERT INTO t VALUES (2)") }
        #expect(error.isReadOnly && error.isNotPermitted)
    }

    @Test func lookingAtAFileOfAnotherProgramLeavesItAsItIs() throws {
        let other = try scratch.connection(name: "other")
        try other.execute("CREATE TABLE t (v); PRAGMA application_id = 77; PRAGMA user_version = -3")
        // As after a crash of another program: all data is in the WAL only.
        try scratch.write(scratch.bytes(name: "other"))
        try scratch.write(scratch.bytes(name: "other-wal"), name: "test.sqlite-wal")
        let before = (try scratch.bytes(), try scratch.bytes(name: "test.sqlite-wal"))
        let connection = try Connection.open(path: scratch.path(), flags: .readOnly)
        #expect(try connection.applicationID() == 77)
        #expect(try connection.userVersion() == -3)
        connection.close()
        #expect(try scratch.bytes() == before.0)
        #expect(try scratch.bytes(name: "test.sqlite-wal") == before.1)
    }

    @Test(.enabled(if: geteuid() != 0, "an administrator may write everything"))
    func aFileThatMayNotBeWrittenIsRefusedForWriting() throws {
        try scratch.connection().execute("CREATE TABLE t (v)")
        try #require(chmod(scratch.path(), 0o400) == 0)
        for flags in [Connection.Flags.readWrite, .readWriteCreate] {
            let error = try failure { _ = try Connection.open(path: scratch.path(), flags: flags) }
            #expect(error.isReadOnly && error.isNotPermitted)
        }
    }

    @Test func idsAndVersionsAreKeptAndRollBack() throws {
        struct Stop: Error {}
        var connection = try scratch.connection()
        try connection.setApplicationID(.min)
        try connection.setUserVersion(.max)
        try? connection.transaction(kind: .immediate) {
            try connection.setUserVersion(1)
            throw Stop()
        }
        connection.close()
        connection = try scratch.connection()
        #expect(try connection.applicationID() == .min)
        #expect(try connection.userVersion() == .max)
    }

    @Test func settingsHold() throws {
        let connection = try scratch.connection()
        #expect(try connection.texts(sql: "PRAGMA journal_mode") == ["wal"])
        let expected: [String: Int64] = [
            "synchronous": 2, "foreign_keys": 0, "cache_size": -32768, "temp_store": 2, "fullfsync": 1,
            "checkpoint_fullfsync": 1, "wal_autocheckpoint": 1000, "journal_size_limit": 16_777_216,
            "trusted_schema": 0, "cell_size_check": 1,
        ]
        for (pragma, value) in expected {
            #expect(try connection.integer(sql: "PRAGMA \(pragma)") == value, "\(pragma)")
        }
    }

    @Test func planShowsTheIndexThatAQueryUses() throws {
        let connection = try scratch.connection()
        try connection.execute("CREATE TABLE t (v); CREATE INDEX by_v ON t (v)")
        #expect(try connection.queryPlan(sql: "SELECT * FROM t WHERE v = ?1").joined().contains("by_v"))
    }
}
