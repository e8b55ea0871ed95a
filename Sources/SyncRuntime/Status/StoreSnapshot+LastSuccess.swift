package import SyncCore

/// When the entities were last exchanged that the last successful syncs left out.
///
/// Stored as lines: an entity's name, a tab, and the time, which is empty if there is none. Without a line, the last
/// successful sync was the last one for the entity, too.
extension StoreSnapshot {
    /// When a successful sync last covered an entity; nil if none did.
    package func lastSuccess(of entity: String) throws -> Timestamp? {
        let time = try skipped()[entity] ?? value(name: StoreValue.lastSuccess)
        return time.flatMap { Timestamp($0) }
    }

    /// The times of entities that were left out, by name.
    fileprivate func skipped() throws -> [String: String] {
        let lines = try value(name: StoreValue.skipped)?.split(separator: "\n") ?? []
        return lines.reduce(into: [:]) { times, line in
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { times[String(parts[0])] = String(parts[1]) }
        }
    }
}

extension StoreTransaction {
    /// Notes that a sync has succeeded, which covered these of the entities; nil for all.
    func noteSuccess(at now: Timestamp, covering covered: Set<String>?, of entities: [EntityDescriptor])
        throws
    {
        let before = try skipped()
        let last = try value(name: StoreValue.lastSuccess) ?? ""
        let lines = entities.map(\.name).sorted().compactMap { name in
            covered?.contains(name) ?? true ? nil : "\(name)\t\(before[name] ?? last)"
        }
        try setValue(StoreValue.skipped, value: lines.isEmpty ? nil : lines.joined(separator: "\n"))
        try setValue(StoreValue.lastSuccess, value: now.description)
    }
}
