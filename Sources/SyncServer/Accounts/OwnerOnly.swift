#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files and folders that only their owner may use.
enum OwnerOnly {
    /// Makes an empty file where there is none; the logs beside a database get its permissions from SQLite. Where that
    /// fails, opening the database says why.
    ///
    /// NB: only a file that was not there is opened here: closing a descriptor drops the locks that another connection of
    /// this process holds on the file (sqlite.org/howtocorrupt.html, section 2.2).
    static func makeFile(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Takes all permissions of others from a file or folder. One of another owner is left as it is.
    static func restrict(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        let allowed: mode_t = status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600
        if status.st_mode & 0o077 != 0 { _ = chmod(path, status.st_mode & allowed) }
    }
}
