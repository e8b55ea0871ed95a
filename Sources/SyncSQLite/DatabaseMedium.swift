/// A place for database files other than the system's disk: an SQLite VFS, and the file operations that this
/// package needs beyond SQLite.
///
/// Paths are absolute. A nil medium means the system's disk.
package protocol DatabaseMedium: AnyObject, Sendable {
    /// The VFS name of the medium (`sqlite3_vfs_register`).
    var vfsName: String { get }
    /// The entry at a path; nil if there is none.
    func entry(path: String) throws(MediumError) -> MediumEntry?
    /// The first bytes of a regular file; fewer if it is shorter.
    func beginning(of path: String, maxBytes: Int) throws(MediumError) -> [UInt8]
    /// Creates a folder and its missing parents.
    func makeFolders(_ path: String) throws(MediumError)
    /// The names in a folder, sorted.
    func names(in folder: String) throws(MediumError) -> [String]
    /// Locks a file until the lock is closed or the process ends. Creates the file if it is missing. Nil if
    /// somebody else holds the lock.
    func lock(_ path: String) throws(MediumError) -> (any MediumLock)?
}

/// An entry of a medium.
package enum MediumEntry: Sendable, Equatable {
    /// A regular file: its length, and two numbers that identify it.
    case file(bytes: Int, device: UInt64, number: UInt64)
    case folder
}

/// A lock that is held until it is closed.
package protocol MediumLock: Sendable {
    /// Releases the lock. Idempotent.
    func close()
}

/// Thrown by a medium, with the error number of an operating system.
package struct MediumError: Error, Sendable, Equatable {
    /// The error number (`errno`).
    package let number: Int32

    /// Makes an error.
    package init(number: Int32) {
        self.number = number
    }
}
