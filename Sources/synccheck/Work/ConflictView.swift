import EntitySync
import SyncCore
import SyncInspector
import SyncRuntime

/// A record in conflict with its three sides.
struct ConflictView {
    var entity: EntityDescriptor
    var key: RecordKey
    /// The local version.
    var local: SyncRecord?
    /// The remote's version.
    var remote: SyncRecord?
    /// The last version that both sides agreed on.
    var base: SyncRecord?

    /// All conflicts of the entities, sorted by name and key.
    static func all(snapshot: any StoreSnapshot, entities: [EntityDescriptor]) throws -> [ConflictView] {
        try entities.flatMap { entity in
            try snapshot.allKeys(entity: entity, in: .conflict).map { key in
                ConflictView(
                    entity: entity,
                    key: key,
                    local: try snapshot.load(entity: entity, key: key)?.version,
                    remote: try snapshot.side(entity: entity, key: key, kind: .remote),
                    base: try snapshot.side(entity: entity, key: key, kind: .base)
                )
            }
        }
    }

    /// The conflicting fields; empty if the whole record is in conflict.
    var fields: [String] {
        guard let local, let remote else { return [] }
        return Merge(descriptor: entity).undecidedFields(mine: local, other: remote)
    }

    /// The id of the remote's version, for `resolve --against`.
    var version: String? { remote?.metadata.editTimestamp.description }

    /// Writes the object for scripts: `{"entity","key","local","remote","base","fields","version"}`, with
    /// null for a missing or deleted side.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(name: "entity", text: entity.name)
        writer.member(name: "key", text: key.text)
        writer.member(name: "local", json: entity.json(version: local))
        writer.member(name: "remote", json: entity.json(version: remote))
        writer.member(name: "base", json: entity.json(version: base))
        writer.name("fields")
        writer.array(elements: fields) { $0.string($1) }
        writer.member(name: "version", text: version)
        writer.endObject()
    }

    /// The fields to decide with the value of each side; all that differ if the whole record is in conflict.
    var text: String {
        var comparison = VersionComparison(
            entity: entity,
            versions: [("base", base), ("local", local), ("remote", remote)]
        )
        if !fields.isEmpty { comparison.fields = Set(fields) }
        if ReportedConflict.isForgotten(base: base, local: local, remote: remote) {
            comparison.forgotten = "base"
        }
        return "\(entity.name) \(key.text.visible)\n" + comparison.text
    }

    /// A line with a command for each side, or why there is none.
    func ways(commands: StoreCommands) -> String {
        let record = RecordName(entity: entity.name, key: key)
        let ways = ["local", "remote"].compactMap {
            commands.resolve(record, keep: $0, against: version)
        }
        return (ways.isEmpty ? [StoreCommands.noCommand] : ways).map { "  \($0)\n" }.joined()
    }
}
