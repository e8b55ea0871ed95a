#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Compiled statements by their text, the least recently used leaving first.
struct StatementCache {
    /// The most statements kept. A store has about ten per entity type; each costs a few KB.
    static let limit = 256

    private var entries: [Text: Entry] = [:]
    private var uses: UInt64 = 0

    /// The statement of this text with no value bound, unless there is none or it is in use.
    mutating func idleStatement(for sql: String) -> Statement? {
        guard let index = entries.index(forKey: Text(sql: sql)) else { return nil }
        let statement = entries.values[index].statement
        guard statement.isIdle else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        statement.clearBindings()
        return statement
    }

    /// Keeps `statement` unless its text is kept already. A statement that leaves lives on with whoever holds
    /// it.
    mutating func insert(_ statement: Statement) {
        let text = Text(sql: statement.sql)
        if entries[text] != nil { return }
        if entries.count >= Self.limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries[oldest.key] = nil
        }
        uses += 1
        entries[text] = Entry(statement: statement, lastUse: uses)
    }

    mutating func removeAll() {
        entries = [:]
    }

    private struct Entry {
        let statement: Statement
        var lastUse: UInt64
    }

    /// SQL compared as UTF-8 bytes. Swift's `==` would take two column names that differ in Unicode form for
    /// one.
    private struct Text: Hashable {
        let sql: String

        static func == (left: Text, right: Text) -> Bool {
            var (left, right) = (left.sql, right.sql)
            return left.withUTF8 { left in
                right.withUTF8 { right in
                    guard left.count == right.count else { return false }
                    guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else {
                        return true
                    }
                    return memcmp(leftBase, rightBase, left.count) == 0
                }
            }
        }

        func hash(into hasher: inout Hasher) {
            var sql = sql
            sql.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

/// The statements of one connection that are not finalised, so that closing it leaves none behind.
///
/// Shared by the connection and its statements, neither of which keeps the other alive.
final class LiveStatements {
    private var statements: [OpaquePointer: Unmanaged<Statement>] = [:]

    func insert(_ statement: Statement, pointer: OpaquePointer) {
        statements[pointer] = .passUnretained(statement)
    }

    func remove(_ pointer: OpaquePointer) {
        statements[pointer] = nil
    }

    /// The texts that were compiled, in no order.
    var texts: [String] { statements.values.map { $0.takeUnretainedValue().sql } }

    func resetAll() {
        for statement in Array(statements.values) { statement.takeUnretainedValue().reset() }
    }

    func finalizeAll() {
        for statement in Array(statements.values) { statement.takeUnretainedValue().finalize() }
    }
}
