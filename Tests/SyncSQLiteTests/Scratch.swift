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

    func path(name: String = "test.sqlite") -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    func bytes(name: String = "test.sqlite") throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    func write(_ data: Data, name: String = "test.sqlite") throws {
        try data.write(to: folder.appending(path: name))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
    }

    /// A connection with the default settings, that waits 50 ms for locks.
    func connection(name: String = "test.sqlite") throws -> Connection {
        let connection = try Connection.open(
            path: path(name: name),
            flags: .readWriteCreate,
            busyTimeoutMilliseconds: 50
        )
        try connection.configure(settings: Settings())
        return connection
    }
}

extension Connection {
    /// Runs one statement with whole numbers bound in order.
    func run(_ sql: String, values: Int64...) throws {
        let statement = try cached(sql: sql)
        for (offset, value) in values.enumerated() { try statement.bind(value, at: offset + 1) }
        try statement.run()
    }

    func count(table: String) throws -> Int64 {
        try integer(sql: "SELECT count(*) FROM \(SQL.identifier(name: table))")
    }
}

/// The error that `body` throws, so that a test can ask for its kind.
func failure(body: () throws -> Void) throws -> SQLiteError {
    let error = #expect(throws: SQLiteError.self) { try body() }
    return try #require(error)
}
