/// What a page claims to be. Absence means something only in a complete snapshot.
public enum PageKind: Sendable, Hashable {
    /// Changes since the cursor.
    case delta
    /// The present state of some scopes, over one page or more, from the first to the one that completes it. Of their
    /// records, those that no page held are absent from the remote (`RemotePage.absence`).
    case snapshot(of: [SnapshotScope], isFirst: Bool, isComplete: Bool)
}

/// The records that a snapshot speaks of: all of an entity, or those of them that hold given values.
public struct SnapshotScope: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// The values that a record of the scope has, by the field's name in the schema; empty for all records.
    public var fields: [String: FieldValue]

    /// Makes a scope.
    public init(entity: String, fields: [String: FieldValue] = [:]) {
        self.entity = entity
        self.fields = fields
    }
}

/// Changes that a remote hands on together.
public struct RemotePage: Sendable {
    /// Delta or snapshot.
    public var kind: PageKind
    /// What the remote has to tell, in the order in which it is applied. Bodies are best slices of one array.
    public var changes: [Change]
    /// The cursor to save in the same transaction as the changes.
    public var cursor: String
    /// What was skipped and why. It makes the sync `partial`.
    public var problems: [RemoteDiagnostic]
    /// What it means for a record that no page of a snapshot held it.
    public var absence = Absence.deleted

    /// What it means for a record that no page of a snapshot held it.
    public enum Absence: String, Sendable, Hashable, CaseIterable {
        /// It was deleted, and its tombstone was dropped.
        case deleted
        /// The remote has lost it: who holds it publishes it again.
        case lost
        /// It may live on, but not in the scope: it is evicted where it is clean, and kept where it waits to be pushed.
        case outOfScope
    }

    /// Makes a page.
    public init(
        kind: PageKind = .delta,
        changes: [Change],
        cursor: String,
        problems: [RemoteDiagnostic] = []
    ) {
        self.kind = kind
        self.changes = changes
        self.cursor = cursor
        self.problems = problems
    }
}
