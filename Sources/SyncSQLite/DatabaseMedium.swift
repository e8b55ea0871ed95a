/// Where database files lie when that is not the system's own files: a VFS that SQLite knows by name, and the few
/// questions about files that this package asks beside SQLite.
///
/// Paths are absolute. Whoever gets no medium means the system.
package protocol DatabaseMedium: AnyObject, Sendable {
    /// The name under which SQLite knows the medium (`sqlite3_vfs_register`).
    var vfsName: String { get }
    /// What stands at a path; nil when nothing does.
    func entry(path: String) throws(MediumError) -> MediumEntry?
    /// The first bytes of a regular file, fewer where it ends.
    func beginning(of path: String, maxBytes: Int) throws(MediumError) -> [UInt8]
    /// Makes a folder and those above it, as far as they are missing.
    func makeFolders(_ path: String) throws(MediumError)
    /// The names in a folder, sorted.
    func names(in folder: String) throws(MediumError) -> [String]
    /// Locks a file, which is made where it is missing, until the lock is closed or its process ends; nil while
    /// somebody else holds it.
    func lock(_ path: String) throws(MediumError) -> (any MediumLock)?
}

/// What stands at a path of a medium.
package enum MediumEntry: Sendable, Equatable {
    /// A regular file: its length, and two numbers that no other file has at the time.
    case file(bytes: Int, device: UInt64, number: UInt64)
    case folder
}

/// A lock that is held until it is closed.
package protocol MediumLock: Sendable {
    /// Gives the lock back. Idempotent.
    func close()
}

/// A medium refused, with the number that an operating system would give.
package struct MediumError: Error, Sendable, Equatable {
    /// The error number (`errno`).
    package let number: Int32

    /// Makes a failure.
    package init(number: Int32) {
        self.number = number
    }
}
