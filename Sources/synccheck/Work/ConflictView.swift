import EntitySync

/// A record in conflict with what stands against it.
struct ConflictView {
    var entity: EntityDescriptor
    var key: RecordKey
    /// What this device holds.
    var local: SyncRecord?
    /// What the remote says.
    var remote: SyncRecord?
    /// What both sides last agreed on.
    var base: SyncRecord?

    /// All conflicts of the entities, in name and key order.
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

    /// The fields that a person must decide; empty where the record is in conflict as a whole.
    var fields: [String] {
        guard let local, let remote else { return [] }
        return Merge(descriptor: entity).undecidedFields(mine: local, other: remote)
    }

    /// Names the remote's side, for `resolve --against`.
    var version: String? { remote?.metadata.editTimestamp.description }

    /// The object that scripts rely on: `{"entity","key","local","remote","base","fields","version"}`, null for an absent or
    /// deleted side.
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

    /// The fields in which the sides differ, side by side.
    var text: String {
        let comparison = VersionComparison(
            entity: entity,
            versions: [("base", base), ("local", local), ("remote", remote)]
        )
        return "\(entity.name) \(key.text.visible)\n" + comparison.text
    }
}
