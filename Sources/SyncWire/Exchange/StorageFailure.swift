/// Why a server can store nothing at present. The words are for logs, probes and operators, and for clients: no change
/// is to blame for it.
public enum StorageFailure: String, Sendable, Hashable, CaseIterable {
    /// There is no space left, or a limit of file sizes is reached.
    case full = "disk-full"
    /// The medium or the database accepts no changes.
    case readOnly = "read-only"
    /// The system does not permit it.
    case notPermitted = "not-permitted"
    /// The folder is gone.
    case missing = "folder-missing"
    /// The database cannot be reached.
    case databaseDown = "database-down"
    /// The medium failed otherwise.
    case failed = "failed"
}
