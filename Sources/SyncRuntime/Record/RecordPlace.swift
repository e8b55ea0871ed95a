import SyncCore

/// A record of an entity in a transaction.
struct RecordPlace {
    let entity: EntityDescriptor
    let key: RecordKey
    let transaction: any StoreTransaction

    /// State, visibility and metadata without the value; nil if the key is unknown.
    func header() throws -> RecordHeader? { try transaction.header(entity: entity, key: key) }

    /// The local version; nil if the key is unknown.
    func load() throws -> LocalRecord? { try transaction.load(entity: entity, key: key) }

    /// All that is kept of the record.
    func state() throws -> RecordState { try transaction.recordState(entity: entity, key: key) }

    /// The place of the record into which this one was merged, or this one, and the state there.
    func survivor() throws -> (place: RecordPlace, state: RecordState) {
        let (key, state) = try transaction.survivingState(entity: entity, key: key)
        return (RecordPlace(entity: entity, key: key, transaction: transaction), state)
    }

    /// Sets or clears (nil) the remote's revision.
    func setRevision(_ revision: Revision?) throws {
        try transaction.setRevision(entity: entity, key: key, revision: revision)
    }

    /// Adds to the record's history.
    func addHistory(_ event: String, detail: String, at now: Timestamp) throws {
        let entry = HistoryEntry(at: now, event: event, detail: detail)
        try transaction.addHistory(entity: entity, key: key, entry: entry)
    }
}
