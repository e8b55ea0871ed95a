import EntitySync

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What is at a path.
enum PathKind {
    case nothing
    case folder
    /// A file, or a device or pipe.
    case file

    /// Looks at a path, through links.
    ///
    /// - Throws: `SyncError`: `notPermitted` if a folder on the way may not be entered, so that nobody knows.
    init(_ path: String) throws {
        var status = stat()
        if stat(path, &status) == 0 {
            self = status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
            return
        }
        let number = errno
        guard [ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP].contains(number) else {
            throw SyncError.cannotRead(path: path, number: number)
        }
        self = .nothing
    }
}

/// The folder that a new file shall lie in.
enum FolderOfFile {
    /// Checks that a new file can be made at a path, before anything else is done.
    ///
    /// - Throws: `SyncError` that names the file: there is no such folder, or it may not be written.
    static func check(_ path: String) throws {
        let end = path.lastIndex(of: "/").map(path.index(after:))
        let folder = end.map { String(path[..<$0]) } ?? "."
        // NB: the slash at the end makes a file in the folder's place an error, too.
        guard access(folder, W_OK | X_OK) != 0 else { return }
        let number = errno
        throw SyncError.cannotWrite(path: path, number: number)
    }
}
