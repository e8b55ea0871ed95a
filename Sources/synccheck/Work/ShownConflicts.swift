import EntitySync
import Foundation
import SyncCore

/// Remembers, in the store, which remote version of each conflict was last shown to a person, so that
/// `resolve` refers to exactly that version.
struct ShownConflicts: Codable, Hashable {
    private var all: [Shown] = []

    private struct Shown: Codable, Hashable {
        var entity: String
        var key: String
        /// The version's id, as in `resolve --against`.
        var version: String
    }

    /// Reads the saved state; empty if it is missing or unreadable.
    init(_ snapshot: any StoreSnapshot) throws {
        guard let text = try snapshot.value(name: StoreValueName.shownConflicts) else { return }
        // NB: if the saved state is damaged, the person has to view the conflict again, but no value is lost.
        all = (try? JSONDecoder().decode([Shown].self, from: Data(text.utf8))) ?? []
    }

    /// The version of a record that was shown; nil if none was.
    func version(entity: EntityDescriptor, key: RecordKey) -> EditTimestamp? {
        all.first { $0.entity == entity.name && $0.key == key.text }.flatMap { EditTimestamp($0.version) }
    }

    /// Removes a record after its conflict was resolved.
    mutating func remove(entity: EntityDescriptor, key: RecordKey) {
        all.removeAll { $0.entity == entity.name && $0.key == key.text }
    }

    /// Replaces the conflicts of some entities by a complete list.
    mutating func replace(_ entities: [EntityDescriptor], by conflicts: [ConflictView]) {
        let names = Set(entities.map(\.name))
        all.removeAll { names.contains($0.entity) }
        for conflict in conflicts { add(entity: conflict.entity, key: conflict.key, remote: conflict.remote) }
    }

    /// Replaces the conflict of one record.
    mutating func replace(entity: EntityDescriptor, key: RecordKey, by remote: SyncRecord?) {
        remove(entity: entity, key: key)
        add(entity: entity, key: key, remote: remote)
    }

    private mutating func add(entity: EntityDescriptor, key: RecordKey, remote: SyncRecord?) {
        guard let version = remote?.metadata.editTimestamp.description else { return }
        all.append(Shown(entity: entity.name, key: key.text, version: version))
    }

    /// Saves the state in the store.
    func save(_ transaction: any StoreTransaction) throws {
        let text = String(decoding: try JSONEncoder().encode(all), as: UTF8.self)
        try transaction.setValue(StoreValueName.shownConflicts, value: all.isEmpty ? nil : text)
    }
}

extension LocalStore {
    /// Saves what was shown if the store is writable. A store that is read-only or locked by another process
    /// can still be viewed.
    func remember(change: (inout ShownConflicts) -> Void) throws {
        do {
            var changed = try read { try ShownConflicts($0) }
            let before = changed
            change(&changed)
            guard changed != before else { return }
            try write(.pulled) { transaction in
                // Another process may have shown other conflicts meanwhile.
                var current = try ShownConflicts(transaction)
                change(&current)
                try current.save(transaction)
            }
        } catch let error as SyncError where [.busy, .notPermitted, .inputOutput].contains(error.kind) {
            return
        }
    }

    /// Saves that the journal was shown, as `remember` does.
    func rememberDecisionsShown() throws {
        do {
            try markDecisionsSeen()
        } catch let error as SyncError where [.busy, .notPermitted, .inputOutput].contains(error.kind) {
            return
        }
    }
}
