/// Quotes the parts of SQL that cannot be parameters: names, and literals in `CREATE` statements.
package enum SQL {
    /// Quotes the name of a table, column or index: `my "odd" name` becomes `"my ""odd"" name"`.
    ///
    /// NB: in some places SQLite reads a quoted name as a string literal if no column has it. If a column may
    /// be missing, qualify the name (`"table"."column"`), which is never read as a string.
    /// - Throws: A misuse if the name is empty or contains NUL, which would end the statement.
    package static func identifier(name: String) throws(SQLiteError) -> String {
        guard !name.isEmpty else { throw .misuse(message: "a name is empty", operation: "quote a name") }
        return try quote(name, with: UInt8(ascii: "\""), operation: "quote a name")
    }

    /// Quotes a text literal for a `CHECK` or `DEFAULT`, which take no parameters: `it's` becomes `'it''s'`.
    ///
    /// Values of records are always bound, never quoted.
    /// - Throws: A misuse if the text contains NUL, which would end the statement.
    package static func literal(text: String) throws(SQLiteError) -> String {
        try quote(text, with: UInt8(ascii: "'"), operation: "quote a literal")
    }

    /// Works on bytes, because a quote followed by a combining mark is one `Character` that differs from a
    /// quote.
    private static func quote(
        _ text: String,
        with mark: UInt8,
        operation: String
    ) throws(SQLiteError) -> String {
        var bytes: [UInt8] = [mark]
        bytes.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            if byte == 0 { throw .misuse(message: "the text contains NUL", operation: operation) }
            if byte == mark { bytes.append(mark) }
            bytes.append(byte)
        }
        bytes.append(mark)
        return String(decoding: bytes, as: UTF8.self)
    }
}
