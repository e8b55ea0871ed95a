import EntitySync
import Foundation

/// Which version of the remote a person was last shown of each record in conflict, so that `resolve` answers that version and
/// no other. The store remembers it.
struct ShownConflicts: Codable, Hashable {
    private var all: [Shown] = []

    private struct Shown: Codable, Hashable {
        var entity: String
        var key: String
        /// As `resolve --against` takes it.
        var version: String
    }

    /// What the store remembers; nothing where it remembers nothing that can be read.
    init(_ snapshot: any StoreSnapshot) throws {
        guard let text = try snapshot.value(name: StoreValueName.shownConflicts) else { return }
        // NB: what is damaged here costs a person one more look at the conflict, and no value.
        all = (try? JSONDecoder().decode([Shown].self, from: Data(text.utf8))) ?? []
    }

    /// The version that was shown of a record; nil where none was.
    func version(entity: EntityDescriptor, key: RecordKey) -> EditTimestamp? {
        all.first { $0.entity == entity.name && $0.key == key.text }.flatMap { EditTimestamp($0.version) }
    }

    /// Forgets what was shown of a record: it is decided.
    mutating func remove(entity: EntityDescriptor, key: RecordKey) {
        all.removeAll { $0.entity == entity.name && $0.key == key.text }
    }

    /// Notes the conflicts of some entities, all that there are.
    mutating func replace(_ entities: [EntityDescriptor], by conflicts: [ConflictView]) {
        let names = Set(entities.map(\.name))
        all.removeAll { names.contains($0.entity) }
        for conflict in conflicts { add(entity: conflict.entity, key: conflict.key, remote: conflict.remote) }
    }

    /// Notes one record in conflict.
    mutating func replace(entity: EntityDescriptor, key: RecordKey, by remote: SyncRecord?) {
        remove(entity: entity, key: key)
        add(entity: entity, key: key, remote: remote)
    }

    private mutating func add(entity: EntityDescriptor, key: RecordKey, remote: SyncRecord?) {
        guard let version = remote?.metadata.editTimestamp.description else { return }
        all.append(Shown(entity: entity.name, key: key.text, version: version))
    }

    /// Writes it into the store.
    func save(_ transaction: any StoreTransaction) throws {
        let text = String(decoding: try JSONEncoder().encode(all), as: UTF8.self)
        try transaction.setValue(StoreValueName.shownConflicts, value: all.isEmpty ? nil : text)
    }
}

extension LocalStore {
    /// Notes what a person was shown, where the store can be written. One that cannot be, or that another process holds, is
    /// read all the same.
    func remember(_ change: (inout ShownConflicts) -> Void) throws {
        do {
            var changed = try read { try ShownConflicts($0) }
            let before = changed
            change(&changed)
            guard changed != before else { return }
            try write(.pulled) { transaction in
                // Another process may have shown something meanwhile.
                var current = try ShownConflicts(transaction)
                change(&current)
                try current.save(transaction)
            }
        } catch let error as SyncError where [.busy, .notPermitted, .inputOutput].contains(error.kind) {
            return
        }
    }

    /// Notes that a person was shown the automatic decisions, as `remember` does.
    func rememberDecisionsShown() throws {
        do {
            try markDecisionsSeen()
        } catch let error as SyncError where [.busy, .notPermitted, .inputOutput].contains(error.kind) {
            return
        }
    }
}
