import Foundation
import GRDBSQLite

/// What a server by hand does with what it gets: each batch is split into records, which are inserted in one durable
/// transaction; pages are read in the order of the insertion. There is no index but the number.
final class RawServerStore: @unchecked Sendable {
    // All are guarded by `lock`: connections have threads of their own.
    private let database: RawDatabase
    private let insert: OpaquePointer
    private let select: OpaquePointer
    private let lock = NSLock()

    init(folder: String) throws {
        database = try RawDatabase(path: folder + "/server.sqlite", synchronous: .full)
        try database.execute(
            "CREATE TABLE record (number INTEGER PRIMARY KEY, id TEXT NOT NULL, body BLOB NOT NULL) STRICT"
        )
        insert = try database.prepare("INSERT INTO record (id, body) VALUES (?1, ?2)")
        select = try database.prepare(
            "SELECT body FROM record WHERE number > ?1 ORDER BY number LIMIT \(RecordPages.size)"
        )
    }

    func close() { lock.withLock { database.close() } }

    /// How many records there are.
    func count() throws -> Int {
        try lock.withLock { try database.integer(sql: "SELECT count(*) FROM record") }
    }

    /// Stores a JSON array of records.
    func store(_ batch: [UInt8]) throws {
        try lock.withLock {
            try database.execute("BEGIN IMMEDIATE")
            try batch.withUnsafeBufferPointer { bytes in
                var scanner = try RecordScanner(bytes)
                var record = ScannedRecord()
                while try scanner.next(record: &record) {
                    record.id.start?.withMemoryRebound(to: CChar.self, capacity: record.id.count) {
                        _ = sqlite3_bind_text(insert, 1, $0, Int32(record.id.count), nil)
                    }
                    sqlite3_bind_blob(insert, 2, scanner.last.baseAddress, Int32(scanner.last.count), nil)
                    try database.run(insert)
                }
            }
            try database.execute("COMMIT")
        }
    }

    /// The records of a page as a JSON array.
    func page(_ number: Int) throws -> [UInt8] {
        try lock.withLock {
            var bytes = [UInt8(ascii: "[")]
            bytes.reserveCapacity(RecordPages.size * 800)
            sqlite3_bind_int64(select, 1, Int64(number * RecordPages.size))
            while try database.step(statement: select) {
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                let body = sqlite3_column_blob(select, 0)
                let count = Int(sqlite3_column_bytes(select, 0))
                bytes.append(contentsOf: UnsafeRawBufferPointer(start: body, count: count))
            }
            bytes.append(UInt8(ascii: "]"))
            return bytes
        }
    }

    /// Answers one request: a `POST` stores its body, a `GET` names a page.
    func answer(method: String, url: String, body: [UInt8]) throws -> [UInt8] {
        if method == "GET" { return try page(Int(url.dropFirst()) ?? 0) }
        try store(body)
        return []
    }
}
