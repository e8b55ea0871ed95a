import Foundation
import SyncChecks
import SyncSQLite
import Testing

/// SQLite works on a simulated disk as on a real one.
@Suite struct DiskTests {
    @Test func aReaderKeepsItsSnapshotWhileOthersWrite() throws {
        let disk = SimulatedDisk()
        let writer = try Self.database(disk: disk)
        let reader = try Connection.open(path: "/db.sqlite", flags: .readOnly, medium: disk)
        try reader.execute("BEGIN")
        #expect(try reader.integer(sql: "SELECT count(*) FROM item") == 0)
        try writer.execute("INSERT INTO item (text) VALUES ('one')")
        #expect(try reader.integer(sql: "SELECT count(*) FROM item") == 0)
        // Pages that the reader still needs stay in the WAL.
        let held = try writer.checkpoint()
        #expect(held.movedPages < held.logPages)
        try reader.execute("COMMIT")
        #expect(try reader.integer(sql: "SELECT count(*) FROM item") == 1)
        let free = try writer.checkpoint(mode: .truncate)
        #expect(free.logPages == 0 && free.movedPages == 0)
        #expect(disk.bytes(under: "/db.sqlite-wal") == 0)
    }

    @Test func aWriterWaitsForAnotherAndIsToldSo() throws {
        let disk = SimulatedDisk()
        let (first, second) = (try Self.database(disk: disk), try Self.open(disk: disk))
        try first.execute("BEGIN IMMEDIATE; INSERT INTO item (text) VALUES ('one')")
        #expect { try second.execute("BEGIN IMMEDIATE") } throws: { ($0 as? SQLiteError)?.isBusy == true }
        try first.execute("COMMIT")
        try second.execute("BEGIN IMMEDIATE; INSERT INTO item (text) VALUES ('two'); COMMIT")
        #expect(try first.texts(sql: "SELECT text FROM item ORDER BY id") == ["one", "two"])
    }

    @Test(arguments: [true, false]) func whatIsRolledBackLeavesNoTrace(usesLog: Bool) throws {
        let disk = SimulatedDisk()
        let connection = try Self.database(disk: disk, usesLog: usesLog)
        try connection.execute("INSERT INTO item (text) VALUES ('kept')")
        // More than the cache holds, so that pages are written before the transaction ends.
        try connection.execute("PRAGMA cache_size = 5; BEGIN IMMEDIATE")
        for _ in 0..<50 { try connection.execute("INSERT INTO item (text) VALUES (hex(zeroblob(2000)))") }
        try connection.execute("ROLLBACK")
        #expect(try connection.texts(sql: "SELECT text FROM item") == ["kept"])
        #expect(try connection.integrityCheck(includingIndexes: true).isEmpty)
    }

    @Test func aClosedDatabaseIsOneFileAndOpensAgain() throws {
        let disk = SimulatedDisk()
        let connection = try Self.database(disk: disk)
        for number in 0..<200 { try connection.execute("INSERT INTO item (text) VALUES ('\(number)')") }
        #expect(try disk.list(path: "/") == ["db.sqlite", "db.sqlite-wal"])
        connection.close()
        #expect(try disk.list(path: "/") == ["db.sqlite"])
        let again = try Self.open(disk: disk)
        #expect(try again.integer(sql: "SELECT count(*) FROM item") == 200)
        #expect(try again.integrityCheck(includingIndexes: true).isEmpty)
    }

