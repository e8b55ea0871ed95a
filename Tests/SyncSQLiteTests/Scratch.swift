import Foundation
import SyncSQLite
import Testing

/// A folder for one test with its files.
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

    /// A connection with default settings and a busy timeout of 50 ms.
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
    /// Runs a statement with integers bound in order.
    func run(_ sql: String, values: Int64...) throws {
        let statement = try cached(sql: sql)
        for (offset, value) in values.enumerated() { try statement.bind(value, at: offset + 1) }
        try statement.run()
    }

    func count(table: String) throws -> Int64 {
        try integer(sql: "SELECT count(*) FROM \(SQL.identifier(name: table))")
    }
}

extension SQLiteError {
    /// SQLITE_CONSTRAINT: a `UNIQUE`, `NOT NULL`, `CHECK`, key or `STRICT` type constraint refused the row.
    var isConstraint: Bool { code == 19 }

    /// A `UNIQUE` index or a primary key refused the row: SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID.
    var isUniqueConstraint: Bool { [6, 8, 10].contains { extendedCode == 19 | ($0 << 8) } }
}

/// The error thrown by `body`.
func failure(body: () throws -> Void) throws -> SQLiteError {
    let error = #expect(throws: SQLiteError.self) { try body() }
    return try #require(error)
}
