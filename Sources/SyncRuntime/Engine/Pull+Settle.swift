import SyncCore

/// Unique values and references are settled once all pages are in. What is to be settled is remembered with the rows and
/// the cursor that passes them, as a pull may end at any page.
extension Pull {
    /// Whether anything is to be settled.
    var hasTouched: Bool { !touched.isEmpty || !fresh.isEmpty || !inserted.isEmpty || !unlooked.isEmpty }

    /// From how many inserted records on others that share their values are looked for when all pages are in, by one walk
    /// along the index of these values instead of one look-up for each record.
    private static let manyInserts = 500

    /// Takes up what an earlier sync left unsettled.
    mutating func recall(_ snapshot: any StoreSnapshot) throws {
        remembered.touched = try snapshot.value(name: StoreValue.unsettled)
        remembered.unlooked = try snapshot.value(name: StoreValue.unlooked)
        if let text = remembered.touched { touched = Unsettled.read(text: text) }
        // What cannot be read says nothing of where to begin.
        if let text = remembered.unlooked {
            unlooked = UncheckedRows.read(text: text) ?? entities.mapValues { _ in 1 }
        }
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
            guard let entity = entities[name], !entity.unique.isEmpty,
                let first = try transaction.firstInsert(entity: entity)
            else { continue }
            let earlier = unlooked[name]
            if count >= Self.manyInserts || earlier != nil {
                unlooked[name] = min(earlier ?? first, first)
            } else {
                try look(entity: entity, from: first, transaction: transaction)
            }
        }
        (fresh, inserted) = ([:], [:])
        guard !Mutation.disables(.settlementRemembered) else { return }
        let text = (touched: Unsettled.text(touched: touched), unlooked: UncheckedRows.text(rows: unlooked))
        if text.touched != remembered.touched {
            try transaction.setValue(StoreValue.unsettled, value: text.touched)
        }
        if text.unlooked != remembered.unlooked {
            try transaction.setValue(StoreValue.unlooked, value: text.unlooked)
        }
        remembered = text
    }

    /// Looks for records that share unique values, among rows that were inserted.
    private mutating func look(
        entity: EntityDescriptor,
        from row: Int64,
        transaction: any StoreTransaction
    )
        throws
    {
        let keys = try transaction.grouped(entity: entity, from: row)
        if !keys.isEmpty { touched[entity.name, default: []].formUnion(keys) }
    }

    /// Settles unique values and references of all that was touched.
    mutating func settle(_ transaction: any StoreTransaction) throws {
        try remember(transaction)
        for (name, row) in unlooked {
            if let entity = entities[name] { try look(entity: entity, from: row, transaction: transaction) }
        }
        unlooked = [:]
        let merging = UniqueConflicts(transaction: transaction, entities: ordered, device: device, now: now)
        // Parents first: what refers to them may then share unique values, too.
        for entity in ordered {
            if let keys = touched[entity.name] { try merging.resolve(entity: entity, touched: keys) }
        }
        let references = References(transaction: transaction, entities: ordered, device: device, now: now)
        try references.settle(touched)
        touched = [:]
        try remember(transaction)
    }
}

/// From which rows on records are still to be looked at, as text.
enum UncheckedRows {
    /// `bookmark 17 project 3`, entities in order; nil for none.
    static func text(rows: [String: Int64]) -> String? {
        guard !rows.isEmpty else { return nil }
        return rows.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\($0.key) \($0.value)" }.joined(separator: " ")
    }

    /// What `text` wrote; nil when it did not.
    static func read(text: String) -> [String: Int64]? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count.isMultiple(of: 2) else { return nil }
        var rows: [String: Int64] = [:]
        for index in stride(from: 0, to: words.count, by: 2) {
            guard let row = Int64(words[index + 1]) else { return nil }
            rows[String(words[index])] = row
        }
        return rows
    }
}

/// Records to be settled, as text.
enum Unsettled {
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
