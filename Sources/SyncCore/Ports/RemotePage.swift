/// What a page contains. Only in a complete snapshot does absence mean something.
public enum PageKind: Sendable, Hashable {
    /// Changes since the cursor.
    case delta
    /// The present state of some scopes, in one or more pages from `isFirst` to `isComplete`. Records of these
    /// scopes that no page contained are absent from the remote (`RemotePage.absence`).
    case snapshot(of: [SnapshotScope], isFirst: Bool, isComplete: Bool)
}

/// The records that a snapshot covers: all of an entity, or those with given values.
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

/// A page of changes from a remote.
public struct RemotePage: Sendable {
    /// Delta or snapshot.
    public var kind: PageKind
    /// The changes, in the order in which they are applied. Bodies should be slices of one array.
    public var changes: [Change]
    /// The cursor to save in the same transaction as the changes.
    public var cursor: String
    /// What was skipped, and why. It makes the sync `partial`.
    public var diagnostics: [RemoteDiagnostic]
    /// What it means that no page of a snapshot contained a record.
    public var absence = Absence.deleted

    /// What it means that no page of a snapshot contained a record.
    public enum Absence: String, Sendable, Hashable, CaseIterable {
        /// The record was deleted, and its tombstone is gone.
        case deleted
        /// The remote lost the record. Devices that still have it publish it again.
        case lost
        /// The record may exist outside the scope. It is evicted if clean, and kept while it waits to be
        /// pushed.
        case outOfScope
    }

    /// Makes a page.
    public init(
        kind: PageKind = .delta,
        changes: [Change],
        cursor: String,
        diagnostics: [RemoteDiagnostic] = []
    ) {
        self.kind = kind
        self.changes = changes
        self.cursor = cursor
        self.diagnostics = diagnostics
    }
}
