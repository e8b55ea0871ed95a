/// What a page claims to be. Absence means something only in a complete snapshot.
public enum PageKind: Sendable, Hashable {
    /// Changes since the cursor.
    case delta
    /// The present state of the named entities, over one page or more, from the first to the one that completes it.
    /// Records of these entities that no page held are gone from the remote.
    case snapshot(entities: [String], isFirst: Bool, isComplete: Bool)
}

/// A remote's name for one state of a record. Opaque: only the remote that gave it can compare it.
public struct Revision: Sendable, Hashable {
    /// The name as the remote writes it.
    public var text: String

    /// Wraps a name.
    public init(_ text: String) {
        self.text = text
    }
}

/// Bytes of many records with a header for each.
public struct RemotePage: Sendable {
    /// Delta or snapshot.
    public var kind: PageKind
    /// The bytes that the items point into.
    public var bytes: [UInt8]
    /// The records, in the order in which to apply them.
    public var items: [RemoteItem]
    /// The cursor to save in the same transaction as the items.
    public var cursor: String
    /// What was skipped and why. It makes the sync `partial`.
    public var problems: [RemoteDiagnostic]
    /// What it means for a record that no page of a snapshot held it.
    public var absence = Absence.deleted
    /// Whether the backend has seen that all bodies are UTF-8; others are looked at when they are taken in.
    package var isText = false

    /// What it means for a record that no page of a snapshot held it.
    public enum Absence: String, Sendable, Hashable, CaseIterable {
        /// It was deleted, and its tombstone was dropped.
        case deleted
        /// The remote has lost it: who holds it publishes it again.
        case lost
    }

    /// Makes a page.
    public init(
        kind: PageKind = .delta,
        bytes: [UInt8],
        items: [RemoteItem],
        cursor: String,
        problems: [RemoteDiagnostic] = []
    ) {
        self.kind = kind
        self.bytes = bytes
        self.items = items
        self.cursor = cursor
        self.problems = problems
    }
}

/// The header of one record of a page.
public struct RemoteItem: Sendable {
    /// The entity's name.
    public var entity: String
    /// The record's key.
    public var key: RecordKey
    /// Upsert, delete or out of scope.
    public var kind: Kind
    /// The survivor, when a tombstone names one.
    public var mergedInto: RecordKey?
    /// Mark, vector and finer marks.
    public var metadata: VersionMetadata
    /// The remote's name for this state of the record; nil where a remote has none. The next push names it as its base.
    public var revision: Revision?
    /// Whether the remote shows that its writer has used sequence numbers twice, as a store does that comes from a backup:
    /// what the version says to have seen may be another edit under the same number.
    public var isForked: Bool
    /// The wire object, as a range of the page's bytes.
    public var body: Range<Int>

    /// What the item says of the record.
    public enum Kind: Sendable, Hashable {
        case upsert, delete
        /// The record left what this store may see: evict it if clean, keep it if dirty. Never a tombstone.
        case outOfScope
    }

    /// Makes an item.
    public init(
        entity: String,
        key: RecordKey,
        kind: Kind,
        mergedInto: RecordKey? = nil,
        metadata: VersionMetadata,
        revision: Revision? = nil,
        isForked: Bool = false,
        body: Range<Int>
    ) {
        self.entity = entity
        self.key = key
        self.kind = kind
        self.mergedInto = mergedInto
        self.metadata = metadata
        self.revision = revision
        self.isForked = isForked
        self.body = body
    }
}
