package import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The operating system's files.
///
/// Confined to a root, it accesses nothing outside: below the root, each step of a path is opened without following
/// links, so even a link that appears between check and use is rejected. The root itself may be a link.
package struct POSIXFileSystem: FileSystem {
    private let root: String?
    private let flushFolder: FolderFlush

    /// Accesses every path. Links on the way are followed, a link at the end is not.
    package init() {
        root = nil
        flushFolder = FolderFlush(flushed: { DescriptorIO.flush($0) })
    }

    /// Follows no link below `root`. `flushingFolders` flushes an open folder, and returns 0 or the system's error.
    package init(confinedTo root: String, flushingFolders: (@Sendable (Int32) -> Int32)? = nil) {
        self.root = Self.trimmed(path: root)
        flushFolder = FolderFlush(flushed: flushingFolders ?? { DescriptorIO.flush($0) })
    }

    /// The prefix of unfinished atomic writes.
    package static let temporaryPrefix = ".tmp-"

    /// A user's path without trailing slashes.
    package static func trimmed(path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        return path.isEmpty ? "." : path
    }

    /// Whether a folder's names could not be flushed: the file system refuses that.
    package var refusesFlush: Bool { flushFolder.wasRefused.use { $0 } }

    /// What stands at the path, without following a link; nil when nothing does.
    package func kind(path: String) throws -> ObjectKind? {
        do {
            return try at(path: path) { folder, name in
                kind(of: try status(of: name, in: folder, path: path))
            }
        } catch let error as StorageError where error.kind == .notFound { return nil }
    }

    /// The names in a folder, sorted by bytes, without `.` and `..`.
    package func list(path: String) throws -> [String] {
        try inFolder(path: path) { folder in try names(in: folder, path: path) }
    }

    /// The names in a folder with their kinds. Names that vanish meanwhile are left out.
    package func entries(path: String) throws -> [ObjectEntry] {
        try inFolder(path: path) { folder in
            try names(in: folder, path: path).compactMap { name in
                do {
                    let status = try status(of: name, in: folder, path: path)
                    let listed = isInCloudOnly(status) ? CloudPlaceholder.name(of: name) : name
                    return ObjectEntry(name: listed, kind: kind(of: status))
                } catch let error as StorageError {
                    guard error.kind != .notFound else { return nil }
                    return ObjectEntry(name: name, kind: .unreadable(error))
                }
            }
        }
    }

    /// Reads a whole regular file. Rejects a link, and a pipe without waiting for its other end.
    package func read(path: String, maxBytes: Int) throws -> [UInt8] {
        try openFile(path: path) { handle, bytes in
            guard bytes <= maxBytes else { throw StorageError(place: path, kind: .tooLarge) }
            return try readAll(handle: handle, path: path, expected: bytes, maxBytes: maxBytes)
        }
    }

    /// Reads a part of a regular file, with the same checks.
    package func read(path: String, from offset: Int, count: Int) throws -> [UInt8] {
        try openFile(path: path) { handle, size in
            guard lseek(handle, off_t(offset), SEEK_SET) >= 0 else { throw StorageError(errorNumberAt: path) }
            var bytes: [UInt8] = []
            while bytes.count < count {
                // One byte more than the file has, so that its end is detected without a larger buffer.
                let left = max(size - offset - bytes.count, 0) + 1
                let room = min(count - bytes.count, left)
                let chunk = try readChunk(handle: handle, path: path, room: room)
                if chunk.isEmpty { break }
                if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            }
            return bytes
        }
    }

    /// Creates a folder and flushes its name to the disk.
    package func makeFolder(_ path: String) throws {
        try at(path: path) { folder, name in
            guard mkdirat(folder, name, 0o777) == 0 || errno == EEXIST else {
                throw StorageError(errorNumberAt: path)
            }
            try flushFolder(folder, path: path)
        }
    }

    /// Starts a draft under `.tmp-` and the name.
    package func draft(path: String) throws -> any FileDraft {
        let (folder, name) = try openParent(path: path)
        do {
            return try POSIXDraft(folder: folder, name: name, path: path, flushFolder: flushFolder)
        } catch {
            _ = close(folder)
            throw error
        }
    }

    /// Removes a file, or a link itself.
    package func remove(_ path: String) throws {
        try at(path: path) { folder, name in
            guard unlinkat(folder, name, 0) == 0 || errno == ENOENT else {
                throw StorageError(errorNumberAt: path)
            }
        }
    }
}

