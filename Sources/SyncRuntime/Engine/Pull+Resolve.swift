import SyncCore

/// Resolves unique conflicts and applies referential actions once all pages are in. Until then the records concerned
/// are remembered, in the same transaction as the rows and the cursor, because a pull may end at any page.
extension Pull {
    /// Whether any record is left to resolve.
    var hasTouched: Bool {
        !touched.isEmpty || !fresh.isEmpty || !inserted.isEmpty || !unchecked.isEmpty || checksTrees
    }

    /// From this many inserted records, others that share their values are searched when all pages are in: by one
    /// walk along the index of these values, instead of one look-up for each record.
    private static let manyInserts = 500

    /// Restores the records that an earlier sync left unresolved.
    mutating func recall(_ snapshot: any StoreSnapshot) throws {
        remembered = try snapshot.value(name: StoreValue.unresolved)
        if let remembered { touched = PendingResolution.read(text: remembered) }
        unchecked = try snapshot.unchecked()
        let trees = Consequences.treeNames(ordered)
        checksTrees = try trees != nil && snapshot.value(name: StoreValue.checkedTrees) != trees
    }

    /// The worklist of a transaction.
    func consequences(in transaction: any StoreTransaction) -> Consequences {
        Consequences(transaction: transaction, entities: ordered, device: device, now: now)
    }

    /// Remembers which records are to be resolved, in the transaction that wrote them.
    ///
    /// Only records that concern others, so that a long pull remembers little. A record that concerns no other now
    /// can do so only after a later insert, and then that insert is checked.
    mutating func remember(_ transaction: any StoreTransaction) throws {
        let consequences = consequences(in: transaction)
        for (name, keys) in fresh {
            guard let entity = entities[name] else { continue }
            var concerned = Set(try transaction.grouped(entity: entity, among: Array(keys)))
            if linked.contains(name) {
                for key in keys where !concerned.contains(key) {
                    let place = RecordPlace(entity: entity, key: key, transaction: transaction)
                    if try consequences.concern(place) { concerned.insert(key) }
                }
            }
            if !concerned.isEmpty { touched[name, default: []].formUnion(concerned) }
        }
        for (name, count) in inserted {
            guard let entity = entities[name], !entity.unique.isEmpty else { continue }
            let isLater = count >= Self.manyInserts || unchecked.contains(name)
            if isLater, !Mutation.disables(.pendingResolutionRemembered) {
                unchecked.insert(name)
                try transaction.leaveUnchecked(entity)
            } else {
                try findShared(entity: entity, transaction: transaction)
            }
        }
        (fresh, inserted) = ([:], [:])
        guard !Mutation.disables(.pendingResolutionRemembered) else { return }
        let text = PendingResolution.text(touched: touched)
        if text != remembered { try transaction.setValue(StoreValue.unresolved, value: text) }
        remembered = text
    }

    /// Finds inserted records that share unique values with others.
    private mutating func findShared(entity: EntityDescriptor, transaction: any StoreTransaction) throws {
        let keys = try transaction.groupedInserts(entity)
        if !keys.isEmpty { touched[entity.name, default: []].formUnion(keys) }
    }

    /// Resolves unique conflicts and applies referential actions for all touched records.
    mutating func resolve(_ transaction: any StoreTransaction) throws {
        try remember(transaction)
        for name in unchecked.sorted() {
            if let entity = entities[name] { try findShared(entity: entity, transaction: transaction) }
        }
        unchecked = []
        let consequences = consequences(in: transaction)
        // Parents first: afterwards, records that refer to them may share unique values, too.
        for entity in ordered {
            if let keys = touched[entity.name] {
                try consequences.mergeDuplicates(entity: entity, touched: keys)
            }
        }
        try consequences.applyActions(touched)
        if checksTrees { try consequences.breakKnownCircles() }
        checksTrees = false
        touched = [:]
        try remember(transaction)
    }
}

/// The text form of the records that are still to be resolved.
enum PendingResolution {
    /// `{"bookmark":["key",...]}`, entities and keys in order; nil for none.
    static func text(touched: [String: Set<RecordKey>]) -> String? {
        guard !touched.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, keys) in touched.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.name(name)
            writer.beginArray()
            for key in keys.sorted() { writer.string(key.text) }
            writer.endArray()
        }
        writer.endObject()
        return writer.text
    }

    /// Reads the text. Unreadable text counts as empty.
    static func read(text: String) -> [String: Set<RecordKey>] {
        var copy = text
        return copy.withUTF8 { (try? read(bytes: $0)) ?? [:] }
    }

    private static func read(bytes: UnsafeBufferPointer<UInt8>) throws -> [String: Set<RecordKey>] {
        var reader = try JSONReader(bytes)
        var touched: [String: Set<RecordKey>] = [:]
        guard try reader.beginObject() else { return touched }
        repeat {
            let name = try reader.name().decode()
            guard try reader.beginArray() else { continue }
            var hasMore = true
            while hasMore {
                touched[name, default: []].insert(RecordKey(try reader.string().decode()))
                hasMore = try reader.nextElement()
            }
        } while try reader.nextMember()
        return touched
    }
}
