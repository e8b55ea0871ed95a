import EntitySync
import Foundation
import GRDB
import SyncGRDB
import Testing

/// Nobody writes through the reader.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    let stage: Stage

    init() throws {
        stage = try Stage()
        try stage.bookmarks.insert(.sample())
    }

    private static let writes = [
        "DELETE FROM bookmark", "UPDATE bookmark SET notes = 'x'", "INSERT INTO reader (id) VALUES ('x')",
        "CREATE TABLE other (a)", "DROP VIEW bookmark_live", "PRAGMA user_version = 9",
    ]

    @Test(arguments: writes) func aReadRefusesAWrite(sql: String) throws {
        let before = try stage.fetched()
        for read in [stage.reader.read, stage.reader.unsafeRead, stage.reader.unsafeReentrantRead]
            as [((Database) throws -> Void) throws -> Void]
        {
            #expect(throws: DatabaseError.self) { try read { try $0.execute(sql: sql) } }
            #expect(throws: DatabaseError.self) {
                try read {
                    try $0.execute(sql: "PRAGMA query_only = 0")
                    try $0.execute(sql: sql)
                }
            }
        }
        #expect(try stage.fetched() == before)
    }

    @Test func aRequestCannotDelete() throws {
        #expect(throws: DatabaseError.self) { try stage.reader.read { try Bookmark.deleteAll($0) } }
        #expect(try stage.fetched().count == 1)
    }

    @Test func theReaderIsNoWriter() {
        #expect(!(stage.reader is any DatabaseWriter))
    }

    /// GRDB gives such an observation its write connection.
    @Test(arguments: writes) func anObservationThatRequiresWriteAccessIsRefused(sql: String) async throws {
        let before = try stage.fetched()
        // Afterwards GRDB has turned `query_only` off on that connection.
        let plain = ValueObservation.trackingConstantRegion { try Bookmark.fetchCount($0) }
        var counts = plain.values(in: stage.reader).makeAsyncIterator()
        #expect(try await counts.next() == 1)
        try await stage.bookmarks.insert(.sample(surah: 9))
        try await wait(for: 2, in: &counts)
        var writing = ValueObservation.tracking { try $0.execute(sql: sql) }
        writing.requiresWriteAccess = true
        await #expect(throws: (any Error).self) {
            for try await _ in writing.values(in: stage.reader) { break }
        }
        #expect(try stage.fetched().count == before.count + 1)
        let version = try stage.reader.now { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        #expect(version != 9)
        #expect(try stage.reader.now { try !$0.tableExists("other") })
    }
}
