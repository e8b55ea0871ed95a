import Foundation
import SyncCore
import SyncSQLite
import SyncWire

/// The first members of an entry, which its row holds in other columns: entity, key, edit timestamp and vector.
///
/// The row holds the entry without them, so that each value is stored once. What is left begins with the name of the
/// next member. An entry that does not begin with exactly these members is held whole, and begins with a brace.
struct EntryHead {
    /// The members with the brace before them and the comma after them; with `complete`, the whole entry.
    private(set) var bytes: [UInt8] = []
    /// The text up to the key, which all records of the entity share.
    private let start: [UInt8]

    init(entity: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("entity")
        writer.string(entity)
        writer.name("key")
        start = writer.bytes
    }

    /// Writes the members of a record in place of the last ones. `vector`: nil if it has seen only its own edit.
    mutating func write(key: StoredKey, mark: some Collection<UInt8>, vector: String?) {
        bytes.removeAll(keepingCapacity: true)
        bytes += start
        key.appendJSON(to: &bytes)
        // Edit timestamps and vectors have no character that JSON escapes.
        bytes += #","mark":""#.utf8
        bytes += mark
        if let vector {
            bytes += #"","vector":""#.utf8
            bytes += vector.utf8
        }
        bytes += "\",".utf8
    }

    /// The part of an entry that its row holds.
    func rest(of entry: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let count = bytes.count
        guard entry.count > count, entry[count] == UInt8(ascii: "\""), let start = entry.baseAddress,
            bytes.withUnsafeBufferPointer({ $0.baseAddress.map { memcmp($0, start, count) == 0 } ?? false })
        else { return entry }
        return UnsafeBufferPointer(rebasing: entry[count...])
    }

    /// Completes the members with what the row holds, which makes `bytes` the entry.
    mutating func complete(with rest: UnsafeBufferPointer<UInt8>) {
        if rest.first == UInt8(ascii: "{") { bytes.removeAll(keepingCapacity: true) }
        bytes += rest
    }
}

extension EntryHead {
    /// Writes a stored record's entry from its columns, which are key, mark, vector and entry from `column` on.
    mutating func read(_ row: Statement, at column: Int) throws {
        guard let key = StoredKey(row: row, at: column) else { throw WireError.damagedLog() }
        write(key: key, mark: row.text(at: column + 1), vector: row.optionalString(at: column + 2))
        complete(with: row.blob(at: column + 3))
    }

    /// The columns that `read` expects.
    static let columns = "key, mark, vector, entry"
    /// Whether a row holds its entry whole, as an expression.
    static let isWhole = "substr(entry, 1, 1) = x'7b'"
}
