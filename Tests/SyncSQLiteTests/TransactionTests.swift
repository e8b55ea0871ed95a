import SyncSQLite
import Testing

@Suite struct TransactionTests {
    struct Stop: Error {}

    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT")
    }

    @Test func whatTheBodyReturnsIsReturnedAndCommitted() throws {
        let answer = try connection.transaction(kind: .immediate) {
            try connection.run("INSERT INTO t VALUES (?1)", values: 1)
            return "done"
        }
        #expect(answer == "done")
        #expect(!connection.isInTransaction)
        #expect(try connection.count(table: "t") == 1)
        #expect(connection.counters.transactionsCommitted == 1)
    }

    @Test(arguments: [TransactionKind.deferred, .immediate])
    func aBodyThatThrowsChangesNothing(kind: TransactionKind) throws {
        #expect(throws: Stop.self) {
            try connection.transaction(kind: kind) {
                try connection.run("INSERT INTO t VALUES (?1)", values: 1)
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.count(table: "t") == 0)
        #expect(connection.counters.transactionsRolledBack == 1)
    }

    @Test func aBodyThatThrowsBetweenTwoRowsStillRollsBack() throws {
        try connection.execute("INSERT INTO t VALUES (1), (2)")
        #expect(throws: Stop.self) {
            try connection.transaction(kind: .immediate) {
                let select = try connection.cached(sql: "SELECT id FROM t")
                #expect(try select.step())
                try connection.run("DELETE FROM t")
                throw Stop()
            }
        }
        #expect(try connection.count(table: "t") == 2)
    }

    @Test func transactionsDoNotNest() throws {
        let error = try failure {
            try connection.transaction(kind: .immediate) {
                try connection.run("INSERT INTO t VALUES (?1)", values: 1)
                try connection.transaction(kind: .deferred) {}
            }
        }
        #expect(error.isMisuse && error.message == "transactions do not nest")
        #expect(try connection.count(table: "t") == 0)
    }

    @Test func theFirstErrorIsReportedWhereSQLiteHadRolledBack() throws {
        let error = try failure {
            try connection.transaction(kind: .immediate) {
                try connection.run("INSERT INTO t VALUES (?1)", values: 1)
                try connection.run("INSERT OR ROLLBACK INTO t VALUES (?1)", values: 1)
            }
        }
        #expect(error.isUniqueConstraint)
        #expect(!connection.isInTransaction)
        #expect(try connection.count(table: "t") == 0)
        try connection.transaction(kind: .immediate) {
            try connection.run("INSERT INTO t VALUES (?1)", values: 2)
        }
        #expect(try connection.count(table: "t") == 1)
    }

    @Test func aBodyThatGoesOnAfterARollbackIsTold() throws {
        let error = try failure {
            try connection.transaction(kind: .immediate) {
                try connection.run("INSERT INTO t VALUES (?1)", values: 1)
                try? connection.run("INSERT OR ROLLBACK INTO t VALUES (?1)", values: 1)
            }
        }
        #expect(error.code == 4)
        #expect(error.message == "the transaction was rolled back before its end")
        #expect(try connection.count(table: "t") == 0)
    }

    @Test func aFullDatabaseLosesTheTransactionAndWorksAgain() throws {
        try connection.execute("CREATE TABLE big (b BLOB NOT NULL) STRICT; PRAGMA max_page_count = 20")
        let insert = try connection.prepare("INSERT INTO big VALUES (zeroblob(?1))")
        let error = try failure {
            try connection.transaction(kind: .immediate) {
                for _ in 0..<100 {
                    try insert.bind(4000, at: 1)
                    try insert.run()
                }
            }
        }
        #expect(error.isFull)
        #expect(!connection.isInTransaction)
        #expect(try connection.count(table: "big") == 0)
        try connection.transaction(kind: .immediate) {
            try connection.run("INSERT INTO t VALUES (?1)", values: 1)
        }
        #expect(try connection.integrityCheck() == [])
    }

    @Test func aCommitThatIsRefusedChangesNothing() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = 1;
            CREATE TABLE child (parent INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED) STRICT
            """
        )
        let error = try failure {
            try connection.transaction(kind: .immediate) {
                try connection.run("INSERT INTO child VALUES (?1)", values: 9)
            }
        }
        #expect(error.isConstraint)
        #expect(!connection.isInTransaction)
        #expect(try connection.count(table: "child") == 0)
    }

    @Test func aTransactionSaysWhenItsCommitWaitsForTheDisk() throws {
        let scratch = try Scratch()
        let connection = try scratch.connection()
        func level() throws -> Int64 { try connection.integer(sql: "PRAGMA synchronous") }
        func expectLevel(_ expected: Int64) throws { #expect(try level() == expected) }
        #expect(try level() == 2)
        try connection.transaction(kind: .immediate, synchronous: .normal) { try expectLevel(1) }
        #expect(try level() == 2)
        #expect(throws: Stop.self) {
            try connection.transaction(kind: .immediate, synchronous: .normal) { throw Stop() }
        }
        #expect(try level() == 2)
        try connection.transaction(kind: .immediate) { try expectLevel(2) }
        var settings = Settings()
        settings.synchronous = .normal
        try connection.configure(settings: settings)
        try connection.transaction(kind: .immediate, synchronous: .full) { try expectLevel(2) }
        #expect(try level() == 1)
    }

    @Test func settingsAreRefusedInsideATransaction() throws {
        let error = try failure {
            try connection.transaction(kind: .immediate) { try connection.configure(settings: Settings()) }
        }
        #expect(error.isMisuse)
    }
}
