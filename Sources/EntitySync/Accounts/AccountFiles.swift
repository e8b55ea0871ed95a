public import SyncCore
import SyncFiles
import SyncRuntime
public import SyncStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension SQLiteStore: AccountStore {}

/// Accounts in a folder of the device: `index.json`, and one folder per account with `store.sqlite` and its companion
/// files.
public struct AccountFiles: AccountStorage {
    private let root: String
    private let entities: [EntityDescriptor]
    private let random: any RandomSource
    private let sleeper: (any SyncSleeper)?
    private let files: POSIXFileSystem

    /// Keeps accounts below `root`, which is made if missing; its parent must exist. Without `sleeper`, observers of
    /// a store do not notice writes of other processes.
    public init(
        root: String,
        entities: [EntityDescriptor],
        random: any RandomSource = SystemRandom(),
        sleeper: (any SyncSleeper)? = nil
    ) {
        self.root = root
        self.entities = entities
        self.random = random
        self.sleeper = sleeper
        files = POSIXFileSystem()
    }

    private static let maxIndexBytes = 1 << 24

    private func path(name: String) -> String { "\(root)/\(name)" }

    /// The bytes of `index.json`.
    public func readIndex() throws -> [UInt8]? {
        try withStoreErrors {
            do {
                return try files.read(path: path(name: "index.json"), maxBytes: Self.maxIndexBytes)
            } catch let error
                as StorageError where error.kind == .notFound
            { return nil }
        }
    }

    /// Replaces `index.json` atomically: writes a temporary file, flushes it, and renames it.
    public func writeIndex(_ bytes: [UInt8]) throws {
        try withStoreErrors {
            try files.writeAtomically(bytes, to: path(name: "index.json"), replaces: true)
        }
    }

    /// Locks `index.lock`. The system releases the lock when the process ends.
    package func lock() throws -> any StoreLease {
        try makeFolder(root)
        return try IndexLock(path: path(name: "index.lock"))
    }

    /// Whether there is a `store.sqlite`.
    public func holdsStore(in folder: String) throws -> Bool {
        try withStoreErrors { try files.kind(path: path(name: "\(folder)/store.sqlite")) != nil }
    }

    /// Opens `store.sqlite`.
    package func openStore(in folder: String) throws -> any AccountStore {
        try makeFolder(path(name: folder))
        return try SQLiteStore.open(
            path: path(name: "\(folder)/store.sqlite"),
            entities: entities,
            random: random,
            sleeper: sleeper
        )
    }

    /// Fills each file with zeros, removes it, and removes the folder.
    ///
    /// NB: a medium that never writes in place, such as flash, keeps the old blocks until it needs them. Only
    /// encryption of the device helps there.
    public func removeFolder(_ folder: String) throws {
        let folder = path(name: folder)
        try withStoreErrors {
            guard try files.kind(path: folder) != nil else { return }
            try removeTree(folder)
        }
    }

    /// Removes a folder and all in it. What its files held is overwritten first.
    private func removeTree(_ folder: String) throws {
        for name in try files.list(path: folder) {
            let path = "\(folder)/\(name)"
            switch try files.kind(path: path) {
            case .folder: try removeTree(path)
            case .object(let bytes):
                // A file system that copies what is written may have no space left, and then removing makes some.
                do { try overwrite(path: path, count: bytes) } catch let error as StorageError
                    where error.number == ENOSPC
                {}
                try files.remove(path)
            default: try files.remove(path)
            }
        }
        guard rmdir(folder) == 0 || errno == ENOENT else {
            throw StorageError(place: folder, kind: .failed, number: errno)
        }
    }

    /// Makes a folder that only this user can access.
    private func makeFolder(_ path: String) throws {
        try withStoreErrors {
            guard try files.kind(path: path) == nil else { return }
            try files.makeFolder(path)
            guard chmod(path, 0o700) == 0 else {
                throw StorageError(place: path, kind: .notPermitted, number: errno)
            }
        }
    }

    private func overwrite(path: String, count: Int) throws {
        let handle = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard handle >= 0 else { throw StorageError(place: path, kind: .failed, number: errno) }
        defer { _ = close(handle) }
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var left = count
        while left > 0 {
            let written = write(handle, zeros, min(left, zeros.count))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw StorageError(place: path, kind: .failed, number: errno) }
            left -= written
        }
        let number = DescriptorIO.flush(handle)
        guard number == 0 else { throw StorageError(place: path, kind: .failed, number: number) }
    }

    private func withStoreErrors<Result>(body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as StorageError {
            if error.kind == .notPermitted {
                throw SyncError.notPermitted(what: "Reading or writing the accounts")
            }
            throw SyncError.storeFailed(
                detail: "the files of the accounts, the system's error \(error.number)"
            )
        }
    }
}

/// The lock on the index.
private final class IndexLock: StoreLease {
    private let handle: Guarded<Int32?>

    init(path: String) throws {
        let handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard handle >= 0 else {
            throw SyncError.storeFailed(detail: "the lock of the accounts, the system's error \(errno)")
        }
        let number = FileLock.take(handle)
        guard number == 0 else {
            release(handle)
            if number == EWOULDBLOCK { throw SyncError.accountsBusy() }
            throw SyncError.storeFailed(detail: "the lock of the accounts, the system's error \(number)")
        }
        self.handle = Guarded(handle)
    }

    deinit { close() }

    func close() {
        handle.use { handle in
            if let open = handle { release(open) }
            handle = nil
        }
    }
}

/// The system's `close`, which the method of that name would hide.
private func release(_ handle: Int32) { _ = close(handle) }
