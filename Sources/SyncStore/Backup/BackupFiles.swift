import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Moves of database files that a crash cannot tear.
enum BackupFiles {
    /// Puts a finished file in the place of another one, and waits until the disk has it.
    static func replace(path: String, by finished: String) throws {
        try flush(path: finished)
        guard rename(finished, path) == 0 else { throw failure("moving the file") }
        try flush(path: folder(of: path))
    }

    /// Gives a file a second name, which replaces an older file of that name.
    static func keep(path: String, as other: String) throws {
        unlink(other)
        guard link(path, other) == 0 else { throw failure("keeping the former file") }
    }

    /// Removes a database and the files beside it, as far as they exist.
    static func remove(path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    static func exists(path: String) -> Bool { access(path, F_OK) == 0 }

    private static func flush(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("opening the file") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("writing the file") }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ action: String) -> SyncError {
        let number = errno
        if [EACCES, EPERM, EROFS].contains(number) { return .notPermitted(what: "Writing the backup") }
        return .storeFailed(detail: "\(action) failed, the system's error \(number)")
    }
}
