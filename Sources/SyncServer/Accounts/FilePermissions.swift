#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Restricts files and folders to their owner, and tells what this user may not read.
package enum FilePermissions {
    /// Whether this user may not read what is at the path, or may not know whether anything is there.
    package static func isDenied(path: String) -> Bool {
        access(path, R_OK) != 0 && [EACCES, EPERM].contains(errno)
    }

    /// Creates an empty file if it is missing. SQLite gives its journal and WAL files the same permissions. A
    /// failure is ignored here: opening the database reports it.
    ///
    /// NB: an existing file is never opened here. Closing its descriptor would drop the locks that another
    /// connection of this process holds on it (sqlite.org/howtocorrupt.html, section 2.2).
    static func makeFile(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Removes all permissions of group and others. Does nothing if another user owns the path.
    static func restrict(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        let allowed: mode_t = status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600
        if status.st_mode & 0o077 != 0 { _ = chmod(path, status.st_mode & allowed) }
    }
}
