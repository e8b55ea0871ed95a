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
            if let all = try store.read({ try known($0) }) { return all }
            try store.write(.noted) { transaction in
                for entity in try compared(transaction) {
                    try transaction.refreshFingerprint(entity, atMost: Self.rowsAtOnce)
                }
            }
        }
    }

    private func known(_ snapshot: any StoreSnapshot) throws -> [String: Digest]? {
        var fingerprints: [String: Digest] = [:]
        for entity in try compared(snapshot) {
            guard let fingerprint = try snapshot.fingerprint(entity) else { return nil }
            fingerprints["\(entity.name) \(entity.contentSchema)"] = fingerprint
        }
        return fingerprints
    }

    private func compared(_ snapshot: any StoreSnapshot) throws -> [EntityDescriptor] {
        let unclean = try snapshot.unclean()
        // What is set aside, or waits for its parent, is not told by counts of states.
        let setAside = Set(try snapshot.rejections().map(\.entity))
        return store.entities.filter { !unclean.contains($0.name) && !setAside.contains($0.name) }
    }
}
