package import SyncCore
package import SyncRuntime

/// A record that was rejected, with the reason.
package struct ReportedRejection: Sendable {
    /// The record.
    package var record: RecordName
    /// Whether the remote refused this device's edit; otherwise the remote's version could not be taken in.
    package var isLocal: Bool
    /// Whether the schemas have the entity. Otherwise no command can name the record.
    package var isKnown: Bool
    /// Why.
    package var reason: String
    /// The remote's name of the broken rule.
    package var code: String?
    /// The key of the record with which it clashes.
    package var other: String?
    /// How often it was tried.
    package var attempts: Int
    /// When it was rejected first.
    package var since: Timestamp
    /// The value of this device as JSON; nil if there is none.
    package var local: String?
    /// JSON to correct and write again, without the record's times; nil if there is no value.
    package var draft: String?
    /// What came from the remote, as text; nil if the remote refused an edit.
    package var raw: String?

    init(record: RejectedRecord, entities: [EntityDescriptor], snapshot: any StoreSnapshot) throws {
        let rejection = record.rejection
        self.record = RecordName(entity: rejection.entity, key: rejection.key)
        isLocal = rejection.raw == nil
        let entity = entities.first { $0.name == rejection.entity }
        isKnown = entity != nil
        reason = rejection.reason
        code = rejection.code
        other = rejection.other
        attempts = rejection.attempts
        since = rejection.since
        local = record.local.map { String(decoding: $0, as: UTF8.self) }
        draft = entity.flatMap { entity in
            guard let version = try? snapshot.load(entity: entity, key: rejection.key)?.version,
                !version.isDeleted
            else { return nil }
            return entity.draft(of: version.record)
        }
        raw = rejection.raw.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// An entry of the journal: a value that a decision replaced.
package struct ReportedLoss: Sendable {
    /// The entry's id, for `restore`.
    package var id: String
    /// The record.
    package var record: RecordName
    /// When it was decided.
    package var at: Timestamp
    /// The rule that decided.
    package var rule: String
    /// The kept version next to the lost one.
    package var comparison: SideComparison
    /// Whether the record may need a parent that is deleted, too.
    package var hasParents: Bool
    /// What bringing it back would do.
    package var restoration: Restoration

    init(entry: JournalEntry, entity: EntityDescriptor, snapshot: any StoreSnapshot) throws {
        id = entry.id
        record = RecordName(entity: entity.name, key: entry.lost.key)
        at = entry.at
        rule = entry.rule
        comparison = SideComparison(entity: entity, sides: [("Kept", entry.kept), ("Lost", entry.lost)])
        hasParents = !entity.references.isEmpty
        restoration = try snapshot.restoration(of: entry, entity: entity)
    }
}
