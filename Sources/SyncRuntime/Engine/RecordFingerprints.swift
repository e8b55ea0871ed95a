import SyncCore

/// Fingerprints of what a store shows, by entity, which every device that has seen the same comes to.
///
/// They are computed by a walk over all records, and noted, so that a store in which nothing has changed is not
/// walked again.
struct RecordFingerprints {
    let store: any LocalStore

    /// The fingerprints as of now. An entity in which something waits for the remote or for a person has none: there
    /// devices may differ.
    func current() throws -> [String: Digest] {
        let (noted, state) = try store.read { (try $0.value(StoreValue.fingerprints), try self.state($0)) }
        if let noted, let known = Self.read(noted, of: state) { return known }
        let fingerprints = try store.read { try compute($0) }
        try store.write(.noted) { transaction in
            // What was written since is not part of them.
            guard try self.state(transaction) == state else { return }
            try transaction.setValue(StoreValue.fingerprints, Self.text(fingerprints, of: state))
        }
        return fingerprints
    }

    /// What the records follow from, as text.
    private func state(_ snapshot: any StoreSnapshot) throws -> String {
        let cursor = try snapshot.value(StoreValue.cursor) ?? ""
        return "\(try snapshot.lastSequence()) \(Digest(Array(cursor.utf8)))"
    }

    private func compute(_ snapshot: any StoreSnapshot) throws -> [String: Digest] {
        let unclean = try snapshot.unclean()
        // What is set aside, or waits for its parent, is not told by counts of states.
        let setAside = Set(try snapshot.rejections().map(\.entity))
        var fingerprints: [String: Digest] = [:]
        for entity in store.entities where !unclean.contains(entity.name) && !setAside.contains(entity.name) {
            var (high, low): (UInt64, UInt64) = (0, 0)
            try snapshot.scan(entity, includeHidden: false) { local in
                guard local.visibility == .live else { return }
                let digest = Digest(
                    Array("\(local.version.key.text) \(entity.contentDigest(local.version))".utf8)
                )
                // A sum, so that the order does not matter.
                high &+= digest.high
                low &+= digest.low
            }
            fingerprints["\(entity.name) \(Self.schema(entity))"] = Digest(
                Array("\(high) \(low)".utf8)
            )
        }
        return fingerprints
    }

    /// What tells two schemas of an entity apart: apps of two versions write the same record in different ways.
    private static func schema(_ entity: EntityDescriptor) -> String {
        let fields = entity.fields.map { "\($0.name) \($0.type) \($0.isLocalOnly)" }
        return String(Digest(Array(fields.joined(separator: "\n").utf8)).description.prefix(8))
    }

    private static func text(_ fingerprints: [String: Digest], of state: String) -> String {
        let lines = fingerprints.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return ([state] + lines.map { "\($0.value) \($0.key)" }).joined(separator: "\n")
    }

    private static func read(_ text: String, of state: String) -> [String: Digest]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, first == state else { return nil }
        var fingerprints: [String: Digest] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let digest = Digest(text: parts[0]) else { return nil }
            fingerprints[String(parts[1])] = digest
        }
        return fingerprints
    }
}

extension Digest {
    /// Reads what `description` writes; nil for anything else.
    fileprivate init?(text: some StringProtocol) {
        guard text.utf8.count == 32, let high = DeviceID(text.prefix(16)),
            let low = DeviceID(text.dropFirst(16))
        else { return nil }
        self.init(high: high.bits, low: low.bits)
    }
}
