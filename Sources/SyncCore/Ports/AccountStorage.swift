/// Where the stores of the accounts of one device lie: one folder per account, and one index that says whose they are.
///
/// Folder names are made by the caller from hexadecimal digits and hyphens, never from what a person or a server wrote.
/// Errors are `SyncError`.
public protocol AccountStorage: Sendable {
    /// The bytes of the index; nil when there is none yet.
    func readIndex() throws -> [UInt8]?
    /// Replaces the index: it is there whole, as it was or as it shall be, whatever happens meanwhile.
    func writeIndex(_ bytes: [UInt8]) throws
    /// Takes the lock that one process at a time can have, or throws `busy`.
    func lock() throws -> any StoreLease
    /// Whether a folder holds a store.
    func holdsStore(in folder: String) throws -> Bool
    /// Opens the store of a folder, and makes both where they are missing.
    func openStore(in folder: String) throws -> any AccountStore
    /// Removes a folder with all that stands in it, its content overwritten first. No error when it is gone already,
    /// or half.
    func removeFolder(_ folder: String) throws
}

/// A store that can be closed.
public protocol AccountStore: LocalStore {
    /// Closes the store's files; later calls throw. Idempotent.
    func close()
}
