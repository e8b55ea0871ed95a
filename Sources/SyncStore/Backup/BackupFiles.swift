import SyncCore
import SyncFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Moves of files that a crash cannot tear.
package enum BackupFiles {
    /// Puts a finished file in the place of another one, and waits until the disk has it. `what` is the file's name
    /// in an error.
    package static func replace(path: String, by finished: String, what: String = "the backup") throws {
        try flush(path: finished, what: what)
        guard rename(finished, path) == 0 else { throw failure("moving the file", what: what) }
        try flush(path: folder(of: path), what: what)
    }

    /// Throws `usage` if there is a store, open or not, where something else is to be written.
    package static func refuseStore(at path: String) throws {
        // SQLite removes the files beside a store when the last one closes it.
        let beside = ["-wal", "-shm", "-journal", ".lock"].compactMap { suffix in
            path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : nil
        }
        for place in [path] + beside
        where isOpenStore(path: place) || (try? StoreFile.inspect(place)) == .store {
            throw SyncError.exportOverStore()
        }
    }

    /// Whether a store of this process has the file open. Nobody else may open it then.
    package static func isOpenStore(path: String) -> Bool { OpenFiles.isOpen(path: path) }

    /// Gives a file a second name, which nothing must have yet.
    static func keep(path: String, as other: String) throws {
        guard link(path, other) == 0 else { throw failure("keeping the former file") }
    }

    /// Removes a database and the files beside it, as far as they exist.
    static func remove(path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    static func exists(path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether the open file still has its name.
    package static func isNamed(descriptor: Int32, path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }

    /// Waits until the disk has all commits of a store, and writes nothing to it. What is no longer in the log is on the
    /// disk, as SQLite has waited when it moved it.
    static func flushLog(ofStore path: String) throws {
        let number = DescriptorIO.flush(path: path + "-wal")
        guard number == 0 || number == ENOENT else {
            throw failure("waiting for the disk", what: "the store", number: number)
        }
    }

    static func flush(path: String, what: String) throws {
        let number = DescriptorIO.flush(path: path)
        guard number == 0 else { throw failure("writing the file", what: what, number: number) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What `action` fails with.
    static func failure(_ action: String, what: String = "the backup", number: Int32 = errno) -> SyncError {
        if [EACCES, EPERM, EROFS].contains(number) { return .notPermitted(what: "Writing \(what)") }
        return .storeFailed(detail: "\(action) failed, the system's error \(number)")
    }
}
