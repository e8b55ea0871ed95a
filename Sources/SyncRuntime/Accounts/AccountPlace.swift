public import SyncCore

/// Whose store lies in a folder of a device, as the index of accounts says.
public struct AccountPlace: Sendable, Hashable {
    /// Whose store it is.
    public var account: AccountID
    /// Whether it is the account in use.
    public var isInUse: Bool
}

extension AccountStorage {
    /// Looks a folder up without a lock, and finishes or undoes nothing: for one who only looks. Nil when there is no
    /// index, or none that names the folder. Throws `SyncError` when the index cannot be read.
    public func account(in folder: String) throws -> AccountPlace? {
        guard let index = try readIndex().map({ try AccountIndex($0) }) else { return nil }
        return index.entries.first { $0.folder == folder }.map {
            AccountPlace(account: $0.id, isInUse: index.active == folder)
        }
    }
}
