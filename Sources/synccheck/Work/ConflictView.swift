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
    static func all(_ snapshot: any StoreSnapshot, _ entities: [EntityDescriptor]) throws -> [ConflictView] {
        try entities.flatMap { entity in
            try snapshot.allKeys(entity, in: .conflict).map { key in
                ConflictView(
                    entity: entity,
                    key: key,
                    local: try snapshot.load(entity, key)?.version,
                    remote: try snapshot.side(entity, key, .remote),
                    base: try snapshot.side(entity, key, .base)
                )
            }
        }
    }

    /// The fields that a person must decide; empty where the record is in conflict as a whole.
    var fields: [String] {
        guard let local, let remote else { return [] }
        return Merge(entity).undecidedFields(local, remote)
    }

    /// Names the remote's side, for `resolve --against`.
    var version: String? { remote?.stamp.mark.description }

    /// The object that scripts rely on: `{"entity","key","local","remote","base","fields","version"}`, null for an absent or
    /// deleted side.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("entity", entity.name)
        writer.member("key", key.text)
        writer.member("local", json: entity.json(local))
        writer.member("remote", json: entity.json(remote))
        writer.member("base", json: entity.json(base))
        writer.name("fields")
        writer.array(fields) { $0.string($1) }
        writer.member("version", version)
        writer.endObject()
    }

    /// The fields in which the sides differ, side by side.
    var text: String {
        let comparison = VersionComparison(
            entity,
            [("base", base), ("local", local), ("remote", remote)]
        )
        return "\(entity.name) \(key.text.visible)\n" + comparison.text
    }
}
