import SyncCore

/// The account whose store is in a folder of a device, according to the index.
public struct AccountPlace: Sendable, Hashable {
    /// Whose store it is.
    public var account: AccountID
    /// Whether it is the account in use.
    public var isInUse: Bool
}

extension AccountStorage {
    /// Reads the account of a folder without a lock and without recovering anything. Nil if there is no index, or it
    /// does not list the folder. Throws `SyncError` if the index cannot be read.
    public func account(in folder: String) throws -> AccountPlace? {
        guard let index = try readIndex().map({ try AccountIndex($0) }) else { return nil }
        return index.entries.first { $0.folder == folder }.map {
            AccountPlace(account: $0.id, isInUse: index.active == folder)
        }
    }
}
