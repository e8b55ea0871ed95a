package import SyncCore

extension StoreSnapshot {
    /// Whether a version that was read from a store can be saved here: from this one, or from one whose records were
    /// adopted.
    package func holds(versionsOf store: StoreID) throws -> Bool {
        try store == storeID || adoptedStores().contains(store.hex)
    }

    /// A version that was read from a store, and what a form made of it, as they are in this one: adoption made the account
    /// the owner, which nobody edited.
    func adopted(
        _ base: Record,
        _ mine: Record,
        of entity: EntityDescriptor,
        from store: StoreID?
    ) throws -> (base: Record, mine: Record) {
        guard let store, store != storeID, try adoptedStores().contains(store.hex),
            let text = try value(name: StoreValue.adoptedOwner), let names = Self.strings(text),
            let owner = names.first
        else { return (base, mine) }
        var (base, mine) = (base, mine)
        for index in stride(from: 1, to: names.count - 1, by: 2) where names[index] == entity.name {
            guard let position = entity.layout.position(of: names[index + 1]) else { continue }
            if mine.values[position] == base.values[position] { mine.values[position] = .text(owner) }
            base.values[position] = .text(owner)
        }
        return (base, mine)
    }

    private static func strings(_ text: String) -> [String]? {
        try? Array(text.utf8).withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            return try reader.strings()
        }
    }

    fileprivate func adoptedStores() throws -> [String] {
        try value(name: StoreValue.adoptedStores)?.split(separator: ",").map(String.init) ?? []
    }
}

extension StoreTransaction {
    /// Notes that the records of a store were adopted, so that a form that has one of them open can be saved. `owner`: whom
    /// the fields name since, by entity.
    func adoptVersions(of store: StoreID, owner: FieldValue, fields: [String: String]) throws {
        if case .text(let name) = owner, !fields.isEmpty {
            var writer = JSONWriter()
            writer.strings([name] + fields.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
            try setValue(StoreValue.adoptedOwner, value: writer.text)
        }
        let known = try adoptedStores()
        if known.contains(store.hex) { return }
        try setValue(StoreValue.adoptedStores, value: (known + [store.hex]).joined(separator: ","))
    }
}
