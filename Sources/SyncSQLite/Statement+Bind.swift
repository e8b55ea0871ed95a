import CSQLite

// All functions take the parameter's number, from 1. They throw `SQLITE_RANGE` for a number that the statement
// does not have, `SQLITE_TOOBIG` for a value over SQLite's limit (1 GB), and a misuse between two rows.
extension Statement {
    /// Binds an `INTEGER`.
    package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(pointer, Int32(clamping: index), value))
    }

    /// Binds an `INTEGER`.
    package func bind(_ value: Int, at index: Int) throws(SQLiteError) {
        try bind(Int64(value), at: index)
    }

    /// Binds a `REAL`. Every bit is kept, but a column declared as `REAL` stores -0.0 as 0.0.
    ///
    /// - Throws: A misuse for NaN, which SQLite would store as NULL.
    package func bind(_ value: Double, at index: Int) throws(SQLiteError) {
        if value.isNaN { throw .misuse(message: "SQLite cannot hold NaN", operation: sql) }
        try check(sqlite3_bind_double(pointer, Int32(clamping: index), value))
    }

    /// Binds `TEXT` byte by byte: NUL and the Unicode form are kept.
    package func bind(_ value: String, at index: Int) throws(SQLiteError) {
        var value = value
        let resultCode = value.withUTF8 { bindText($0, at: index, destructor: copying) }
        try check(resultCode)
    }

    /// Binds `TEXT` from UTF-8 bytes without validation.
    package func bindText(_ utf8: UnsafeBufferPointer<UInt8>, at index: Int) throws(SQLiteError) {
        try check(bindText(utf8, at: index, destructor: copying))
    }

    /// Binds `TEXT` from UTF-8 bytes without copying or validation. The bytes must stay valid until the next
    /// `reset()`. `run()` resets, and so does `step()` when it returns false or throws.
    package func bindTextWithoutCopy(
        _ utf8: UnsafeBufferPointer<UInt8>,
        at index: Int
    ) throws(SQLiteError) {
        borrowsMemory = true
        try check(bindText(utf8, at: index, destructor: nil))
    }

    /// Binds a `BLOB`. An empty one is not NULL.
    package func bind(_ value: [UInt8], at index: Int) throws(SQLiteError) {
        let resultCode = value.withUnsafeBufferPointer { bindBlob($0, at: index, destructor: copying) }
        try check(resultCode)
    }

    /// Binds a `BLOB` from bytes.
    package func bindBlob(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) throws(SQLiteError) {
        try check(bindBlob(bytes, at: index, destructor: copying))
    }

    /// Binds a `BLOB` without copying. The bytes must stay valid until the next `reset()`, as for
    /// ``bindTextWithoutCopy(_:at:)``.
    package func bindBlobWithoutCopy(
        _ bytes: UnsafeBufferPointer<UInt8>,
        at index: Int
    ) throws(SQLiteError) {
        borrowsMemory = true
        try check(bindBlob(bytes, at: index, destructor: nil))
    }

    /// Binds NULL.
    package func bindNull(at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(pointer, Int32(clamping: index)))
    }

    /// Binds an `INTEGER` or NULL.
    package func bind(_ value: Int64?, at index: Int) throws(SQLiteError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    /// Binds `TEXT` or NULL.
    package func bind(_ value: String?, at index: Int) throws(SQLiteError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    /// Binds a `BLOB` or NULL.
    package func bind(_ value: [UInt8]?, at index: Int) throws(SQLiteError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    /// Makes SQLite copy the value during the call: `SQLITE_TRANSIENT`, a macro that Swift does not import.
    private var copying: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private func bindText(
        _ utf8: UnsafeBufferPointer<UInt8>,
        at index: Int,
        destructor: sqlite3_destructor_type?
    ) -> Int32 {
        let index = Int32(clamping: index)
        // An empty buffer may have no address, which SQLite would take for NULL.
        guard let base = utf8.baseAddress, !utf8.isEmpty else {
            return sqlite3_bind_text(pointer, index, "", 0, copying)
        }
        return base.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
            sqlite3_bind_text64(pointer, index, $0, UInt64(utf8.count), destructor, UInt8(SQLITE_UTF8))
        }
    }

    private func bindBlob(
        _ bytes: UnsafeBufferPointer<UInt8>,
        at index: Int,
        destructor: sqlite3_destructor_type?
    ) -> Int32 {
        let index = Int32(clamping: index)
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_zeroblob(pointer, index, 0)
        }
        return sqlite3_bind_blob64(pointer, index, base, UInt64(bytes.count), destructor)
    }

    private func check(_ resultCode: Int32) throws(SQLiteError) {
        isIdle = false
        if resultCode != SQLITE_OK { throw failure(resultCode: resultCode) }
    }
}
