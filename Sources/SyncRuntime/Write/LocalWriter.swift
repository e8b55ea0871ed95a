public import SyncCore

/// Local writes. When a call returns, the records are durable together with their outbox state, unless the app chose that
/// a power failure may take the last of them.
///
/// Throws `SyncError`; nothing is written then.
public struct LocalWriter: Sendable {
    let store: any LocalStore
    let clock: any SyncClock
    let random: any RandomSource
    let durability: Durability
    let limit: @Sendable (EntityDescriptor) -> Int?
    package let deciding: @Sendable (EntityDescriptor) -> EntityDescriptor
    let onWrite: @Sendable (Set<String>) -> Void

    /// Makes a writer for a store, with the given time and randomness. `durability` is `full` or `written`. `limit` is
    /// asked for each new record of a person, nil for the schema's. `deciding` is asked at each write for each entity: a
    /// copy that decides as a person chose (`EntityDescriptor.choices`), or the entity itself. `onWrite` is called after
    /// each write with the names of the changed entities.
    package init(
        store: any LocalStore,
        clock: any SyncClock,
        random: any RandomSource,
        durability: Durability = .full,
        limit: @escaping @Sendable (EntityDescriptor) -> Int? = { _ in nil },
        deciding: @escaping @Sendable (EntityDescriptor) -> EntityDescriptor = { $0 },
        onWrite: @escaping @Sendable (Set<String>) -> Void = { _ in }
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.durability = durability
        self.limit = limit
        self.deciding = deciding
        self.onWrite = onWrite
    }

    /// Runs writes in one durable transaction: all or nothing. `durability` nil: what the app chose.
    package func write<Result>(
        durability: Durability? = nil,
        _ body: (WriteSession) throws -> Result
    ) throws -> Result {
        let now = clock.now()
        let (result, touched) = try store.write(durability ?? self.durability) { transaction in
            let consequences = Consequences(
                transaction: transaction,
                entities: store.entities.map(deciding),
                device: try Incarnation.device(snapshot: transaction),
                now: now,
                limit: limit
            )
            let session = WriteSession(consequences: consequences, random: random)
            let result = try body(session)
            if let error = consequences.brokenOff { throw error }
            return (result, transaction.touched)
        }
        if !touched.isEmpty { onWrite(touched) }
        return result
    }

    /// Replaces single members of a record, or creates it. See `WriteSession.put`.
    public func put(entity: EntityDescriptor, json: [UInt8]) throws -> RecordKey {
        try write { try $0.put(entity: entity, json: json) }
    }

    /// Writes a record that an app brings along. See `WriteSession.seed`.
    package func seed(entity: EntityDescriptor, json: [UInt8]) throws -> RecordKey {
        try write { try $0.seed(entity: entity, json: json) }
    }

    /// Deletes a live record; throws `notFound` if there is none.
    package func delete(entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.delete(entity: entity, key: key) }
    }

    /// Resolves a conflict; throws `notFound` if there is none. See `WriteSession.resolve`.
    package func resolve(
        entity: EntityDescriptor,
        key: RecordKey,
        with: Resolution,
        answering answered: EditTimestamp? = nil
    ) throws {
        try write { try $0.resolve(entity: entity, key: key, with: with, answering: answered) }
    }

    /// Brings the loser of a decision back; throws `notFound` if the journal has no such entry. See
    /// `WriteSession.restore`.
    package func restore(
        journal id: String,
        withParents: Bool = false,
        over shown: ShownVersion = .any
    ) throws -> RestoredRecord {
        try write {
            try $0.restore(journal: id, withParents: withParents, over: shown)
        }
    }
}

/// How a person resolves a conflict.
package enum Resolution: Sendable {
    /// Keep what this device shows. If fields merge separately, only those in conflict are decided.
    case local
    /// Take what the remote shows, for everything in conflict.
    case remote
    /// Replace the whole record with another value.
    case value(Record)
}

/// The store's identity among devices.
enum Incarnation {
    static let name = "device"

    static func device(snapshot: any StoreSnapshot) throws -> DeviceID {
        guard let text = try snapshot.value(name: name), let device = DeviceID(text) else {
            throw SyncError.damagedStore(detail: "it has no device identity")
        }
        return device
    }
}
