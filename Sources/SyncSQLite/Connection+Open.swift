import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Connection {
    /// The access mode of a connection.
    package enum Flags: Sendable, CaseIterable {
        /// Reads only. The file is not changed, even if a crashed process left a transaction to roll back.
        case readOnly
        /// Reads and writes an existing file.
        case readWrite
        /// Reads and writes. Creates an empty file if it is missing.
        case readWriteCreate
    }

    /// Opens the database at `path` and reads its header, so that any other file is refused here.
    ///
    /// An existing file is not changed. A file of length 0 is an empty database. Open a file that may belong
    /// to another program `.readOnly` first: closing the last writing connection checkpoints the WAL that it
    /// found.
    ///
    /// - Parameters:
    ///   - path: Taken literally: `file:x?mode=memory` and `:memory:` are plain file names.
    ///   - busyTimeoutMilliseconds: How long a statement waits for another connection's lock. Then it throws
    ///     an error with `isBusy`.
    ///   - medium: The medium that holds the file; nil for the system's disk.
    /// - Throws: `cantOpen` for a missing file, a folder or a device; `isNotADatabase` for other content;
    ///   `isCorrupt` for a truncated database; `isReadOnly` if writing is not permitted; `isBusy`;
    ///   `isIOError`.
    package static func open(
        path: String,
        flags: Flags,
        busyTimeoutMilliseconds: Int32 = 5000,
        medium: (any DatabaseMedium)? = nil
    ) throws(SQLiteError) -> Connection {
        if path.isEmpty { throw .misuse(message: "the path is empty", operation: "open") }
        if path.utf8.contains(0) { throw .misuse(message: "the path contains NUL", operation: "open") }
        if let medium {
            try refuseWhatIsNoFile(at: path, medium: medium)
        } else {
            try refuseWhatIsNoFile(at: path)
        }
        // A leading folder keeps SQLite from taking the name for a URI, which some systems enable globally,
        // or for a special name.
        let literal = path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        return try open(
            name: literal,
            flags: flags,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds,
            vfs: medium?.vfsName
        )
    }

    /// Opens an empty database that lives in memory until the connection closes.
    package static func inMemory() throws(SQLiteError) -> Connection {
        try open(name: ":memory:", flags: .readWriteCreate, busyTimeoutMilliseconds: 0, vfs: nil)
    }

    /// Opens an empty database that is deleted when the connection closes. It is held in the page cache, and
    /// in an unnamed file if it grows larger.
    package static func temporary() throws(SQLiteError) -> Connection {
        try open(name: "", flags: .readWriteCreate, busyTimeoutMilliseconds: 0, vfs: nil)
    }

    private static func open(
        name: String,
        flags: Flags,
        busyTimeoutMilliseconds: Int32,
        vfs: String?
    ) throws(SQLiteError) -> Connection {
        try refuseUnfitLibrary()
        var database: OpaquePointer?
        let resultCode = sqlite3_open_v2(name, &database, flags.openFlags | SQLITE_OPEN_NOMUTEX, vfs)
        guard resultCode == SQLITE_OK, let database else {
            let failure = SQLiteError(resultCode: resultCode, on: database, operation: "open")
            sqlite3_close_v2(database)
            throw failure
        }
        sqlite3_extended_result_codes(database, 1)
        // NB: SQLite's own handler asks less and less often: who waits beside two busy writers would never have a turn.
        sqlite3_busy_handler(
            database,
            { limit, count in
                guard Int(count) * 2 < Int(bitPattern: limit) else { return 0 }
                sqlite3_sleep(2)
                return 1
            },
            UnsafeMutableRawPointer(bitPattern: Int(busyTimeoutMilliseconds))
        )
        // From here the connection closes itself, even if a check below throws.
        let connection = Connection(database: database, isReadOnly: flags == .readOnly)
        try connection.checkHeader()
        // SQLite falls back to read-only access if it may not write, and reports that only at the first write.
        if flags != .readOnly, sqlite3_db_readonly(database, "main") == 1 {
            throw SQLiteError(
                extendedCode: SQLITE_READONLY,
                message: "the file may not be written",
                operation: "open"
            )
        }
        return connection
    }

    /// SQLite opens files lazily; reading the schema version makes it check the header.
    private func checkHeader() throws(SQLiteError) {
        do {
            try execute("PRAGMA schema_version")
        } catch {
            throw SQLiteError(
                extendedCode: error.extendedCode,
                message: error.message,
                operation: "open",
                systemErrorNumber: error.systemErrorNumber
            )
        }
    }

    /// Accepts a missing file, and a regular file unless it has a single byte. SQLite would take a device for
    /// an empty database, and would block on a pipe.
    ///
    /// NB: the file is not opened for this check. Closing a second descriptor would drop the locks that
    /// another connection of this process holds on the file (sqlite.org/howtocorrupt.html, section 2.2).
    private static func refuseWhatIsNoFile(at path: String) throws(SQLiteError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: try refuseSingleByte(Int(status.st_size))
        case S_IFDIR: throw folderInstead
        default:
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN,
                message: "the path is not a regular file",
                operation: "open",
                systemErrorNumber: EINVAL
            )
        }
    }

    /// The same check on a medium. If the medium fails, SQLite reports the error later.
    private static func refuseWhatIsNoFile(
        at path: String,
        medium: any DatabaseMedium
    ) throws(SQLiteError) {
        let entry: MediumEntry?
        do { entry = try medium.entry(path: path) } catch { return }
        switch entry {
        case nil: return
        case .file(let bytes, _, _): try refuseSingleByte(bytes)
        case .folder: throw folderInstead
        }
    }

    /// SQLite takes a file of one byte for an empty database and would overwrite it (`unixFileSize`).
    private static func refuseSingleByte(_ bytes: Int) throws(SQLiteError) {
        guard bytes == 1 else { return }
        let message = "file is not a database"
        throw SQLiteError(extendedCode: SQLITE_NOTADB, message: message, operation: "open")
    }

    private static var folderInstead: SQLiteError {
        SQLiteError(
            // SQLITE_CANTOPEN_ISDIR, a macro that Swift does not import.
            extendedCode: SQLITE_CANTOPEN | (2 << 8),
            message: "the path is a folder",
            operation: "open",
            systemErrorNumber: EISDIR
        )
    }

    /// `STRICT` tables require 3.37, and a pool of readers requires a thread-safe library.
    private static func refuseUnfitLibrary() throws(SQLiteError) {
        if sqlite3_libversion_number() < 3_037_000 {
            throw .misuse(message: "the system's SQLite is older than 3.37", operation: "open")
        }
        if sqlite3_threadsafe() == 0 {
            throw .misuse(message: "the system's SQLite was built without thread safety", operation: "open")
        }
    }
}

extension Connection.Flags {
    fileprivate var openFlags: Int32 {
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
    }
}
