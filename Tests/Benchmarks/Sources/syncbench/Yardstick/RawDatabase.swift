import GRDBSQLite

/// SQLite's own interface, set up as the product sets up its writer.
final class RawDatabase {
    let handle: OpaquePointer
    private var statements: [OpaquePointer] = []
    private var isOpen = true

    /// When a commit waits for the disk.
    enum Synchronous: String {
        case normal = "NORMAL"
        case full = "FULL"
    }

    struct Failure: Error {
        var message: String
    }

    /// The page cache of a writer: as large as the product's.
    static let writerCacheKiB = 10 * 1024
    /// The log's pages at which a commit moves it into the file: as many as with the product.
    static let checkpointEveryPages = 4000
    /// The size that the log keeps after that, in MiB: that of the product.
    static let logSizeLimitMiB = 32

    /// Opens a file; with a cache and a log of the same sizes as the product's (`StoreOpening`), and mapped as little.
    init(path: String, synchronous: Synchronous, cacheKiB: Int = writerCacheKiB) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else { throw Failure(message: "cannot open: \(result)") }
        handle = opened
        for pragma in [
            "journal_mode = WAL", "synchronous = \(synchronous.rawValue)", "cache_size = -\(cacheKiB)",
            "temp_store = 2", "wal_autocheckpoint = \(Self.checkpointEveryPages)",
            "journal_size_limit = \(Self.logSizeLimitMiB << 20)", "mmap_size = 0",
        ] { try execute("PRAGMA \(pragma)") }
    }

    deinit { close() }

    /// Closes the file, which moves the log into it.
    func close() {
        guard isOpen else { return }
        isOpen = false
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// A compiled statement, which lives as long as the database is open.
    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement else {
            throw failure()
        }
        statements.append(statement)
        return statement
    }

    /// Runs a statement that gives no row.
    @inline(__always)
    func run(_ statement: OpaquePointer) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else {
            sqlite3_reset(statement)
            throw failure()
        }
        sqlite3_reset(statement)
    }

    /// Moves to the next row; false after the last.
    @inline(__always)
    func step(statement: OpaquePointer) throws -> Bool {
        let result = sqlite3_step(statement)
        if result == SQLITE_ROW { return true }
        sqlite3_reset(statement)
        if result == SQLITE_DONE { return false }
        throw failure()
    }

    /// The first column of the first row.
    func integer(sql: String) throws -> Int {
        let statement = try prepare(sql)
        defer { sqlite3_reset(statement) }
        return try step(statement: statement) ? Int(sqlite3_column_int64(statement, 0)) : 0
    }

    func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
}

/// Tells SQLite to copy what is bound.
let copiedByStatement = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// Binds text; SQLite copies it.
@inline(__always)
func bindText(_ text: String, statement: OpaquePointer, index: Int32) {
    var text = text
    text.withUTF8 { bytes in
        _ = bytes.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), copiedByStatement)
        }
    }
}

/// The text of a column.
@inline(__always)
func columnText(statement: OpaquePointer, column: Int32) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
        start: sqlite3_column_text(statement, column),
        count: Int(sqlite3_column_bytes(statement, column))
    )
}
