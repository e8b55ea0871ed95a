import Foundation
import GRDBSQLite

/// Reads the app's own values through SQLite's own interface.
enum RawRead {
    static func all(database: RawDatabase, isSorted: Bool) throws -> [Bookmark] {
        let row = try database.prepare(RawTable.selectAll + (isSorted ? " ORDER BY id" : ""))
        var models: [Bookmark] = []
        while try database.step(statement: row) { models.append(try model(row: row)) }
        return models
    }

    private static func model(row: OpaquePointer) throws -> Bookmark {
        guard let id = uuid(text: columnText(statement: row, column: 0)) else {
            throw RawDatabase.Failure(message: "no UUID")
        }
        return Bookmark(
            id: id,
            userId: string(row: row, column: 1),
            surahNumber: Int(sqlite3_column_int64(row, 2)),
            verseNumber: Int(sqlite3_column_int64(row, 3)),
            surahName: string(row: row, column: 4),
            verseText: string(row: row, column: 5),
            verseTranslation: string(row: row, column: 6),
            notes: sqlite3_column_type(row, 7) == SQLITE_NULL ? nil : string(row: row, column: 7),
            tags: tags(json: columnText(statement: row, column: 8)),
            createdAt: date(row: row, column: 9),
            updatedAt: date(row: row, column: 10)
        )
    }

    @inline(__always)
    private static func string(row: OpaquePointer, column: Int32) -> String {
        String(decoding: columnText(statement: row, column: column), as: UTF8.self)
    }

    @inline(__always)
    private static func date(row: OpaquePointer, column: Int32) -> Date {
        Date(timeIntervalSince1970: Double(sqlite3_column_int64(row, column)) / 1_000_000)
    }

    /// The elements of a list of strings. The input's tags have no escapes.
    @inline(__always)
    private static func tags(json: UnsafeBufferPointer<UInt8>) -> [String] {
        var tags: [String] = []
        tags.reserveCapacity(3)
        var start: Int?
        for place in json.indices where json[place] == UInt8(ascii: "\"") {
            if let first = start {
                tags.append(
                    String(decoding: UnsafeBufferPointer(rebasing: json[first..<place]), as: UTF8.self)
                )
                start = nil
            } else {
                start = place + 1
            }
        }
        return tags
    }

    @inline(__always)
    private static func uuid(text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == 36 else { return nil }
        var bytes: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for byte in text where byte != UInt8(ascii: "-") {
            let value = UInt64(byte < 0x3a ? byte &- 0x30 : byte &- 0x57)
            if digits < 16 { bytes.0 = bytes.0 << 4 | value } else { bytes.1 = bytes.1 << 4 | value }
            digits += 1
        }
        bytes = (bytes.0.bigEndian, bytes.1.bigEndian)
        return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
