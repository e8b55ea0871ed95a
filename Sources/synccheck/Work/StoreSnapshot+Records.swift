import EntitySync

/// Names of small values in the store that the command line reads or keeps.
enum StoreValueName {
    /// The store's incarnation among devices.
    static let device = "device"
    /// When the last sync ended.
    static let lastSync = "last-sync"
    /// The remote of the last sync, as a path.
    static let remote = "remote"
    /// The push that was begun and whose answer did not come yet.
    static let intent = "intent"
    /// The versions of conflicts that a person was last shown.
    static let shownConflicts = "shown-conflicts"
}

extension StoreSnapshot {
    /// The live record that a key leads to: its own, or the one that it was merged into. Nil when there is none.
    func liveRecord(entity: EntityDescriptor, key: RecordKey) throws -> LocalRecord? {
        var key = key
        // NB: chains are short (each merge leads to a smaller key) but a damaged store might hold a ring.
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
    /// The record as plain JSON, names and order as the schema has them.
    func json(record: Record) -> [UInt8] {
        RecordEncoder(descriptor: self, form: .plain).bytes(record)
    }

    /// The version as plain JSON; nil when there is none or when it is a tombstone.
    func json(version: SyncRecord?) -> [UInt8]? {
        guard let version, !version.isDeleted else { return nil }
        return json(record: version.record)
    }
}

extension JSONWriter {
    /// Writes a member that holds JSON text, null when there is none.
    mutating func member(name: String, json: [UInt8]?) {
        self.name(name)
        if let json { raw(json) } else { null() }
    }

    /// Writes a member that holds text, null when there is none.
    mutating func member(name: String, text: String?) {
        self.name(name)
        if let text { string(text) } else { null() }
    }

    /// Writes a member that holds an integer, null when there is none.
    mutating func member(name: String, number: Int64?) {
        self.name(name)
        if let number { integer(number) } else { null() }
    }

    /// Writes a member that holds a number to the millisecond, null when there is none.
    mutating func member(name: String, number: Double?) {
        self.name(name)
        if let number, number.isFinite {
            raw(Array("\((number * 1000).rounded() / 1000)".utf8))
        } else {
            null()
        }
    }

    /// Writes a member that holds a count.
    mutating func member(name: String, count: Int) { member(name: name, number: Int64(count)) }

    /// Writes a member that holds true or false.
    mutating func member(name: String, value: Bool) {
        self.name(name)
        boolean(value)
    }

    /// Writes an array of what `body` writes for each element.
    mutating func array<Elements: Sequence>(
        elements: Elements,
        body: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        beginArray()
        for element in elements { try body(&self, element) }
        endArray()
    }
}
