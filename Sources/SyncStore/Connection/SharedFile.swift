package import SyncCore
import SyncSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The file of an open store, which another reader of this process has open, too. While it does, no store inspects the
/// file with a descriptor of its own, which would drop the reader's locks, and no backup replaces it.
final class SharedFile: SharedStoreFile {
    let path: String
    private let hold: OpenFiles.Hold

    init(path: String, hold: OpenFiles.Hold) {
        self.path = path
        self.hold = hold
    }

    deinit { release() }

    func release() { hold.release() }
}

extension SQLiteStore {
    /// The store's file, whose write-ahead log is there and not empty: some readers write to the file otherwise, to
    /// make one. Waits for a running write.
    package func sharedFile() throws -> any SharedStoreFile {
        guard isOnSystemMedium else { throw SyncError.storeWithoutSQL() }
        return try maintain { session in
            if session.connection.isClosed { throw SyncError.storeClosed() }
            if session.connection.isInTransaction {
                throw SyncError.storeMisuse(sentence: "The store's file was shared inside a write.")
            }
            if Self.size(path: path + "-wal") == 0 {
                // The number that is there: a commit that changes nothing.
                try session.connection.transaction(kind: .immediate) {
                    try session.connection.setUserVersion(try session.connection.userVersion())
                }
            }
            return SharedFile(path: path, hold: OpenFiles.holdAgain(path: path))
        }
    }

    /// The bytes in a file; 0 if there is none.
    private static func size(path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
