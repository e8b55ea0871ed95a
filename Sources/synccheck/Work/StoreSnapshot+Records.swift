import EntitySync
import SyncCore

/// Names of values in the store that the command line uses.
enum StoreValueName {
    /// The store's incarnation among devices.
    static let device = "device"
    /// The device's name for people, as given last.
    static let deviceName = "device-name"
    /// The end of the last sync.
    static let lastSync = "last-sync"
    /// The remote of the last sync, as a path.
    static let remote = "remote"
    /// A push in progress whose answer has not arrived.
    static let intent = "intent"
    /// The versions of conflicts that were last shown.
    static let shownConflicts = "shown-conflicts"
}

extension StoreSnapshot {
    /// The live record of a key, or the one into which it was merged as a duplicate; nil if there is none.
    func liveRecord(entity: EntityDescriptor, key: RecordKey) throws -> LocalRecord? {
        var key = key
        // NB: merge chains are short, since each merge leads to a smaller key, but a damaged store might
        // contain a cycle.
        for _ in 0..<64 {
            guard let local = try load(entity: entity, key: key) else { return nil }
            if local.visibility == .live { return local }
            guard let next = local.version.mergedInto else { return nil }
            key = next
        }
        return nil
    }

    /// All keys in a state, in key order.
    func allKeys(entity: EntityDescriptor, in state: SyncState) throws -> [RecordKey] {
        try keys(entity: entity, in: state, after: nil, limit: .max)
    }
}

extension EntityDescriptor {
    /// The record as plain JSON, with names and order of the schema.
    func json(record: Record) -> [UInt8] {
        RecordEncoder(descriptor: self, form: .plain).bytes(record)
    }

    /// The version as plain JSON; nil for a missing version or a tombstone.
    func json(version: SyncRecord?) -> [UInt8]? {
        guard let version, !version.isDeleted else { return nil }
        return json(record: version.record)
    }
}

extension JSONWriter {
    /// Writes a member with JSON text; null for nil.
    mutating func member(name: String, json: [UInt8]?) {
        self.name(name)
        if let json { raw(json) } else { null() }
    }

    /// Writes a member with text; null for nil.
    mutating func member(name: String, text: String?) {
        self.name(name)
        if let text { string(text) } else { null() }
    }

    /// Writes a member with an integer; null for nil.
    mutating func member(name: String, number: Int64?) {
        self.name(name)
        if let number { integer(number) } else { null() }
    }

    /// Writes a member with a number in milliseconds precision; null for nil.
    mutating func member(name: String, number: Double?) {
        self.name(name)
        if let number, number.isFinite {
            raw(Array("\((number * 1000).rounded() / 1000)".utf8))
        } else {
            null()
        }
    }

    /// Writes a member with a count.
    mutating func member(name: String, count: Int) { member(name: name, number: Int64(count)) }

    /// Writes a member with a boolean.
    mutating func member(name: String, value: Bool) {
        self.name(name)
        boolean(value)
    }

    /// Writes an array with what `body` writes for each element.
    mutating func array<Elements: Sequence>(
        elements: Elements,
        body: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        beginArray()
        for element in elements { try body(&self, element) }
        endArray()
    }
}