    @Test func threadsShareADatabase() async throws {
        let disk = SimulatedDisk()
        let connection = try Self.database(disk: disk)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let reader = try Connection.open(path: "/db.sqlite", flags: .readOnly, medium: disk)
                    var last: Int64 = 0
                    while last < 100, !Task.isCancelled {
                        let counts = try reader.texts(sql: "SELECT count(*) || ' ' || total(id) FROM item")
                        let count = Int64(counts[0].split(separator: " ")[0]) ?? -1
                        #expect(counts == ["\(count) \(Double(count * (count + 1) / 2))"])
                        #expect(count >= last)
                        last = count
                    }
                }
            }
            for _ in 0..<100 { try connection.execute("INSERT INTO item (text) VALUES ('x')") }
            try await group.waitForAll()
        }
        #expect(try connection.integrityCheck(includingIndexes: true).isEmpty)
    }

    @Test func connectionsOfADeadProcessFailAndDisturbNobody() throws {
        let disk = SimulatedDisk()
        let dead = try Self.database(disk: disk)
        try dead.execute("INSERT INTO item (text) VALUES ('one'); BEGIN IMMEDIATE; DELETE FROM item")
        disk.crash()
        #expect { try disk.list(path: "/") } throws: { _ in true }
        #expect { try Self.open(disk: disk) } throws: { _ in true }
        disk.restart(keeping: .syncedOnly)
        let alive = try Self.open(disk: disk)
        // The dead connection held the write lock.
        try alive.execute("INSERT INTO item (text) VALUES ('two')")
        #expect { try dead.execute("COMMIT") } throws: { ($0 as? SQLiteError)?.isIOError == true }
        #expect { try dead.integer(sql: "SELECT count(*) FROM item") } throws: { _ in true }
        let steps = disk.steps
        dead.close()
        #expect(disk.steps == steps)
        #expect(try alive.texts(sql: "SELECT text FROM item ORDER BY id") == ["one", "two"])
        #expect(try alive.integrityCheck().isEmpty)
    }

    @Test func aReadOnlyDiskIsReadAndNotWritten() throws {
        let disk = SimulatedDisk()
        try Self.database(disk: disk, usesLog: false).execute("INSERT INTO item (text) VALUES ('one')")
        let steps = disk.steps
        disk.isReadOnly = true
        #expect { try Self.open(disk: disk) } throws: { ($0 as? SQLiteError)?.isReadOnly == true }
        let reader = try Connection.open(path: "/db.sqlite", flags: .readOnly, medium: disk)
        #expect(try reader.texts(sql: "SELECT text FROM item") == ["one"])
        #expect(disk.steps == steps)
    }

    @Test func equalWorkTakesEqualStepsAndLeavesEqualBytes() throws {
        func run() throws -> [String: [UInt8]] {
            let disk = SimulatedDisk(seed: 7)
            disk.crash(at: 60)
            let connection = try Self.database(disk: disk)
            #expect {
                while true { try connection.execute("INSERT INTO item (text) VALUES ('x')") }
            } throws: { _ in true }
            disk.restart(keeping: .some(seed: 11))
            var files = disk.snapshot().files
            files["/db.sqlite-wal"] = files["/db.sqlite-wal"].map(Self.withoutSalts)
            return files
        }
        let first = try run()
        #expect(first["/db.sqlite"]?.isEmpty == false && first["/db.sqlite-wal"]?.isEmpty == false)
        #expect(try run() == first)
    }

    /// A WAL without SQLite's random values: the salts, and the checksums that depend on them.
    private static func withoutSalts(log: [UInt8]) -> [UInt8] {
        var log = log
        for index in log.indices {
            let isInFrame = index >= 32 && (8..<24).contains((index - 32) % (24 + 4096))
            if isInFrame || (16..<32).contains(index) { log[index] = 0 }
        }
        return log
    }

    static func open(disk: SimulatedDisk, usesLog: Bool = true) throws -> Connection {
        let connection = try Connection.open(path: "/db.sqlite", flags: .readWriteCreate, medium: disk)
        var settings = Settings()
        settings.usesWriteAheadLog = usesLog
        try connection.configure(settings: settings)
        return connection
    }

    static func database(disk: SimulatedDisk, usesLog: Bool = true) throws -> Connection {
        let connection = try open(disk: disk, usesLog: usesLog)
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)")
        return connection
    }
}
