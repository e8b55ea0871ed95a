/// What a remote can do. A sync relies only on declared capabilities, and rejects pages that need others.
public struct RemoteCapabilities: OptionSet, Sendable, Hashable {
    /// One bit for each capability.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Compare-and-set: stores a change only on the state that the change names as its base, and otherwise
    /// answers `conflict` or `missing`. A remote with neither this nor `versionMetadata` would overwrite edits,
    /// so it is not used.
    public static let compareAndSet = RemoteCapabilities(rawValue: 1 << 0)
    /// Deletes are versions of their records. Without tombstones, a record missing from a complete snapshot is
    /// deleted, and a snapshot that is suddenly empty is not believed.
    public static let tombstones = RemoteCapabilities(rawValue: 1 << 1)
    /// Keeps the edit timestamp and version vector of each version. Without them, a change of the remote counts
    /// as its own edit.
    public static let versionMetadata = RemoteCapabilities(rawValue: 1 << 2)
    /// Names each state of a record (`Revision`).
    public static let revisions = RemoteCapabilities(rawValue: 1 << 3)
    /// Reports when something may have changed (`RemoteBackend.hints`).
    public static let changeHints = RemoteCapabilities(rawValue: 1 << 4)
    /// Serves parts of an entity: snapshots of records with given values, and reports of records that leave
    /// such a part.
    public static let scopes = RemoteCapabilities(rawValue: 1 << 5)
    /// Compares devices by the fingerprints in `SessionRequest.records`.
    public static let requestComparison = RemoteCapabilities(rawValue: 1 << 6)
    /// Reports records that the account may not read any more (`Change.Kind.outOfScope`).
    public static let evictions = RemoteCapabilities(rawValue: 1 << 7)
}
