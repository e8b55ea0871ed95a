#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Compiled statements by their SQL, with least-recently-used eviction.
struct StatementCache {
    /// The most cached statements. A store has about ten per entity; each takes a few KB.
    static let limit = 256

    private var entries: [Text: Entry] = [:]
    private var uses: UInt64 = 0

    /// The cached statement for this SQL, reset; nil if there is none or it is in use.
    mutating func idleStatement(for sql: String) -> Statement? {
        guard let index = entries.index(forKey: Text(sql: sql)) else { return nil }
        let statement = entries.values[index].statement
        guard statement.isIdle else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        statement.clearBindings()
        return statement
    }

    /// Caches `statement` unless its SQL is cached already. An evicted statement stays valid for its owners.
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

    /// SQL compared as UTF-8 bytes. Swift's `==` would treat column names in different Unicode forms as equal.
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

/// The statements of one connection that are not finalised, so that closing finalises all of them.
///
/// Shared by the connection and its statements. Neither keeps the other alive.
final class LiveStatements {
    private var statements: [OpaquePointer: Unmanaged<Statement>] = [:]

    func insert(_ statement: Statement, pointer: OpaquePointer) {
        statements[pointer] = .passUnretained(statement)
    }

    func remove(_ pointer: OpaquePointer) {
        statements[pointer] = nil
    }

    /// The SQL of all statements, in no particular order.
    var texts: [String] { statements.values.map { $0.takeUnretainedValue().sql } }

    func finalizeAll() {
        for statement in Array(statements.values) { statement.takeUnretainedValue().finalize() }
    }
}
