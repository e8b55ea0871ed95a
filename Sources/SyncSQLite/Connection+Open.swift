import CSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Connection {
    /// What a connection may do with its file.
    package enum Flags: Sendable, CaseIterable {
        /// Reads. The file stays as it is, even where a crashed process left a transaction to complete.
        case readOnly
        /// Reads and writes a file that exists.
        case readWrite
        /// Reads and writes; makes an empty file where there is none.
        case readWriteCreate
    }

    /// Opens the database at `path` and reads its header, so that what is no database is refused here.
    ///
    /// Nothing is written to an existing file. A file of length 0 is an empty database. To look at a file
    /// that may belong to someone else, open it `.readOnly` first: closing the last writing connection moves
    /// a write-ahead log that it found into the file.
    ///
    /// - Parameters:
    ///   - path: Taken literally. `file:x?mode=memory` and `:memory:` are plain file names.
    ///   - busyTimeoutMilliseconds: How long a statement waits for another connection's lock before it throws
    ///     an error with `isBusy`.
    ///   - medium: Where the file lies; nil is the system.
    /// - Throws: `cantOpen` for a missing file, a folder or a device; `isNotADatabase` for any other content;
    ///   `isCorrupt` for a database whose end is missing; `isReadOnly` where writing was asked for and is not
    ///   permitted; `isBusy`, `isIOError`.
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
        // A leading folder keeps SQLite from reading the name as a URI (some systems turn that on for
        // everybody) or as one of its special names.
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

    /// Opens an empty database that is gone when the connection closes. SQLite's page cache holds it, and a nameless
    /// file what does not fit in there.
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
        sqlite3_busy_timeout(database, busyTimeoutMilliseconds)
        // From here the connection closes itself, also when a check below throws.
        let connection = Connection(database: database, isReadOnly: flags == .readOnly)
        try connection.checkHeader()
        // SQLite falls back to reading where it may not write, and would tell at the first write only.
        if flags != .readOnly, sqlite3_db_readonly(database, "main") == 1 {
            throw SQLiteError(
                extendedCode: SQLITE_READONLY,
                message: "the file may not be written",
                operation: "open"
            )
        }
        return connection
    }

    /// SQLite opens lazily; reading the schema's number makes it look at the header.
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

    /// Lets a missing file and a regular file pass, unless it holds a single byte. SQLite would take a device
    /// for an empty database and wait forever for a pipe.
    ///
    /// NB: The file is not opened to look inside. Closing a second descriptor drops the locks that another
    /// connection of this process holds on the file (sqlite.org/howtocorrupt.html, section 2.2).
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

    /// The same on a medium. Where it cannot tell, SQLite will meet the same failure.
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

    /// NB: SQLite takes a file of one byte for an empty database and would write over it (`unixFileSize`).
    private static func refuseSingleByte(_ bytes: Int) throws(SQLiteError) {
        guard bytes == 1 else { return }
        let message = "file is not a database"
        throw SQLiteError(extendedCode: SQLITE_NOTADB, message: message, operation: "open")
    }

    private static var folderInstead: SQLiteError {
        SQLiteError(
            // SQLITE_CANTOPEN_ISDIR, whose macro does not reach Swift.
            extendedCode: SQLITE_CANTOPEN | (2 << 8),
            message: "the path is a folder",
            operation: "open",
            systemErrorNumber: EISDIR
        )
    }

    /// `STRICT` tables came with 3.37, and a library built for one thread cannot have a pool of readers.
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
