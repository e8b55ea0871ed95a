import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file being written as `.tmp-` and its name. It has two open handles until it is committed or discarded.
struct POSIXDraft: FileDraft {
    /// The open folder that holds the file.
    private let folder: Int32
    /// The open file.
    private let file: Int32
    private let name: String
    private let path: String

    private var temporary: String { Self.temporary(name: name) }
    private static func temporary(name: String) -> String { FolderLayout.temporaryPrefix + name }

    /// Starts the file `name` in an open folder, which is closed with the draft. If this throws, the folder stays
    /// open.
    init(folder: Int32, name: String, path: String) throws {
        (self.folder, self.name, self.path) = (folder, name, path)
        let temporary = Self.temporary(name: name)
        // Removes the remains of an interrupted write; nobody else writes under this name.
        _ = unlinkat(folder, temporary, 0)
        file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw StorageError(errorNumberAt: path) }
    }

    func write(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Self.writeSome(file, bytes: $0[done...]) }
            if count >= 0 { done += count } else if errno != EINTR { throw StorageError(errorNumberAt: path) }
        }
    }

    func commit(replaces: Bool) throws {
        defer { _ = close(folder) }
        do {
            try finish()
            if replaces {
                guard renameat(folder, temporary, folder, name) == 0 else {
                    throw StorageError(errorNumberAt: path)
                }
            } else {
                try moveWithoutReplacing()
            }
        } catch {
            _ = unlinkat(folder, temporary, 0)
            throw error
        }
        try Self.flush(folder, path: path)
    }

    func discard() {
        _ = close(file)
        _ = unlinkat(folder, temporary, 0)
        _ = close(folder)
    }

    /// Flushes and closes the file.
    private func finish() throws {
        do { try Self.flush(file, path: path) } catch {
            _ = close(file)
            throw error
        }
        // NB: a network file system may report only now that it is full.
        guard close(file) == 0 || errno == EINTR else { throw StorageError(errorNumberAt: path) }
    }

    /// Renames after a check, for a file system without hard links (exFAT on a stick). The store's lease ensures that
    /// no second writer comes in between.
    private func moveWithoutReplacing() throws {
        if linkat(folder, temporary, folder, name, 0) == 0 {
            guard unlinkat(folder, temporary, 0) == 0 else { throw StorageError(errorNumberAt: path) }
            return
        }
        guard errno != EEXIST else { throw StorageError(errorNumberAt: path) }
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
            throw StorageError(place: path, kind: .exists, number: EEXIST)
        }
        guard renameat(folder, temporary, folder, name) == 0 else {
            throw StorageError(errorNumberAt: path)
        }
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

    /// Flushes a file's bytes or a folder's names to the disk.
    static func flush(_ handle: Int32, path: String) throws {
        #if canImport(Darwin)
            // On Apple systems, `fsync` alone leaves the bytes in the drive's cache (man 2 fsync).
            if fcntl(handle, F_FULLFSYNC) == 0 { return }
        #endif
        while fsync(handle) != 0 {
            switch errno {
            case EINTR: continue
            // Some network and FUSE file systems cannot flush a folder.
            case EINVAL, ENOTSUP, ENOSYS: return
            default: throw StorageError(errorNumberAt: path)
            }
        }
    }
}

extension StorageError {
    /// The error for the value of `errno` after a system call.
    init(errorNumberAt path: String) {
        let number = errno
        let kind: StorageError.Kind =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS: .notPermitted
            case EEXIST: .exists
            case ELOOP, ENOTDIR, EISDIR, ENXIO: .notAnObject
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            default: .failed
            }
        self.init(place: path, kind: kind, number: number)
    }
}
