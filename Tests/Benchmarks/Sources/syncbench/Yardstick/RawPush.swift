import GRDBSQLite

/// The push by hand: rows that wait are written as JSON into one buffer per batch, in the order in which they lie in the
/// file, and marked in one transaction by the ids that the answer names.
final class RawPush: PushRun {
    let folder: String
    private let database: RawDatabase
    private var bytes: [UInt8] = []
    private var keys: [[UInt8]] = []
    /// Bytes written so far.
    private(set) var written = 0

    init(_ opened: (folder: String, database: RawDatabase)) {
        folder = opened.folder
        database = opened.database
    }

    func push() async throws {
        let select = try database.prepare(
            "\(RawTable.selectAll) WHERE state <> 0 AND state = 1 ORDER BY number LIMIT \(RecordPages.size)"
        )
        let editTimestamp = try database.prepare("UPDATE bookmark SET state = 0, revision = ?2 WHERE id = ?1")
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        var revision = 0
        while try collect(select) {
            written += bytes.count
            try database.run(begin)
            for key in keys {
                revision += 1
                key.withUnsafeBytes {
                    let text = $0.bindMemory(to: CChar.self)
                    _ = sqlite3_bind_text(editTimestamp, 1, text.baseAddress, Int32(text.count), nil)
                }
                bindText("\(revision)", statement: editTimestamp, index: 2)
                try database.run(editTimestamp)
            }
            try database.run(commit)
        }
        database.close()
    }

    func pushed() throws -> Int {
        let database = try RawDatabase(path: RawPull.path(folder: folder), synchronous: .full)
        defer { database.close() }
        return try database.integer(sql: "SELECT count(*) FROM bookmark WHERE state = 0")
    }

    /// Fills the buffer with the next batch. Returns whether there was one.
    private func collect(_ select: OpaquePointer) throws -> Bool {
        bytes.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        bytes.append(UInt8(ascii: "["))
        while try database.step(statement: select) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            keys.append(Array(columnText(statement: select, column: 0)))
            RawWriter.append(select, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return !keys.isEmpty
    }
}

/// Writes the current row of `RawTable.selectAll` as JSON.
enum RawWriter {
    static func append(_ row: OpaquePointer, to bytes: inout [UInt8]) {
        string(name: "{\"id\":", row: row, column: 0, bytes: &bytes)
        string(name: ",\"user_id\":", row: row, column: 1, bytes: &bytes)
        HandText.literal(text: ",\"surah_number\":", bytes: &bytes)
        HandText.integer(value: Int(sqlite3_column_int64(row, 2)), bytes: &bytes)
        HandText.literal(text: ",\"verse_number\":", bytes: &bytes)
        HandText.integer(value: Int(sqlite3_column_int64(row, 3)), bytes: &bytes)
        string(name: ",\"surah_name\":", row: row, column: 4, bytes: &bytes)
        string(name: ",\"verse_text\":", row: row, column: 5, bytes: &bytes)
        string(name: ",\"verse_translation\":", row: row, column: 6, bytes: &bytes)
        if sqlite3_column_type(row, 7) == SQLITE_NULL {
            HandText.literal(text: ",\"notes\":null", bytes: &bytes)
        } else {
            string(name: ",\"notes\":", row: row, column: 7, bytes: &bytes)
        }
        HandText.literal(text: ",\"tags\":", bytes: &bytes)
        bytes.append(contentsOf: columnText(statement: row, column: 8))
        time(name: ",\"created_at\":\"", row: row, column: 9, bytes: &bytes)
        time(name: ",\"updated_at\":\"", row: row, column: 10, bytes: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    @inline(__always)
    private static func string(
        name: StaticString,
        row: OpaquePointer,
        column: Int32,
        bytes: inout [UInt8]
    ) {
        HandText.literal(text: name, bytes: &bytes)
        HandText.string(text: columnText(statement: row, column: column), bytes: &bytes)
    }

    @inline(__always)
    private static func time(
        name: StaticString,
        row: OpaquePointer,
        column: Int32,
        bytes: inout [UInt8]
    ) {
        HandText.literal(text: name, bytes: &bytes)
        let seconds = Int(sqlite3_column_int64(row, column) / 1_000_000)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            if let start = text.baseAddress { RawTime.write(seconds: seconds, to: start) }
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