extension POSIXFileSystem {
    /// Calls `body` with the open parent folder of the path, and the last component.
    private func at<Value>(path: String, body: (Int32, String) throws -> Value) throws -> Value {
        let (folder, name) = try openParent(path: path)
        defer { _ = close(folder) }
        return try body(folder, name)
    }

    /// Opens the parent folder of the path.
    private func openParent(path: String) throws -> (folder: Int32, name: String) {
        let (base, steps) = split(path: path)
        guard let name = steps.last, steps.allSatisfy({ $0 != ".." && !$0.utf8.contains(0) }) else {
            throw StorageError(place: path, kind: .notFound)
        }
        var folder = try open(path: path, folder: AT_FDCWD, name: base, flags: O_RDONLY | O_DIRECTORY)
        for step in steps.dropLast() {
            let parent = folder
            defer { _ = close(parent) }
            folder = try open(
                path: path,
                folder: parent,
                name: step,
                flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            )
        }
        return (folder, name)
    }

    /// Calls `body` with an open folder.
    private func inFolder<Value>(path: String, body: (Int32) throws -> Value) throws -> Value {
        try at(path: path) { parent, name in
            let folder = try open(
                path: path,
                folder: parent,
                name: name,
                flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            )
            defer { _ = close(folder) }
            return try body(folder)
        }
    }

    /// The names in an open folder, sorted by bytes, without `.` and `..`.
    private func names(in folder: Int32, path: String) throws -> [String] {
        // A directory stream closes its descriptor, so it gets its own.
        let handle = try open(path: path, folder: folder, name: ".", flags: O_RDONLY | O_DIRECTORY)
        guard let stream = fdopendir(handle) else {
            defer { _ = close(handle) }
            throw StorageError(errorNumberAt: path)
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
        if errno != 0 { throw StorageError(errorNumberAt: path) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func status(of name: String, in folder: Int32, path: String) throws -> stat {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw StorageError(errorNumberAt: path)
        }
        return status
    }

    /// Whether a file's data is not on this disk, so that a read would wait for its download.
    private func isInCloudOnly(_ status: stat) -> Bool {
        #if canImport(Darwin)
            status.st_mode & S_IFMT == S_IFREG && status.st_flags & UInt32(SF_DATALESS) != 0
        #else
            false
        #endif
    }

    private func kind(of status: stat) -> ObjectKind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .object(bytes: Int(status.st_size))
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
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
            guard errno == EINTR else { throw StorageError(errorNumberAt: path) }
        }
    }

    /// Opens a regular file, and calls `body` with it and its size in bytes.
    private func openFile<Value>(path: String, body: (Int32, Int) throws -> Value) throws -> Value {
        try at(path: path) { folder, name in
            // NB: without O_NONBLOCK, opening a pipe would wait for a writer.
            let handle = try open(
                path: path,
                folder: folder,
                name: name,
                flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK
            )
            defer { _ = close(handle) }
            var status = stat()
            guard fstat(handle, &status) == 0 else { throw StorageError(errorNumberAt: path) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw StorageError(place: path, kind: .notAnObject)
            }
            return try body(handle, Int(status.st_size))
        }
    }

    /// Reads at most `room` bytes; empty at the end.
    private func readChunk(handle: Int32, path: String, room: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let number = DescriptorIO.read(handle, into: &bytes, count: room)
        guard number == 0 else { throw StorageError(number: number, at: path) }
        return bytes
    }

    private func readAll(handle: Int32, path: String, expected: Int, maxBytes: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var isAtEnd = false
        // One byte more than expected, so that the end of an unchanged file is detected at once.
        var room = expected + 1
        while !isAtEnd {
            let start = bytes.count
            guard start <= maxBytes else { throw StorageError(place: path, kind: .tooLarge) }
            let chunk = try readChunk(handle: handle, path: path, room: room)
            isAtEnd = chunk.isEmpty
            if start == 0 { bytes = chunk } else { bytes += chunk }
            room = max(expected + 1 - bytes.count, 1 << 16)
        }
        return bytes
    }
}
