import SyncSQLite

/// The store files that this process has open. A second store on one of them must not inspect it with its own
/// descriptor: closing that would drop the locks of the first (sqlite.org/howtocorrupt.html, section 2.2).
enum OpenFiles {
    private static let counts = Locked<[StoreFile.Identity: Int]>([:])

    /// Opens a file while no other store of this process does, and notes that it is open.
    static func open(
        path: String,
        medium: (any DatabaseMedium)?,
        open: (_ isKnown: Bool) throws -> Connection
    ) throws -> (Connection, Hold) {
        try counts.withLock { counts in
            let known = StoreFile.identity(path: path, medium: medium).map { counts[$0] != nil } ?? false
            let connection = try open(known)
            guard let identity = StoreFile.identity(path: path, medium: medium) else {
                return (connection, Hold(nil))
            }
            counts[identity, default: 0] += 1
            return (connection, Hold(identity))
        }
    }

    /// Notes that a file which a store of this process has open is open once more.
    static func holdAgain(path: String) -> Hold {
        counts.withLock { counts in
            guard let identity = StoreFile.identity(path: path), counts[identity] != nil else {
                return Hold(nil)
            }
            counts[identity, default: 0] += 1
            return Hold(identity)
        }
    }

    /// Whether a store of this process has a file open.
    static func isOpen(path: String) -> Bool {
        guard let identity = StoreFile.identity(path: path) else { return false }
        return counts.withLock { $0[identity] != nil }
    }

    /// A note that a file is open.
    final class Hold: Sendable {
        private let identity: Locked<StoreFile.Identity?>

        fileprivate init(_ identity: StoreFile.Identity?) {
            self.identity = Locked(identity)
        }

        /// Call this after closing the file's last connection. Idempotent.
        func release() {
            identity.withLock { identity in
                guard let held = identity else { return }
                identity = nil
                counts.withLock { counts in
                    counts[held, default: 1] -= 1
                    if counts[held] == 0 { counts[held] = nil }
                }
            }
        }
    }
}
