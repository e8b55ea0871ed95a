public import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The operating system's files.
///
/// Confined to a root, it reaches nothing outside of it: below the root every step of a path is opened without
/// following links, so a link that appears between a look and an access is refused, too. The root itself may be a link.
public struct POSIXFileSystem: FileSystem {
    private let root: String?

    /// Reaches every path. Links on the way are followed, a link at the end is not.
    public init() {
        root = nil
    }

    /// Follows no link below `root`.
    public init(confinedTo root: String) {
        self.root = FolderLayout(root: root).root
    }

    /// What stands at the path, without following a link; nil when nothing does.
    public func kind(path: String) throws -> FileKind? {
        do {
            return try at(path: path) { folder, name in
                var status = stat()
                guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                    throw failure(path: path)
                }
                switch status.st_mode & S_IFMT {
                case S_IFREG: return .file(bytes: Int(status.st_size))
                case S_IFDIR: return .folder
                case S_IFLNK: return .link
                default: return .other
                }
            }
        } catch let problem as FileError where problem.kind == .notFound { return nil }
    }

    /// The names in a folder, sorted by bytes, without `.` and `..`.
    public func list(path: String) throws -> [String] {
        try at(path: path) { folder, name in
            let handle = try open(
                path: path,
                folder: folder,
                name: name,
                flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            )
            guard let stream = fdopendir(handle) else {
                defer { _ = close(handle) }
                throw failure(path: path)
            }
            defer { closedir(stream) }
            var names: [String] = []
            while true {
                errno = 0
                guard let entry = readdir(stream) else { break }
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            if errno != 0 { throw failure(path: path) }
            return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// Reads a whole regular file; refuses a link, and a pipe without waiting for its other end.
    public func read(path: String, maxBytes: Int) throws -> [UInt8] {
        try openFile(path: path) { handle, bytes in
            guard bytes <= maxBytes else { throw FileError(path: path, kind: .tooLarge) }
            return try readAll(handle: handle, path: path, expected: bytes, maxBytes: maxBytes)
        }
    }

    /// Reads a part of a regular file, with the same refusals.
    public func read(path: String, from offset: Int, count: Int) throws -> [UInt8] {
        try openFile(path: path) { handle, _ in
            guard lseek(handle, off_t(offset), SEEK_SET) >= 0 else { throw failure(path: path) }
            var bytes: [UInt8] = []
            while bytes.count < count {
                let chunk = try readChunk(handle: handle, path: path, room: count - bytes.count)
                if chunk.isEmpty { break }
                if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            }
            return bytes
        }
    }

    /// Creates a folder and waits until its name is on the disk.
    public func makeFolder(_ path: String) throws {
        try at(path: path) { folder, name in
            guard mkdirat(folder, name, 0o777) == 0 || errno == EEXIST else { throw failure(path: path) }
            try flush(folder, path: path)
        }
    }

    /// Writes `.tmp-` and the name, flushes it, gives it its name, and flushes the folder.
    public func writeAtomically(
        to path: String,
        replaces: Bool,
        body: (FilePieces) throws -> Void
    ) throws {
        try at(path: path) { folder, name in
            let temporary = FolderLayout.temporaryPrefix + name
            do {
                try write(to: temporary, in: folder, path: path, body: body)
                if replaces {
                    guard renameat(folder, temporary, folder, name) == 0 else { throw failure(path: path) }
                } else {
                    try moveWithoutReplacing(temporary, to: name, in: folder, path: path)
                }
            } catch {
                _ = unlinkat(folder, temporary, 0)
                throw error
            }
            try flush(folder, path: path)
        }
    }

    /// Removes a file, or the link itself where a link stands.
    public func remove(_ path: String) throws {
        try at(path: path) { folder, name in
            guard unlinkat(folder, name, 0) == 0 || errno == ENOENT else { throw failure(path: path) }
        }
    }
}

extension POSIXFileSystem {
    /// Calls `body` with the open folder that holds the path's last component, and that component.
    private func at<Value>(path: String, body: (Int32, String) throws -> Value) throws -> Value {
        let (base, steps) = split(path: path)
        guard let name = steps.last, steps.allSatisfy({ $0 != ".." && !$0.utf8.contains(0) }) else {
            throw FileError(path: path, kind: .notFound)
        }
        var folder = try open(path: path, folder: AT_FDCWD, name: base, flags: O_RDONLY | O_DIRECTORY)
        defer { _ = close(folder) }
        for step in steps.dropLast() {
            let next = try open(
                path: path,
                folder: folder,
                name: step,
                flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            )
            _ = close(folder)
            folder = next
        }
        return try body(folder, name)
    }

    /// The part of a path in which links are followed, and the steps below it.
    private func split(path: String) -> (base: String, steps: [String]) {
        if let root, path.utf8.starts(with: "\(root)/".utf8) {
            return (
                root,
                path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/")).map {
                    String(decoding: $0, as: UTF8.self)
                }
            )
        }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", [path]) }
        let name = String(path[path.utf8.index(after: slash)...])
        return (slash == path.utf8.startIndex ? "/" : String(path[..<slash]), name.isEmpty ? [] : [name])
    }

    private func open(path: String, folder: Int32, name: String, flags: Int32) throws -> Int32 {
        while true {
            let handle = openat(folder, name, flags | O_CLOEXEC)
            if handle >= 0 { return handle }
            guard errno == EINTR else { throw failure(path: path) }
        }
    }

    /// Opens a regular file, and calls `body` with it and its size in bytes.
    private func openFile<Value>(path: String, body: (Int32, Int) throws -> Value) throws -> Value {
        try at(path: path) { folder, name in
            // NB: without O_NONBLOCK the opening of a pipe would wait for somebody to write into it.
            let handle = try open(
                path: path,
                folder: folder,
                name: name,
                flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK
            )
            defer { _ = close(handle) }
            var status = stat()
            guard fstat(handle, &status) == 0 else { throw failure(path: path) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(path: path, kind: .notAFile) }
            return try body(handle, Int(status.st_size))
        }
    }

    /// Reads at most `room` bytes; none at the end.
    private func readChunk(handle: Int32, path: String, room: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            while true {
                let got = Self.readSome(handle: handle, buffer: buffer)
                if got >= 0 {
                    count = got
                    return
                }
                guard errno == EINTR else { throw failure(path: path) }
            }
        }
    }

    private func readAll(handle: Int32, path: String, expected: Int, maxBytes: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var isAtEnd = false
        // One byte more than expected, so that the end of a file that did not grow is seen at once.
        var room = expected + 1
        while !isAtEnd {
            let start = bytes.count
            guard start <= maxBytes else { throw FileError(path: path, kind: .tooLarge) }
            let chunk = try readChunk(handle: handle, path: path, room: room)
            isAtEnd = chunk.isEmpty
            if start == 0 { bytes = chunk } else { bytes += chunk }
            room = max(expected + 1 - bytes.count, 1 << 16)
        }
        return bytes
    }

    private static func readSome(handle: Int32, buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        #if canImport(Darwin)
            return Darwin.read(handle, buffer.baseAddress, min(buffer.count, 1 << 30))
        #elseif canImport(Glibc)
            return Glibc.read(handle, buffer.baseAddress, min(buffer.count, 1 << 30))
        #else
            return Musl.read(handle, buffer.baseAddress, min(buffer.count, 1 << 30))
        #endif
    }

    private func write(
        to name: String,
        in folder: Int32,
        path: String,
        body: (FilePieces) throws -> Void
    ) throws {
        // What an earlier, cut-off write left behind is in the way; nobody else writes under this name.
        _ = unlinkat(folder, name, 0)
        let handle = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard handle >= 0 else { throw failure(path: path) }
        do {
            try body(
                FilePieces { bytes in
                    var done = 0
                    while done < bytes.count {
                        let count = bytes.withUnsafeBytes { Self.writeSome(handle, bytes: $0[done...]) }
                        if count >= 0 { done += count } else if errno != EINTR { throw failure(path: path) }
                    }
                }
            )
            try flush(handle, path: path)
        } catch {
            _ = close(handle)
            throw error
        }
        // NB: a network file system may tell only now that it has no space.
        guard close(handle) == 0 || errno == EINTR else { throw failure(path: path) }
    }

    private static func writeSome(_ handle: Int32, bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        #if canImport(Darwin)
            return Darwin.write(handle, bytes.baseAddress, min(bytes.count, 1 << 30))
        #elseif canImport(Glibc)
            return Glibc.write(handle, bytes.baseAddress, min(bytes.count, 1 << 30))
        #else
            return Musl.write(handle, bytes.baseAddress, min(bytes.count, 1 << 30))
        #endif
    }

    /// A file system without hard links (exFAT on a stick) gets a look and a rename instead; the store's lease sees to
    /// it that no second writer stands between the two.
    private func moveWithoutReplacing(_ from: String, to: String, in folder: Int32, path: String) throws {
        if linkat(folder, from, folder, to, 0) == 0 {
            guard unlinkat(folder, from, 0) == 0 else { throw failure(path: path) }
            return
        }
        guard errno != EEXIST else { throw failure(path: path) }
        var status = stat()
        guard fstatat(folder, to, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
            throw FileError(path: path, kind: .exists, number: EEXIST)
        }
        guard renameat(folder, from, folder, to) == 0 else { throw failure(path: path) }
    }

    /// Waits until the bytes, or a folder's names, are on the disk.
    private func flush(_ handle: Int32, path: String) throws {
        #if canImport(Darwin)
            // NB: fsync alone leaves the bytes in the drive's own cache there (man 2 fsync).
            if fcntl(handle, F_FULLFSYNC) == 0 { return }
        #endif
        while fsync(handle) != 0 {
            switch errno {
            case EINTR: continue
            // Some network and FUSE file systems cannot flush a folder at all.
            case EINVAL, ENOTSUP, ENOSYS: return
            default: throw failure(path: path)
            }
        }
    }

    private func failure(path: String) -> FileError {
        let number = errno
        let kind: FileError.Kind =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .notPermitted
            case EEXIST: .exists
            case ELOOP, ENOTDIR, EISDIR, ENXIO: .notAFile
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            default: .failed
            }
        return FileError(path: path, kind: kind, number: number)
    }
}
