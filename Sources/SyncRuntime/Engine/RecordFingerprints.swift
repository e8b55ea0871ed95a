import SyncCore

/// Fingerprints of what a store shows, by entity, which every device that has seen the same comes to.
struct RecordFingerprints {
    /// How many records are looked at in one transaction: others wait for it a tenth of a second at most.
    private static let rowsAtOnce = 20_000

    let store: any LocalStore

    /// The fingerprints as of now. An entity in which something waits for the remote or for a person has none: there
    /// devices may differ.
    func current() throws -> [String: Digest] {
        while true {
            if let all = try store.read({ try known(snapshot: $0) }) { return all }
            try refresh()
        }
    }

    /// Looks at records that were written since somebody looked, in one transaction at so many of each entity.
    func refresh() throws {
        try store.write(.noted) { transaction in
            for entity in try compared(snapshot: transaction) {
                try transaction.refreshFingerprint(entity: entity, atMost: Self.rowsAtOnce)
            }
        }
    }

    /// The fingerprints of a snapshot; nil where somebody has to look at records first.
    func known(snapshot: any StoreSnapshot) throws -> [String: Digest]? {
        var fingerprints: [String: Digest] = [:]
        for entity in try compared(snapshot: snapshot) {
            guard let fingerprint = try snapshot.fingerprint(entity: entity) else { return nil }
            fingerprints[name(entity: entity)] = fingerprint
        }
        return fingerprints
    }

    /// The names of the entities that are compared, each with its schema.
    func names(snapshot: any StoreSnapshot) throws -> Set<String> {
        Set(try compared(snapshot: snapshot).map(name))
    }

    private func name(entity: EntityDescriptor) -> String { "\(entity.name) \(entity.contentSchema)" }

    private func compared(snapshot: any StoreSnapshot) throws -> [EntityDescriptor] {
        let unclean = try snapshot.unclean()
        // What is set aside, or waits for its parent, is not told by counts of states.
        let setAside = Set(try snapshot.rejections().map(\.entity))
        return store.entities.filter { !unclean.contains($0.name) && !setAside.contains($0.name) }
    }
}
