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
    private let flushFolder: FolderFlush

    private var temporary: String { Self.temporary(name: name) }
    private static func temporary(name: String) -> String { POSIXFileSystem.temporaryPrefix + name }

    /// Starts the file `name` in an open folder, which is closed with the draft. If this throws, the folder stays
    /// open.
    init(folder: Int32, name: String, path: String, flushFolder: FolderFlush) throws {
        (self.folder, self.name, self.path, self.flushFolder) = (folder, name, path, flushFolder)
        let temporary = Self.temporary(name: name)
        // Removes the remains of an interrupted write; nobody else writes under this name.
        _ = unlinkat(folder, temporary, 0)
        file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw StorageError(errorNumberAt: path) }
    }

    func write(_ bytes: [UInt8]) throws {
        let number = DescriptorIO.write(file, bytes: bytes)
        guard number == 0 else { throw StorageError(number: number, at: path) }
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
        try flushFolder(folder, path: path)
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

    /// Flushes a file's bytes to the disk.
    private static func flush(_ handle: Int32, path: String) throws {
        let number = DescriptorIO.flush(handle)
        guard [0, EINVAL, ENOTSUP, ENOSYS].contains(number) else {
            throw StorageError(number: number, at: path)
        }
    }
}

/// Flushes the names in a folder to the disk, where its file system can.
///
/// NB: some file systems flush files and refuse it for folders, each with an error of its own: EINVAL, EBADF (virtiofs),
/// EACCES (DrvFs), EIO (FUSE). A name that is lost in a power cut is published again, so this is no reason not to sync.
struct FolderFlush: Sendable {
    /// Whether the file system refused it.
    let wasRefused = Guarded(false)
    /// Flushes an open folder. Returns 0, or the system's error.
    let flushed: @Sendable (Int32) -> Int32

    private static let refusals = [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, EBADF, EIO, EACCES, EPERM, EISDIR]

    func callAsFunction(_ folder: Int32, path: String) throws {
        let number = flushed(folder)
        if number == 0 { return }
        guard Self.refusals.contains(number) else { throw StorageError(number: number, at: path) }
        wasRefused.use { $0 = true }
    }
}

extension StorageError {
    /// The error for the value of `errno` after a system call.
    init(errorNumberAt path: String) {
        self.init(number: errno, at: path)
    }

    /// The error for a number of the system.
    init(number: Int32, at path: String) {
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
