/// One version of a record: its key, value, whether it is a tombstone, and its stamp.
public struct SyncRecord: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// The record's key.
    public var key: RecordKey
    /// The value. A tombstone keeps the last value, so that it can be shown and restored.
    public var record: Record
    /// Whether the version is a tombstone.
    public var isDeleted: Bool
    /// The record that this one was merged into, when two devices created the same thing.
    public var mergedInto: RecordKey?
    /// Mark, vector and finer marks.
    public var stamp: Stamp

    /// Makes a version from its parts.
    public init(
        entity: String,
        key: RecordKey,
        record: Record,
        isDeleted: Bool = false,
        mergedInto: RecordKey? = nil,
        stamp: Stamp
    ) {
        self.entity = entity
        self.key = key
        self.record = record
        self.isDeleted = isDeleted
        self.mergedInto = mergedInto
        self.stamp = stamp
    }

    public static func == (left: SyncRecord, right: SyncRecord) -> Bool {
        // The mark first: two versions with one mark are nearly always one and the same.
        left.stamp == right.stamp && left.isDeleted == right.isDeleted && left.record == right.record
            && left.key == right.key && left.entity == right.entity && left.mergedInto == right.mergedInto
    }
}

/// Where a record of this device stands towards the remote.
public enum SyncState: Int64, Sendable, Hashable, CaseIterable {
    /// Local and base agree.
    case synced = 0
    /// Local differs from base and waits to be pushed.
    case pending = 1
    /// Local and remote both differ from base, and a person must decide.
    case conflict = 2
    /// The remote refused the record; the reason is kept.
    case rejected = 3
}

/// A record as this device holds it: the local tree.
public struct LocalRecord: Sendable, Hashable {
    /// What the app sees.
    public var version: SyncRecord
    /// Where it stands towards the remote.
    public var state: SyncState
    /// Whether the record is shown at all, and if not, why.
    public var visibility: Visibility
    /// Whether versions that are not shown are kept beside it (`LocalStoreTransaction.heads`).
    public var hasHeads: Bool

    /// Makes a local record.
    public init(version: SyncRecord, state: SyncState, visibility: Visibility? = nil, hasHeads: Bool = false)
    {
        self.version = version
        self.state = state
        self.visibility = visibility ?? (version.isDeleted ? .deleted : .live)
        self.hasHeads = hasHeads
    }

    /// Whether a record is shown.
    public enum Visibility: Int64, Sendable, Hashable {
        /// Shown.
        case live = 0
        /// A tombstone.
        case deleted = 1
        /// Hidden behind the record with the smaller key that holds the same unique values. Not a tombstone yet.
        case merged = 2
    }
}
