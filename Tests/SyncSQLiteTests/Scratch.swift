import Foundation
import SyncSQLite
import Testing

/// A folder for the length of one test, with the files that the test makes in it.
final class Scratch {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "SyncSQLiteTests-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String = "test.sqlite") -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    func bytes(_ name: String = "test.sqlite") throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    func write(_ data: Data, _ name: String = "test.sqlite") throws {
        try data.write(to: folder.appending(path: name))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
    }

    /// A connection with the default settings, that waits 50 ms for locks.
    func connection(_ name: String = "test.sqlite") throws -> Connection {
        let connection = try Connection.open(
            path: path(name),
            flags: .readWriteCreate,
            busyTimeoutMilliseconds: 50
        )
        try connection.configure(Settings())
        return connection
    }
}

extension Connection {
    /// Runs one statement with whole numbers bound in order.
    func run(_ sql: String, _ values: Int64...) throws {
        let statement = try cached(sql)
        for (offset, value) in values.enumerated() { try statement.bind(value, at: offset + 1) }
        try statement.run()
    }

    func count(_ table: String) throws -> Int64 {
        try integer("SELECT count(*) FROM \(SQL.identifier(table))")
    }
}

/// The error that `body` throws, so that a test can ask for its kind.
func failure(_ body: () throws -> Void) throws -> SQLiteError {
    let error = #expect(throws: SQLiteError.self) { try body() }
    return try #require(error)
}
