import CSQLite

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
        let mark = try database.prepare("UPDATE bookmark SET state = 0, revision = ?2 WHERE id = ?1")
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
                    _ = sqlite3_bind_text(mark, 1, text.baseAddress, Int32(text.count), nil)
                }
                bindText("\(revision)", mark, 2)
                try database.run(mark)
            }
            try database.run(commit)
        }
        database.close()
    }

    func pushed() throws -> Int {
        let database = try RawDatabase(RawPull.path(folder), .full)
        defer { database.close() }
        return try database.integer("SELECT count(*) FROM bookmark WHERE state = 0")
    }

    /// Fills the buffer with the next batch. Returns whether there was one.
    private func collect(_ select: OpaquePointer) throws -> Bool {
        bytes.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        bytes.append(UInt8(ascii: "["))
        while try database.step(select) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            keys.append(Array(columnText(select, 0)))
            RawWriter.append(select, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return !keys.isEmpty
    }
}

/// Writes the current row of `RawTable.selectAll` as JSON.
enum RawWriter {
    static func append(_ row: OpaquePointer, to bytes: inout [UInt8]) {
        string("{\"id\":", row, 0, &bytes)
        string(",\"user_id\":", row, 1, &bytes)
        HandText.literal(",\"surah_number\":", &bytes)
        HandText.integer(Int(sqlite3_column_int64(row, 2)), &bytes)
        HandText.literal(",\"verse_number\":", &bytes)
        HandText.integer(Int(sqlite3_column_int64(row, 3)), &bytes)
        string(",\"surah_name\":", row, 4, &bytes)
        string(",\"verse_text\":", row, 5, &bytes)
        string(",\"verse_translation\":", row, 6, &bytes)
        if sqlite3_column_type(row, 7) == SQLITE_NULL {
            HandText.literal(",\"notes\":null", &bytes)
        } else {
            string(",\"notes\":", row, 7, &bytes)
        }
        HandText.literal(",\"tags\":", &bytes)
        bytes.append(contentsOf: columnText(row, 8))
        time(",\"created_at\":\"", row, 9, &bytes)
        time(",\"updated_at\":\"", row, 10, &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    @inline(__always)
    private static func string(
        _ name: StaticString,
        _ row: OpaquePointer,
        _ column: Int32,
        _ bytes: inout [UInt8]
    ) {
        HandText.literal(name, &bytes)
        HandText.string(columnText(row, column), &bytes)
    }

    @inline(__always)
    private static func time(
        _ name: StaticString,
        _ row: OpaquePointer,
        _ column: Int32,
        _ bytes: inout [UInt8]
    ) {
        HandText.literal(name, &bytes)
        let seconds = Int(sqlite3_column_int64(row, column) / 1_000_000)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            if let start = text.baseAddress { RawTime.write(seconds: seconds, to: start) }
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
