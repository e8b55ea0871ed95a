import Foundation
import SyncCore
import SyncFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files and folders that are on the disk when a call returns.
enum DurableFiles {
    /// Whether anything exists at the path.
    static func exists(path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether anything exists at the path. Throws `SyncError` `notPermitted` if this user may not know.
    static func isPresent(path: String) throws -> Bool {
        if exists(path: path) { return true }
        let isDenied = [EACCES, EPERM].contains(errno)
        if isDenied { throw SyncError.notPermitted(what: "Reading '\(name(of: path))'") }
        return false
    }

    /// What can be at a path.
    enum Kind {
        case nothing, file, folder
        /// A link, or a special file.
        case other
    }

    /// What is at the path itself; links are not followed. Throws `SyncError` `notPermitted` if this user may not know.
    static func kind(of path: String) throws -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let isDenied = [EACCES, EPERM].contains(errno)
            if isDenied { throw SyncError.notPermitted(what: "Reading '\(name(of: path))'") }
            return .nothing
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// Makes the missing folders above a path, for their owner only. Returns them, the innermost last. If it throws, it
    /// leaves none.
    static func makeParents(of path: String) throws -> [String] {
        let parent = folder(of: path)
        guard parent != path, try !isPresent(path: parent) else { return [] }
        let made = try makeParents(of: parent)
        do {
            try makeFolder(path: parent)
            try flush(path: folder(of: parent))
        } catch {
            removeEmpty(folders: made + [parent])
            throw error
        }
        return made + [parent]
    }

    /// Removes those of the folders that are empty, the last first.
    static func removeEmpty(folders: [String]) { for folder in folders.reversed() { rmdir(folder) } }

    /// Makes a folder for its owner only.
    static func makeFolder(path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw failure("making '\(name(of: path))'")
        }
    }

    /// Moves a file or a folder. What is at the new path must be a file or an empty folder, and is replaced. If it
    /// throws, it may have been moved.
    static func move(path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw failure("moving '\(name(of: path))'") }
        try flush(path: folder(of: other))
        if folder(of: path) != folder(of: other) { try flush(path: folder(of: path)) }
    }

    /// Removes a file, or a folder with its content, if it exists.
    static func remove(path: String) throws {
        guard try isPresent(path: path) else { return }
        do { try FileManager.default.removeItem(atPath: path) } catch {
            throw failure("removing '\(name(of: path))'")
        }
        try flush(path: folder(of: path))
    }

    /// Removes a database and the files beside it.
    static func removeDatabase(path: String) throws {
        // NB: the log files go last. Without them the database would be an older state of itself.
        for suffix in ["", "-wal", "-shm", "-journal"] { try remove(path: path + suffix) }
    }

    /// Writes a new file.
    static func write(_ bytes: [UInt8], to path: String) throws {
        FilePermissions.makeFile(path)
        guard let file = FileHandle(forWritingAtPath: path) else { throw failure("writing a file") }
        do {
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(bytes))
            try file.close()
        } catch {
            throw failure("writing a file")
        }
        try flush(path: path)
    }

    /// Waits until the disk has the content of a file, or the names in a folder.
    static func flush(path: String) throws {
        let number = DescriptorIO.flush(path: path)
        guard number == 0 else { throw failure("writing '\(name(of: path))'", number: number) }
    }

    /// The size of a file in bytes; nil if there is none.
    static func size(path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue
    }

    /// The SHA-256 digest of a file in hexadecimal digits. Throws `SyncError` if it cannot be read.
    static func digest(path: String) throws -> String {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw failure("opening '\(name(of: path))'")
        }
        defer { try? file.close() }
        do {
            return try SHA256.digest { Array(try file.read(upToCount: 1 << 20) ?? Data()) }.hexadecimal
        } catch {
            throw failure("reading '\(name(of: path))'")
        }
    }

    /// The names in a folder; empty if there is none, or it may not be read.
    static func names(in folder: String) -> [String] { (contents(of: folder) ?? []).sorted() }

    /// The names in a folder in any order; nil if there is none, or it may not be read.
    static func contents(of folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private static func name(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    private static func failure(_ action: String, number: Int32 = errno) -> SyncError {
        if [EACCES, EPERM, EROFS].contains(number) { return .notPermitted(what: "Writing in the folder") }
        return .maintenanceFailed(detail: "\(action) failed (\(String(cString: strerror(number))))")
    }
}
