import SyncCore
import SyncStore

/// The account storage of a device on a simulated disk, in place of `AccountFiles`.
struct SimulatedAccounts: AccountStorage {
    let disk: SimulatedDisk
    let entities: [EntityDescriptor]
    let random: any RandomSource

    private static let root = "/accounts"

    func readIndex() throws -> [UInt8]? {
        try withStoreErrors {
            guard try disk.kind(path: Self.root + "/index.json") != nil else { return nil }
            return try disk.read(path: Self.root + "/index.json", maxBytes: 1 << 20)
        }
    }

    func writeIndex(_ bytes: [UInt8]) throws {
        try withStoreErrors {
            try disk.writeAtomically(bytes, to: Self.root + "/index.json", replaces: true)
        }
    }

    func lock() throws -> any StoreLease {
        try withStoreErrors { try disk.makeFolder(Self.root) }
        return NoLock()
    }

    func holdsStore(in folder: String) throws -> Bool {
        try withStoreErrors { try disk.kind(path: "\(Self.root)/\(folder)/store.sqlite") != nil }
    }

    func openStore(in folder: String) throws -> any AccountStore {
        try withStoreErrors { try disk.makeFolder("\(Self.root)/\(folder)") }
        return SimulatedStore(
            base: try SQLiteStore.open(
                path: "\(Self.root)/\(folder)/store.sqlite",
                entities: entities,
                random: random,
                busyTimeoutMilliseconds: 0,
                medium: disk
            )
        )
    }

    func removeFolder(_ folder: String) throws {
        try withStoreErrors {
            let folder = "\(Self.root)/\(folder)"
            guard try disk.kind(path: folder) != nil else { return }
            for name in try disk.list(path: folder) { try disk.remove("\(folder)/\(name)") }
        }
    }

    private func withStoreErrors<Result>(body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as StorageError {
            throw SyncError.storeFailed(
                detail: "the files of the accounts, the system's error \(error.number)"
            )
        }
    }

    /// A world is a single process.
    private struct NoLock: StoreLease {
        func close() {}
    }
}

/// A store that an account manager may close.
struct SimulatedStore: AccountStore {
    let base: SQLiteStore

    var entities: [EntityDescriptor] { base.entities }

    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    {
        try base.write(durability, body: body)
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try base.read(body)
    }

    func lease() throws -> any StoreLease { try base.lease() }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        base.changes(notify)
    }

    func close() { base.close() }
}
