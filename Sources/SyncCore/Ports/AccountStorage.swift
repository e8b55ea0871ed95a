/// Stores of the accounts of one device: one folder per account, and one index that says which account a
/// folder belongs to.
///
/// The caller makes folder names from hexadecimal digits and hyphens, never from text of a person or a server.
/// Errors are `SyncError`.
package protocol AccountStorage: Sendable {
    /// The bytes of the index; nil when there is none yet.
    func readIndex() throws -> [UInt8]?
    /// Replaces the index atomically: after a crash either the old or the new bytes are there.
    func writeIndex(_ bytes: [UInt8]) throws
    /// Takes the lock that only one process can have at a time, or throws `busy`.
    func lock() throws -> any StoreLease
    /// Whether a folder holds a store.
    func holdsStore(in folder: String) throws -> Bool
    /// Opens the store of a folder. Makes the folder and the store if they are missing.
    func openStore(in folder: String) throws -> any AccountStore
    /// Overwrites the content of a folder and removes it. No error if the folder is gone already, or partly
    /// gone.
    func removeFolder(_ folder: String) throws
}

/// A store that can be closed.
package protocol AccountStore: LocalStore {
    /// Closes the store's files; later calls throw. Idempotent.
    func close()
}
