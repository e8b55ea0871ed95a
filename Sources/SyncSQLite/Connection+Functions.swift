import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Functions and orders of a program, for the SQL of this connection.
extension Connection {
    /// Adds a function of a text and a number, which returns a text. It is null for any other first argument.
    package func addFunction(
        name: String,
        _ body: @escaping @Sendable (_ text: String, _ number: Int64) -> String
    ) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let resultCode = sqlite3_create_function_v2(
            database,
            name,
            2,
            flags,
            Unmanaged.passRetained(TextFunction(body)).toOpaque(),
            { context, _, arguments in
                guard let arguments, let data = sqlite3_user_data(context),
                    sqlite3_value_type(arguments[0]) == SQLITE_TEXT,
                    let bytes = sqlite3_value_text(arguments[0])
                else { return sqlite3_result_null(context) }
                let count = Int(sqlite3_value_bytes(arguments[0]))
                let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
                let function = Unmanaged<TextFunction>.fromOpaque(data).takeUnretainedValue()
                var result = function.body(text, sqlite3_value_int64(arguments[1]))
                result.withUTF8 { utf8 in
                    utf8.withMemoryRebound(to: CChar.self) {
                        let isTransient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                        sqlite3_result_text64(
                            context,
                            $0.baseAddress,
                            UInt64($0.count),
                            isTransient,
                            UInt8(SQLITE_UTF8)
                        )
                    }
                }
            },
            nil,
            nil,
            { data in data.map { Unmanaged<TextFunction>.fromOpaque($0).release() } }
        )
        if resultCode != SQLITE_OK {
            throw SQLiteError(resultCode: resultCode, on: database, operation: name)
        }
    }

    /// Adds an order of texts, as a collating sequence.
    package func addOrder(
        name: String,
        isBefore: @escaping @Sendable (_ left: String, _ right: String) -> Bool
    ) throws(SQLiteError) {
        let order = Unmanaged.passRetained(TextOrder(isBefore))
        let resultCode = sqlite3_create_collation_v2(
            database,
            name,
            SQLITE_UTF8,
            order.toOpaque(),
            { data, leftCount, left, rightCount, right in
                guard let data else { return 0 }
                let order = Unmanaged<TextOrder>.fromOpaque(data).takeUnretainedValue()
                let (left, right) = (text(left, count: leftCount), text(right, count: rightCount))
                if order.isBefore(left, right) { return -1 }
                return order.isBefore(right, left) ? 1 : 0
            },
            { data in data.map { Unmanaged<TextOrder>.fromOpaque($0).release() } }
        )
        guard resultCode != SQLITE_OK else { return }
        // SQLite does not release what it refuses.
        order.release()
        throw SQLiteError(resultCode: resultCode, on: database, operation: name)
    }
}

private func text(_ bytes: UnsafeRawPointer?, count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
}

private final class TextFunction: Sendable {
    let body: @Sendable (String, Int64) -> String

    init(_ body: @escaping @Sendable (String, Int64) -> String) { self.body = body }
}

private final class TextOrder: Sendable {
    let isBefore: @Sendable (String, String) -> Bool

    init(_ isBefore: @escaping @Sendable (String, String) -> Bool) { self.isBefore = isBefore }
}
