import CSQLite
import Foundation
import SyncEntities

/// Reads the app's own values through SQLite's own interface.
enum RawRead {
    static func all(_ database: RawDatabase, isSorted: Bool) throws -> [Bookmark] {
        let row = try database.prepare(RawTable.selectAll + (isSorted ? " ORDER BY id" : ""))
        var models: [Bookmark] = []
        while try database.step(row) { models.append(try model(row)) }
        return models
    }

    private static func model(_ row: OpaquePointer) throws -> Bookmark {
        guard let id = uuid(columnText(row, 0)) else { throw RawDatabase.Failure(message: "no UUID") }
        return Bookmark(
            id: id,
            userId: string(row, 1),
            surahNumber: Int(sqlite3_column_int64(row, 2)),
            verseNumber: Int(sqlite3_column_int64(row, 3)),
            surahName: string(row, 4),
            verseText: string(row, 5),
            verseTranslation: string(row, 6),
            notes: sqlite3_column_type(row, 7) == SQLITE_NULL ? nil : string(row, 7),
            tags: tags(columnText(row, 8)),
            createdAt: date(row, 9),
            updatedAt: date(row, 10)
        )
    }

    @inline(__always)
    private static func string(_ row: OpaquePointer, _ column: Int32) -> String {
        String(decoding: columnText(row, column), as: UTF8.self)
    }

    @inline(__always)
    private static func date(_ row: OpaquePointer, _ column: Int32) -> Date {
        Date(timeIntervalSince1970: Double(sqlite3_column_int64(row, column)) / 1_000_000)
    }

    /// The elements of a list of strings. The input's tags have no escapes.
    @inline(__always)
    private static func tags(_ json: UnsafeBufferPointer<UInt8>) -> [String] {
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
    private static func uuid(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
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
