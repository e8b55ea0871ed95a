import SyncCore

/// Fingerprints of a store's live records, by entity. Devices that have seen the same have equal fingerprints.
struct RecordFingerprints {
    /// How many records one refresh processes. It takes some 20 ms, for which writers of other processes wait.
    private static let rowsAtOnce = 4_096
    /// After how many of them a waiting writer of this process gets its turn.
    private static let rowsBetweenLooks = 1_024

    let store: any LocalStore

    /// The present fingerprints. An entity with pending changes, conflicts or rejections has none: there devices may
    /// differ.
    func current() throws -> [String: Digest] {
        while true {
            if let all = try store.read({ try known(snapshot: $0) }) { return all }
            try refresh()
        }
    }

    /// Updates the fingerprints with recently written records, a limited number in one transaction.
    func refresh() throws {
        try store.write(.noted) { transaction in
            let entities = try compared(snapshot: transaction)
            var rows = 0
            repeat {
                let next = try entities.first { try transaction.fingerprint(entity: $0) == nil }
                guard let next else { return }
                rows += try transaction.refreshFingerprint(entity: next, atMost: Self.rowsBetweenLooks)
            } while rows < Self.rowsAtOnce && !store.isAwaited(after: rows)
        }
    }

    /// The fingerprints of a snapshot; nil if they must be updated first.
    func known(snapshot: any StoreSnapshot) throws -> [String: Digest]? {
        var fingerprints: [String: Digest] = [:]
        for entity in try compared(snapshot: snapshot) {
            guard let fingerprint = try snapshot.fingerprint(entity: entity) else { return nil }
            fingerprints[name(entity: entity)] = fingerprint
        }
        return fingerprints
    }

    /// The names under which entities are compared: each with its schema.
    func names(snapshot: any StoreSnapshot) throws -> Set<String> {
        Set(try compared(snapshot: snapshot).map(name))
    }

    private func name(entity: EntityDescriptor) -> String { "\(entity.name) \(entity.contentSchema)" }

    private func compared(snapshot: any StoreSnapshot) throws -> [EntityDescriptor] {
        let unclean = try snapshot.unclean()
        // Counts by state do not show rejected records, or children that wait for their parent.
        var setAside = Set(try snapshot.rejections().map(\.entity))
        for entity in store.entities where try !snapshot.setAside(entity).isEmpty {
            setAside.insert(entity.name)
        }
        return store.entities.filter { !unclean.contains($0.name) && !setAside.contains($0.name) }
    }
}
