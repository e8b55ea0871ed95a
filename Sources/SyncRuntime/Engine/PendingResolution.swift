import SyncCore

/// Unique conflicts to resolve and referential actions to apply once all pages are in. Until then the records concerned
/// are remembered, in the same transaction as the rows and the cursor, because a pull may end at any page.
struct PendingResolution {
    /// Names of entities that refer to another one, or that another one refers to.
    private let linked: Set<String>
    /// The names of all trees.
    private let trees: String?
    /// Records whose unique values or references must be checked before the pull ends.
    private var touched: [String: Set<RecordKey>] = [:]
    /// Records of the current transaction that may have to be checked.
    private var fresh: [String: Set<RecordKey>] = [:]
    /// How many records of an entity the current transaction has inserted.
    private var inserted: [String: Int] = [:]
    /// Entities with inserted records that were not yet checked for shared unique values.
    private var unchecked: Set<String> = []
    /// The lists of unique fields of all entities.
    private let unique: String?
    /// Whether all records must be looked through for values that they share: a list may be new.
    private var checksUnique = false
    /// Whether trees must be looked through for circles that are there already.
    private var checksTrees = false
    /// The stored form of `touched`, for a later sync if this one ends early.
    private var remembered: String?

    init(entities: [EntityDescriptor]) {
        linked = Set(entities.flatMap { entity in entity.references.flatMap { [entity.name, $0.entity] } })
        trees = Consequences.treeNames(entities)
        let lists = entities.flatMap { entity in
            entity.unique.map { "\(entity.name) \($0.joined(separator: " "))" }
        }
        unique = lists.isEmpty ? nil : lists.sorted().joined(separator: "\n")
    }

    /// Whether no record is left to resolve.
    var isEmpty: Bool {
        touched.isEmpty && fresh.isEmpty && inserted.isEmpty && unchecked.isEmpty && !checksTrees
            && !checksUnique
    }

    /// From this many inserted records, others that share their values are searched when all pages are in: by one
    /// walk along the index of these values, instead of one look-up for each record.
    private static let manyInserts = 500

    /// Restores the records that an earlier sync left unresolved.
    mutating func recall(_ snapshot: any StoreSnapshot) throws {
        remembered = try snapshot.value(name: StoreValue.unresolved)
        if let remembered { touched = Self.read(text: remembered) }
        unchecked = try snapshot.unchecked()
        checksUnique = try unique != nil && snapshot.value(name: StoreValue.checkedUnique) != unique
        checksTrees = try trees != nil && snapshot.value(name: StoreValue.checkedTrees) != trees
    }

    /// Notes a record that was changed.
    mutating func touch(entity: EntityDescriptor, key: RecordKey) {
        guard !entity.unique.isEmpty || linked.contains(entity.name) else { return }
        fresh[entity.name, default: []].insert(key)
    }

    /// Notes a record of this device that another one has merged into a third one: somebody is asked about the edit, also
    /// if only the other app knows that records of the entity share values.
    mutating func noteDisplaced(entity: EntityDescriptor, key: RecordKey) {
        touched[entity.name, default: []].insert(key)
    }

    /// Notes a record that was inserted.
    mutating func noteInsert(entity: EntityDescriptor, key: RecordKey) {
        inserted[entity.name, default: 0] += 1
        if linked.contains(entity.name) { touch(entity: entity, key: key) }
    }

    /// Remembers which records are to be resolved, in the transaction that wrote them.
    ///
    /// Only records that concern others, so that a long pull remembers little. A record that concerns no other now
    /// can do so only after a later insert, and then that insert is checked.
    mutating func remember(_ consequences: Consequences) throws {
        let transaction = consequences.transaction
        for entity in consequences.entities {
            guard let keys = fresh[entity.name] else { continue }
            var concerned = Set(try transaction.grouped(entity: entity, among: Array(keys)))
            if linked.contains(entity.name) {
                for key in keys where !concerned.contains(key) {
                    let place = consequences.place(entity: entity, key: key)
                    if try consequences.concern(place) { concerned.insert(key) }
                }
            }
            if !concerned.isEmpty { touched[entity.name, default: []].formUnion(concerned) }
        }
        for entity in consequences.entities where !entity.unique.isEmpty {
            guard let count = inserted[entity.name] else { continue }
            let isLater = count >= Self.manyInserts || unchecked.contains(entity.name)
            if isLater {
                unchecked.insert(entity.name)
                try transaction.leaveUnchecked(entity)
            } else {
                try findShared(entity: entity, transaction: transaction)
            }
        }
        (fresh, inserted) = ([:], [:])
        let text = Self.text(touched: touched)
        if text != remembered { try transaction.setValue(StoreValue.unresolved, value: text) }
        remembered = text
    }

    /// Finds inserted records that share unique values with others.
    private mutating func findShared(entity: EntityDescriptor, transaction: any StoreTransaction) throws {
        let keys = try transaction.groupedInserts(entity)
        if !keys.isEmpty { touched[entity.name, default: []].formUnion(keys) }
    }

    /// Resolves unique conflicts and applies referential actions for all touched records.
    mutating func resolve(_ consequences: Consequences) throws {
        let transaction = consequences.transaction
        for entity in consequences.entities where checksUnique && !entity.unique.isEmpty {
            let keys = try transaction.grouped(entity: entity)
            if !keys.isEmpty { touched[entity.name, default: []].formUnion(keys) }
        }
        if checksUnique { try transaction.setValue(StoreValue.checkedUnique, value: unique) }
        checksUnique = false
        for entity in consequences.entities where unchecked.contains(entity.name) {
            try findShared(entity: entity, transaction: transaction)
        }
        unchecked = []
        // Parents first: afterwards, records that refer to them may share unique values, too.
        for entity in consequences.entities {
            if let keys = touched[entity.name] {
                try consequences.mergeDuplicates(entity: entity, touched: keys)
            }
        }
        try consequences.applyActions(touched)
        if checksTrees { try consequences.breakKnownCircles() }
        checksTrees = false
        touched = [:]
        try remember(consequences)
    }
}

/// Their text form.
extension PendingResolution {
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
