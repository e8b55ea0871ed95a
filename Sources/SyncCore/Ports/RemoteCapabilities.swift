/// What a remote can do. A sync leans on nothing that its backend does not name, and believes no page that needs more.
public struct RemoteCapabilities: OptionSet, Sendable, Hashable {
    /// A bit for each.
    public let rawValue: Int

    /// Takes bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// It stores a change only on the state that the change names as its base, and answers `conflict` or `missing` else.
    /// A remote with neither this nor `versionMetadata` would overwrite what others wrote, and is refused.
    public static let compareAndSet = RemoteCapabilities(rawValue: 1 << 0)
    /// A delete is told as a version of the record. Without tombstones a record is deleted that a complete snapshot lacks,
    /// and a snapshot that is empty all at once is not believed.
    public static let tombstones = RemoteCapabilities(rawValue: 1 << 1)
    /// It keeps a version's edit timestamp and version vector. Without them what it changed counts as an edit of its own.
    public static let versionMetadata = RemoteCapabilities(rawValue: 1 << 2)
    /// It names each state of a record (`Revision`).
    public static let revisions = RemoteCapabilities(rawValue: 1 << 3)
    /// It says when something may have changed (`RemoteBackend.hints`).
    public static let changeHints = RemoteCapabilities(rawValue: 1 << 4)
    /// It tells of parts of an entity: snapshots of records with given values, and records that leave such a part.
    public static let scopes = RemoteCapabilities(rawValue: 1 << 5)
    /// It compares devices by what their requests tell in `SessionRequest.records`.
    public static let requestComparison = RemoteCapabilities(rawValue: 1 << 6)
}
