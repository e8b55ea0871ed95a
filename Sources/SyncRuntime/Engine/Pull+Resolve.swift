import SyncCore

/// Unique values and references are settled once all pages are in. What is to be settled is remembered with the rows and
/// the cursor that passes them, as a pull may end at any page.
extension Pull {
    /// Whether anything is to be settled.
    var hasTouched: Bool { !touched.isEmpty || !fresh.isEmpty || !inserted.isEmpty || !unchecked.isEmpty }

    /// From how many inserted records on others that share their values are looked for when all pages are in, by one walk
    /// along the index of these values instead of one look-up for each record.
    private static let manyInserts = 500

    /// Takes up what an earlier sync left unsettled.
    mutating func recall(_ snapshot: any StoreSnapshot) throws {
        remembered = try snapshot.value(name: StoreValue.unresolved)
        if let remembered { touched = PendingResolution.read(text: remembered) }
        unchecked = try snapshot.unchecked()
    }

    /// Remembers what is to be settled, in the transaction that made it so.
    ///
    /// Only what concerns other records, so that a pull of any length remembers little. What concerns nobody now is
    /// concerned later only by a record that is taken in after it, and that is looked at.
    mutating func remember(_ transaction: any StoreTransaction) throws {
        let references = References(transaction: transaction, entities: ordered, device: device, now: now)
        for (name, keys) in fresh {
            guard let entity = entities[name] else { continue }
            var concerned = Set(try transaction.grouped(entity: entity, among: Array(keys)))
            if linked.contains(name) {
                for key in keys where !concerned.contains(key) {
                    if try references.concern(entity: entity, key: key) { concerned.insert(key) }
                }
            }
            if !concerned.isEmpty { touched[name, default: []].formUnion(concerned) }
        }
        for (name, count) in inserted {
            guard let entity = entities[name], !entity.unique.isEmpty else { continue }
            let isLater = count >= Self.manyInserts || unchecked.contains(name)
            if isLater, !Mutation.disables(.settlementRemembered) {
                unchecked.insert(name)
                try transaction.leaveUnchecked(entity)
            } else {
                try findShared(entity: entity, transaction: transaction)
            }
        }
        (fresh, inserted) = ([:], [:])
        guard !Mutation.disables(.settlementRemembered) else { return }
        let text = PendingResolution.text(touched: touched)
        if text != remembered { try transaction.setValue(StoreValue.unresolved, value: text) }
        remembered = text
    }

    /// Looks for records that share unique values, among those that were inserted.
    private mutating func findShared(entity: EntityDescriptor, transaction: any StoreTransaction) throws {
        let keys = try transaction.groupedInserts(entity)
        if !keys.isEmpty { touched[entity.name, default: []].formUnion(keys) }
    }

    /// Settles unique values and references of all that was touched.
    mutating func resolve(_ transaction: any StoreTransaction) throws {
        try remember(transaction)
        for name in unchecked.sorted() {
            if let entity = entities[name] { try findShared(entity: entity, transaction: transaction) }
        }
        unchecked = []
        let merging = UniqueConflicts(transaction: transaction, entities: ordered, device: device, now: now)
        // Parents first: what refers to them may then share unique values, too.
        for entity in ordered {
            if let keys = touched[entity.name] { try merging.resolve(entity: entity, touched: keys) }
        }
        let references = References(transaction: transaction, entities: ordered, device: device, now: now)
        try references.applyActions(touched)
        touched = [:]
        try remember(transaction)
    }
}

/// Records to be settled, as text.
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

    /// What `text` wrote; what cannot be read is nothing.
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
