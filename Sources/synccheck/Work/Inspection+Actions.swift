import EntitySync
import SyncCore
import SyncInspector
import SyncRuntime

/// What the buttons of a live page do; the same as the commands next to them.
extension Inspection {
    /// Resolves a conflict, as `resolve` does.
    func resolve(_ record: RecordName, with resolution: Resolution, answering version: EditTimestamp?) throws
    {
        let entity = try workspace.entity(name: record.entity)
        try writer.write { session in
            try session.resolve(entity: entity, key: record.key, with: resolution, answering: version)
            var shown = try ShownConflicts(session.transaction)
            shown.remove(entity: entity, key: record.key)
            try shown.save(session.transaction)
        }
    }

    /// Sends a rejected record again, as `rejected retry` does.
    func retry(_ record: RecordName) throws {
        try writer.retry(entity: try workspace.entity(name: record.entity), key: record.key)
    }

    /// Brings a lost value back, as `restore` does. False if the record had it already.
    func restore(journal id: String, withParents: Bool, over shown: ShownVersion) throws -> Bool {
        try writer.restore(journal: id, withParents: withParents, over: shown).isChanged
    }

    private var writer: LocalWriter {
        LocalWriter(store: store, clock: workspace.clock, random: workspace.random)
    }
}
