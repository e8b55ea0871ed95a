public import SyncCore

/// A decision that a strategy made by itself, in which something that a person wrote lost. The values are in the journal of
/// the record's entity, from which the loser can be restored.
public struct AutomaticDecision: Sendable, Hashable, Identifiable {
    /// Names the decision on this device.
    public var id: String
    /// The entity's name.
    public var entity: String
    /// The record's key.
    public var key: RecordKey
    /// When it was made.
    public var at: Timestamp
    /// The rule that decided, for example `last-write-wins`.
    public var rule: String

    init(_ entry: JournalEntry) {
        id = entry.id
        entity = entry.lost.entity
        key = entry.lost.key
        at = entry.at
        rule = entry.rule
    }
}

extension StoreSnapshot {
    /// The decisions that were made at an instant or later, of all entities, the oldest first.
    public func decisions(since instant: Timestamp) throws -> [AutomaticDecision] {
        try journal().filter { $0.at >= instant }.map { AutomaticDecision($0) }
    }

    /// How many children were deleted with their parent, which another device had deleted without having seen them, since
    /// somebody looked at the automatic decisions. They can be brought back from the journal.
    func deletedWithParent() throws -> Int {
        try value(name: StoreValue.deletedWithParent).flatMap { Int($0) } ?? 0
    }
}

extension StoreTransaction {
    /// Counts one more child that was deleted with its parent.
    func countDeletedWithParent() throws {
        try setValue(StoreValue.deletedWithParent, value: String(try deletedWithParent() + 1))
    }
}

extension LocalStore {
    /// Notes that somebody looked at the automatic decisions: a status tells of later ones only.
    package func markDecisionsSeen() throws {
        // NB: looking changes nothing where there was nothing to tell, so that whoever only reads can go on.
        guard try read({ try $0.deletedWithParent() }) > 0 else { return }
        try write(.noted) { try $0.setValue(StoreValue.deletedWithParent, value: nil) }
    }
}
