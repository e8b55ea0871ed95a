/// One version of a record: its key, its value, whether it is a tombstone, and its metadata.
public struct SyncRecord: Sendable {
    /// The entity's name.
    @inlinable public var entity: String {
        get { shared.parts.entity }
        set { change { $0.entity = newValue } }
    }
    /// The record's key.
    @inlinable public var key: RecordKey {
        get { shared.parts.key }
        set { change { $0.key = newValue } }
    }
    /// The value. A tombstone keeps the last value, so that it can be shown and restored.
    @inlinable public var record: Record {
        get { shared.parts.record }
        set { change { $0.record = newValue } }
    }
    /// Whether the version is a tombstone.
    @inlinable public var isDeleted: Bool {
        get { shared.parts.isDeleted }
        set { change { $0.isDeleted = newValue } }
    }
    /// The record into which this one was merged.
    @inlinable public var mergedInto: RecordKey? {
        get { shared.parts.mergedInto }
        set { change { $0.mergedInto = newValue } }
    }
    /// Edit timestamp, version vector and field timestamps.
    @inlinable public var metadata: VersionMetadata {
        get { shared.parts.metadata }
        set { change { $0.metadata = newValue } }
    }

    /// NB: versions are passed on and compared far more often than changed. As one reference, a copy retains one
    /// object instead of seven. A change makes a new one.
    @usableFromInline var shared: Shared

    /// Makes a version from its parts.
    public init(
        entity: String,
        key: RecordKey,
        record: Record,
        isDeleted: Bool = false,
        mergedInto: RecordKey? = nil,
        metadata: VersionMetadata
    ) {
        shared = Shared(
            Parts(
                entity: entity,
                key: key,
                record: record,
                isDeleted: isDeleted,
                mergedInto: mergedInto,
                metadata: metadata
            )
        )
    }

    @usableFromInline
    mutating func change(body: (inout Parts) -> Void) {
        var parts = shared.parts
        body(&parts)
        shared = Shared(parts)
    }

    @usableFromInline
    final class Shared: Sendable {
        @usableFromInline let parts: Parts

        init(_ parts: Parts) {
            self.parts = parts
        }
    }

    @usableFromInline
    struct Parts: Sendable, Hashable {
        @usableFromInline var entity: String
        @usableFromInline var key: RecordKey
        @usableFromInline var record: Record
        @usableFromInline var isDeleted: Bool
        @usableFromInline var mergedInto: RecordKey?
        @usableFromInline var metadata: VersionMetadata
    }
}

extension SyncRecord: Hashable {
    public static func == (left: SyncRecord, right: SyncRecord) -> Bool {
        if left.shared === right.shared { return true }
        // The edit timestamp first: versions with the same one are nearly always identical.
        return left.metadata == right.metadata && left.isDeleted == right.isDeleted
            && left.record == right.record
            && left.key == right.key && left.entity == right.entity && left.mergedInto == right.mergedInto
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(shared.parts) }
}

/// The sync state of a record.
public enum SyncState: Int64, Sendable, Hashable, CaseIterable {
    /// Local and base agree.
    case synced = 0
    /// Local differs from base and waits to be pushed.
    case pending = 1
    /// Local and remote both differ from base, and a person must decide.
    case conflict = 2
    /// The remote rejected the record; the reason is kept.
    case rejected = 3
}

/// A record as this device has it: the local version and its state.
public struct LocalRecord: Sendable, Hashable {
    /// What the app sees.
    public var version: SyncRecord
    /// Its sync state.
    public var state: SyncState
    /// Whether the record is shown at all, and if not, why.
    public var visibility: Visibility
    /// Whether heads are kept with it (`StoreSnapshot.heads`).
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
        // 2 was a record behind a duplicate of it. The store's format 7 has none.
        /// Set aside on this device, because the record cannot be read with this version's schema. Not a tombstone.
        case setAside = 3

        /// Whether the record is there for people: shown, or set aside until it can be read.
        package var exists: Bool { self == .live || self == .setAside }
    }
}
