import Foundation
import SyncSQLite
import Testing

@Suite struct FileTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func commitsSurviveReopening() throws {
        var connection = try scratch.connection()
        try connection.execute("CREATE TABLE t (v)")
        try connection.transaction(kind: .immediate) {
            try connection.run("INSERT INTO t VALUES (?1)", values: 5)
        }
        connection.close()
        #expect(try scratch.names() == ["test.sqlite"])
        connection = try scratch.connection()
        #expect(try connection.texts(sql: "SELECT v FROM t") == ["5"])
        #expect(try connection.texts(sql: "PRAGMA journal_mode") == ["wal"])
    }

    @Test func commitsInTheLogSurviveACrash() throws {
        let connection = try scratch.connection(name: "running")
        try connection.execute("CREATE TABLE t (v)")
        try connection.checkpoint(mode: .truncate)
        try connection.transaction(kind: .immediate) {
            try connection.run("INSERT INTO t VALUES (?1)", values: 5)
        }
        // The state after a crash: the file and the WAL, with the connection still open.
        try scratch.write(scratch.bytes(name: "running"))
        try scratch.write(scratch.bytes(name: "running-wal"), name: "test.sqlite-wal")
        #expect(try scratch.connection().texts(sql: "SELECT v FROM t") == ["5"])
    }

    @Test func aCheckpointEmptiesTheLog() throws {
        let connection = try scratch.connection()
        try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (zeroblob(100000))")
        #expect(try !scratch.bytes(name: "test.sqlite-wal").isEmpty)
        let passive = try connection.checkpoint()
        #expect(passive.logPages > 20 && passive.movedPages == passive.logPages)
        try connection.checkpoint(mode: .truncate)
        #expect(try scratch.bytes(name: "test.sqlite-wal").isEmpty)
        #expect(throws: SQLiteError.self) {
            try connection.transaction(kind: .immediate) { try connection.checkpoint(mode: .truncate) }
        }
    }

    @Test func aWriterWaitsForAnotherUntilTheTimeout() throws {
        let first = try scratch.connection()
        try first.execute("CREATE TABLE t (v)")
        let second = try scratch.connection()
        try first.transaction(kind: .immediate) {
            try first.run("INSERT INTO t VALUES (?1)", values: 1)
            let start = ContinuousClock.now
            let error = try failure { try second.transaction(kind: .immediate) {} }
            #expect(error.isBusy && !error.isStaleSnapshot)
            #expect(ContinuousClock.now - start >= .milliseconds(40))
            // Reading continues and sees committed data.
            #expect(try second.count(table: "t") == 0)
        }
        try second.transaction(kind: .immediate) { try second.run("INSERT INTO t VALUES (?1)", values: 2) }
        #expect(try first.count(table: "t") == 2)
    }

    @Test func aLateWriteOfADeferredTransactionIsToldToStartAgain() throws {
        let first = try scratch.connection()
        try first.execute("CREATE TABLE t (v)")
        let second = try scratch.connection()
        let error = try failure {
            try first.transaction(kind: .deferred) {
                _ = try first.count(table: "t")
                try second.run("INSERT INTO t VALUES (?1)", values: 1)
                try first.run("INSERT INTO t VALUES (?1)", values: 2)
            }
        }
        #expect(error.isBusy && error.isStaleSnapshot)
        #expect(try first.texts(sql: "SELECT v FROM t") == ["1"])
    }

    @Test func connectionsThatMeetOnANewFileAllOpen() async throws {
        let path = scratch.path()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let connection = try Connection.open(path: path, flags: .readWriteCreate)
                    try connection.configure(settings: Settings())
                    try connection.transaction(kind: .immediate) {
                        try connection.execute("CREATE TABLE IF NOT EXISTS t (v)")
                        try connection.run("INSERT INTO t VALUES (?1)", values: Int64(number))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try scratch.connection().count(table: "t") == 8)
    }

    @Test func damageIsFound() throws {
        let connection = try scratch.connection()
        try connection.execute(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL) STRICT;
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO t SELECT i, 'a text of some length, number ' || i FROM n
            """
        )
        #expect(try connection.integrityCheck() == [])
        #expect(try connection.integrityCheck(includingIndexes: true) == [])
        connection.close()
        var bytes = try scratch.bytes()
        for page in 4..<8 {
            bytes.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(repeating: 0xFE, count: 64))
        }
        try scratch.write(bytes)
        let damaged = try Connection.open(path: scratch.path(), flags: .readOnly)
        #expect(try !damaged.integrityCheck().isEmpty)
        #expect(try failure { _ = try damaged.texts(sql: "SELECT v FROM t") }.isCorrupt)
    }

    @Test(arguments: Connection.Flags.allCases)
    func aFileWhoseEndIsMissingIsRefusedAndKept(flags: Connection.Flags) throws {
        let connection = try scratch.connection()
        try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (zeroblob(100000))")
        connection.close()
        let half = try scratch.bytes().prefix(50_000)
        try scratch.write(half)
        #expect(try failure { _ = try Connection.open(path: scratch.path(), flags: flags) }.isCorrupt)
        #expect(try scratch.bytes() == half)
    }

    @Test func aClosedConnectionReleasesItsFileAlsoWithStatementsHeld() throws {
        let connection = try scratch.connection()
        try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        let held = try connection.prepare("SELECT v FROM t")
        #expect(try held.step())
        connection.close()
        #expect(try scratch.names() == ["test.sqlite"])
    }
}
