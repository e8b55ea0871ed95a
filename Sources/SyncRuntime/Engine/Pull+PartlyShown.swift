package import SyncCore

/// Entities of which a remote with scopes shows a device only a part.
extension Pull {
    /// Notes whether the remote shows all records of an entity.
    func noteShown(_ entity: String, isWhole: Bool, transaction: any StoreTransaction) throws {
        var names = try transaction.partlyShown()
        guard names.contains(entity) == isWhole else { return }
        if isWhole { names.remove(entity) } else { names.insert(entity) }
        let text = names.isEmpty ? nil : names.sorted().joined(separator: " ")
        try transaction.setValue(StoreValue.partlyShown, value: text)
    }
}

extension StoreValue {
    /// The entities of which the remote shows this device only a part.
    static let partlyShown = "partly-shown"
}

extension StoreSnapshot {
    /// The entities of which the remote shows only a part. A record of them that is missing may exist.
    func partlyShown() throws -> Set<String> {
        Set(try value(name: StoreValue.partlyShown)?.split(separator: " ").map(String.init) ?? [])
    }

    /// How many children wait for their parent, by entity. A parent that the remote does not show to this device is not
    /// waited for.
    package func waitingChildren(of entities: [EntityDescriptor]) throws -> [String: Int] {
        let ignored = try partlyShown()
        return try entities.reduce(into: [:]) { counts, entity in
            counts[entity.name] = try orphans(entity: entity, ignoring: ignored)
        }
    }
}
