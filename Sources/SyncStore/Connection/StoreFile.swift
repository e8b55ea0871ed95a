import SyncCore
import SyncSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What is at a store's path, determined before SQLite opens it, so that nothing is ever created next to a foreign
/// file.
enum StoreFile {
    enum Content: Equatable {
        /// No file, or an empty one.
        case nothing
        /// A database without an application id. If it has no tables, it counts as empty.
        case unmarked
        /// A store of this framework.
        case store
    }

    /// The file's identity, whatever its path: two paths may lead to one file.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    /// The path of the file itself, if it is given by a link: what stands beside it, such as the lock, must have one name.
    static func resolved(_ path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let found = realpath(path, nil)
        else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// Inspects the header of the file.
    ///
    /// NB: the caller ensures that no store of this process has the file open. Closing this descriptor would drop the
    /// locks of that store's connections (sqlite.org/howtocorrupt.html, section 2.2).
    /// - Throws: `SyncError` for a folder, a device, other content, another program's database, a newer format.
    static func inspect(_ path: String, medium: (any DatabaseMedium)? = nil) throws -> Content {
        guard let header = try header(path: path, medium: medium) else { return .nothing }
        if header.isEmpty { return .nothing }
        guard header.count == headerBytes, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            if isBeingMade(try self.header(path: path + "-journal", medium: medium)) { return .nothing }
            throw SyncError.damagedStore(detail: "it has no database header")
        }
        let applicationID = Int32(truncatingIfNeeded: number(header: header, at: 68))
        let version = Int32(truncatingIfNeeded: number(header: header, at: 60))
        if applicationID == StoreFormat.applicationID {
            if version > StoreFormat.version {
                throw SyncError.newerStore(found: Int(version), known: Int(StoreFormat.version))
            }
            return .store
        }
        // A store gets its application id before its write-ahead log (2 in bytes 18 and 19). So a file with a log and
        // without the id is foreign.
        guard applicationID == 0, version == 0, header[18] == 1 else { throw SyncError.foreignStore() }
        return .unmarked
    }

    /// Whether the write-ahead log beside a file holds more than its own header.
    static func hasLog(path: String, medium: (any DatabaseMedium)?) throws -> Bool {
        // sqlite.org/fileformat.html, section 4: 32 bytes, then the frames.
        try (header(path: path + "-wal", medium: medium)?.count ?? 0) > 32
    }

    /// The identity of the file at the path; nil when there is none.
    static func identity(path: String, medium: (any DatabaseMedium)? = nil) -> Identity? {
        if let medium {
            guard case .file(_, let device, let number)? = try? medium.entry(path: path) else { return nil }
            return Identity(device: device, number: number)
        }
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            number: UInt64(truncatingIfNeeded: status.st_ino)
        )
    }

    /// Whether a journal resets its database to length 0: the machine failed while the database was created, and its
    /// content is not valid yet. SQLite empties it on opening.
    ///
    /// Found by `everyWriteOfAStoreOutlivesACrashAtAnyStep`: a torn first page made the store "damaged" for ever.
    private static func isBeingMade(_ journal: [UInt8]?) -> Bool {
        // The magic number of a valid journal, and the number of pages of the database (sqlite.org/fileformat.html,
        // section 3).
        let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        guard let journal, journal.count >= 28, journal.starts(with: magic) else { return false }
        return number(header: journal, at: 16) == 0
    }

    private static let headerBytes = 100

    /// The first bytes of a regular file; nil if there is no file.
    private static func header(path: String, medium: (any DatabaseMedium)?) throws -> [UInt8]? {
        if let medium { return try header(path: path, on: medium) }
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure(number: errno)
        }
        // Opening a pipe would wait for its other end for ever.
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            throw SyncError.damagedStore(
                detail: kind == S_IFDIR ? "it is a folder" : "it is not a regular file"
            )
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(number: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: headerBytes)
        let count = pread(descriptor, &bytes, headerBytes, 0)
        guard count >= 0 else { throw failure(number: errno) }
        return Array(bytes[..<count])
    }

    /// The same on a medium.
    private static func header(path: String, on medium: any DatabaseMedium) throws -> [UInt8]? {
        do {
            switch try medium.entry(path: path) {
            case nil: return nil
            case .folder: throw SyncError.damagedStore(detail: "it is a folder")
            case .file: return try medium.beginning(of: path, maxBytes: headerBytes)
            }
        } catch let error as MediumError {
            throw failure(number: error.number)
        }
    }

    private static func failure(number: Int32) -> SyncError {
        if number == EACCES || number == EPERM { return .notPermitted(what: "Reading the store") }
        return .storeFailed(detail: "the system's error \(number)")
    }

    private static func number(header: [UInt8], at offset: Int) -> UInt32 {
        header[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
