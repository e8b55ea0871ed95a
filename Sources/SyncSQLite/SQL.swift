/// The two pieces of SQL text that a parameter cannot stand for: names, and literals inside `CREATE`
/// statements.
package enum SQL {
    /// Quotes a name of a table, column or index: `my "odd" name` becomes `"my ""odd"" name"`.
    ///
    /// NB: SQLite reads a quoted name that no table has as a string literal in some places. Where a column
    /// may be missing, qualify it (`"table"."column"`): a qualified name is never read as a string.
    /// - Throws: A misuse where the name is empty or contains NUL, at which SQLite would cut the statement.
    package static func identifier(name: String) throws(SQLiteError) -> String {
        guard !name.isEmpty else { throw .misuse(message: "a name is empty", operation: "quote a name") }
        return try quote(name, with: UInt8(ascii: "\""), operation: "quote a name")
    }

    /// Quotes a text literal for a `CHECK` or `DEFAULT`, where SQLite takes no parameters: `it's` becomes
    /// `'it''s'`.
    ///
    /// Values of records are always bound, never written with this.
    /// - Throws: A misuse where the text contains NUL, at which SQLite would cut the statement.
    package static func literal(text: String) throws(SQLiteError) -> String {
        try quote(text, with: UInt8(ascii: "'"), operation: "quote a literal")
    }

    /// Works on bytes: a quote followed by a combining mark is one `Character`, and not equal to a quote.
    private static func quote(
        _ text: String,
        with editTimestamp: UInt8,
        operation: String
    ) throws(SQLiteError) -> String {
        var bytes: [UInt8] = [editTimestamp]
        bytes.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            if byte == 0 { throw .misuse(message: "the text contains NUL", operation: operation) }
            if byte == editTimestamp { bytes.append(editTimestamp) }
            bytes.append(byte)
        }
        bytes.append(editTimestamp)
        return String(decoding: bytes, as: UTF8.self)
    }
}
