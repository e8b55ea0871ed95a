public import SyncCore

/// Local writes: durable, with their outbox state in the same transaction, before the call returns.
///
/// Throws `SyncError`. Nothing is written when it does.
public struct LocalWriter: Sendable {
    let store: any LocalStore
    let clock: any SyncClock
    let random: any RandomSource
    let onWrite: @Sendable (Set<String>) -> Void

    /// Writes into a store, with the time and randomness given. `onWrite` is called after each write with the names of the
    /// entities whose records it changed.
    public init(
        store: any LocalStore,
        clock: any SyncClock,
        random: any RandomSource,
        onWrite: @escaping @Sendable (Set<String>) -> Void = { _ in }
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.onWrite = onWrite
    }

    /// Runs writes in one durable transaction: all or nothing.
    public func write<Result>(_ body: (borrowing WriteSession) throws -> Result) throws -> Result {
        let now = clock.now()
        let (result, touched) = try store.write(!Mutation.disables(.durableWrites) ? .full : .pulled) {
            transaction in
            let session = WriteSession(
                transaction: transaction,
                entities: store.entities,
                device: try Incarnation.device(snapshot: transaction),
                now: now,
                random: random
            )
            return (try body(session), transaction.touched)
        }
        if !touched.isEmpty { onWrite(touched) }
        return result
    }

    /// Writes single members over a record, or creates it. See `WriteSession.put`.
    public func put(entity: EntityDescriptor, json: [UInt8]) throws -> RecordKey {
        try write { try $0.put(entity: entity, json: json) }
    }

    /// Deletes a live record; `notFound` when there is none.
    public func delete(entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.delete(entity: entity, key: key) }
    }

    /// Resolves a conflict; `notFound` when there is none. See `WriteSession.resolve`.
    public func resolve(
        entity: EntityDescriptor,
        key: RecordKey,
        with: Resolution,
        answering answered: EditTimestamp? = nil
    ) throws {
        try write { try $0.resolve(entity: entity, key: key, with: with, answering: answered) }
    }

    /// Brings the loser of an automatic decision back; `notFound` when the journal has no such entry.
    public func restore(journal id: String, withParents: Bool = false) throws -> (
        entity: String, key: RecordKey
    ) {
        try write { try $0.restore(journal: id, entities: store.entities, withParents: withParents) }
    }
}

/// How a person resolves a conflict.
public enum Resolution: Sendable {
    /// What this device shows: of fields that meet on their own only those in conflict are decided.
    case local
    /// What the remote shows, for all that is in conflict.
    case remote
    /// Another value, whole.
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
