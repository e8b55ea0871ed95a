public import SyncCore

/// An automatic decision of a strategy that took away something a person wrote. The values are in the journal of the
/// record's entity, from which the loser can be restored.
public struct AutomaticDecision: Sendable, Hashable, Identifiable {
    /// Identifies the decision on this device.
    public var id: String
    /// The entity's name.
    public var entity: String
    /// The record's key.
    public var key: RecordKey
    /// When it was made.
    public var at: Timestamp
    /// The rule that decided, for example `last-write-wins`; `altered` if the server's database did.
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
    /// Automatic decisions since an instant, of all entities, oldest first.
    public func decisions(since instant: Timestamp) throws -> [AutomaticDecision] {
        try journal().filter { $0.at >= instant }.map { AutomaticDecision($0) }
    }

    /// How many children were deleted with a parent, which another device had deleted without having seen them, since
    /// somebody viewed the automatic decisions. They can be restored from the journal.
    func deletedWithParent() throws -> Int {
        try value(name: StoreValue.deletedWithParent).flatMap { Int($0) } ?? 0
    }

    /// How many edits of this device the remote has stored without something that they wrote, since somebody viewed the
    /// automatic decisions. They can be restored from the journal.
    func altered() throws -> Int {
        try value(name: StoreValue.altered).flatMap { Int($0) } ?? 0
    }
}

extension StoreTransaction {
    /// Counts one more child that was deleted with its parent.
    func countDeletedWithParent() throws {
        try setValue(StoreValue.deletedWithParent, value: String(try deletedWithParent() + 1))
    }

    /// Counts one more edit that the remote has altered.
    func countAltered() throws {
        try setValue(StoreValue.altered, value: String(try altered() + 1))
    }
}

extension LocalStore {
    /// Notes that somebody has viewed the automatic decisions: a status counts only later ones.
    package func markDecisionsSeen() throws {
        // Without new decisions, nothing is written, so that a read-only caller can go on.
        guard try read({ try $0.deletedWithParent() + $0.altered() }) > 0 else { return }
        try write(.noted) {
            try $0.setValue(StoreValue.deletedWithParent, value: nil)
            try $0.setValue(StoreValue.altered, value: nil)
        }
    }
}
