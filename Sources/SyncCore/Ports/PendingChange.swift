/// A change that waits to be pushed, and what the store keeps with its record.
public struct PendingChange: Sendable {
    /// The change. Its base is the remote's state that was seen last; it replaces the version that it was made on.
    public var change: Change
    /// Finds the record again in the store that gave it.
    public var handle: RecordHandle
    /// Whether heads are kept with the record.
    public var hasHeads: Bool
    /// Whether a base is kept with the record: false for a create.
    public var hasBase: Bool
    /// Whether the change is an edit: false if only joined timestamps are to be published.
    public var isEdit: Bool

    /// Makes a pending change.
    public init(change: Change, handle: RecordHandle, hasHeads: Bool, hasBase: Bool, isEdit: Bool) {
        self.change = change
        self.handle = handle
        self.hasHeads = hasHeads
        self.hasBase = hasBase
        self.isEdit = isEdit
    }
}

/// Finds a record faster than its key does. Only the store that made it can use it, and only until the record is
/// removed.
public struct RecordHandle: Sendable, Hashable {
    package let number: Int64

    /// Makes a handle from a number of the store's own.
    public init(_ number: Int64) {
        self.number = number
    }
}
