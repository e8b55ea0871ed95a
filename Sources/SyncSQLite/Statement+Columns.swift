import CSQLite

/// The five storage classes of SQLite.
package enum ColumnType: Int32, Sendable {
    /// A signed integer of 64 bits.
    case integer = 1
    /// A `Double`.
    case real = 2
    /// UTF-8 text.
    case text = 3
    /// Bytes.
    case blob = 4
    /// No value.
    case null = 5
}

// All functions take the column's number, from 0, and read the current row. A missing column, or a statement
// without a row, reads as NULL. NULL reads as 0 or as empty; `isNull` and the optional variants distinguish it.
extension Statement {
    /// The number of columns in a row; 0 for a statement without results.
    package var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    /// The name of a result column; empty if there is no such column.
    package func columnName(at index: Int) -> String {
        guard let pointer, let name = sqlite3_column_name(pointer, Int32(clamping: index)) else { return "" }
        return String(cString: name)
    }

    /// The storage class of the value. Call it before reading, because reading as another type may convert
    /// the value.
    package func type(at index: Int) -> ColumnType {
        ColumnType(rawValue: sqlite3_column_type(pointer, Int32(clamping: index))) ?? .null
    }

    /// Whether the value is NULL.
    package func isNull(at index: Int) -> Bool {
        sqlite3_column_type(pointer, Int32(clamping: index)) == SQLITE_NULL
    }

    /// The value as an integer.
    package func int64(at index: Int) -> Int64 {
        sqlite3_column_int64(pointer, Int32(clamping: index))
    }

    /// The value as a floating-point number.
    package func double(at index: Int) -> Double {
        sqlite3_column_double(pointer, Int32(clamping: index))
    }

    /// The value as text, keeping NUL and the Unicode form. Invalid UTF-8 becomes U+FFFD; ``text(at:)``
    /// returns the bytes as they are.
    package func string(at index: Int) -> String {
        String(decoding: text(at: index), as: UTF8.self)
    }

    /// The UTF-8 bytes of the value, without a copy. Valid until the next step or reset.
    package func text(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let index = Int32(clamping: index)
        // The order matters: requesting the text may convert the value and so change its length.
        let base = sqlite3_column_text(pointer, index)
        return UnsafeBufferPointer(
            start: base,
            count: base == nil ? 0 : Int(sqlite3_column_bytes(pointer, index))
        )
    }

    /// The bytes of the value, without a copy. Valid until the next step or reset. An empty value has no
    /// address.
    package func blob(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let index = Int32(clamping: index)
        let base = sqlite3_column_blob(pointer, index)
        let count = base == nil ? 0 : Int(sqlite3_column_bytes(pointer, index))
        return UnsafeBufferPointer(start: base?.assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// A copy of the bytes of the value.
    package func bytes(at index: Int) -> [UInt8] {
        Array(blob(at: index))
    }

    /// The value as an integer, nil for NULL.
    package func optionalInt64(at index: Int) -> Int64? { isNull(at: index) ? nil : int64(at: index) }

    /// The value as text, nil for NULL.
    package func optionalString(at index: Int) -> String? { isNull(at: index) ? nil : string(at: index) }

    /// A copy of the bytes of the value, nil for NULL.
    package func optionalBytes(at index: Int) -> [UInt8]? { isNull(at: index) ? nil : bytes(at: index) }
}
