/// Compares two versions of a set of schemas: the effects of the newer one on existing stores, on older apps
/// of the same account, and on merges.
///
/// Descriptions, titles and the order of fields do not count. A record that an app cannot read is never lost:
/// it is set aside with its bytes and tried again at each sync. So "set aside" in the messages means until
/// the app is updated.
public enum SchemaDiff {
    /// Every change, sorted by entity, field and rule.
    public static func compare(old: [Schema], new: [Schema]) -> [SchemaChange] {
        let former = Dictionary(old.map { (ByteKey($0.name), $0) }) { first, _ in first }
        let present = Dictionary(new.map { (ByteKey($0.name), $0) }) { first, _ in first }
        var removed = old.filter { present[ByteKey($0.name)] == nil }
        var changes: [SchemaChange] = []
        for schema in new {
            if let before = former[ByteKey(schema.name)] {
                changes += EntityComparison(old: before, new: schema).changes()
            } else if let index = removed.firstIndex(where: { isSameEntity(old: $0, new: schema) }) {
                changes.append(.entityRenamed(name: removed.remove(at: index).name, to: schema.name))
            } else {
                changes.append(.entityAdded(name: schema.name))
            }
        }
        changes += removed.map { .entityRemoved(name: $0.name) }
        return changes.sorted()
    }

    /// Whether a schema describes the same entity as another one under a different name.
    private static func isSameEntity(old: Schema, new: Schema) -> Bool {
        if let remote = old.remote, let other = new.remote { return ByteKey(remote) == ByteKey(other) }
        return ByteKey(old.typeName) == ByteKey(new.typeName)
    }
}

extension SchemaChange {
    fileprivate static func entityAdded(name: String) -> SchemaChange {
        SchemaChange(
            rule: .entityAdded,
            entity: name,
            "the entity is new; apps without it set its records aside until they know it, and a server refuses them",
            help: "give the schema to the server before the first app that writes such records"
        )
    }

    fileprivate static func entityRemoved(name: String) -> SchemaChange {
        SchemaChange(
            rule: .entityRemoved,
            entity: name,
            "the entity is gone; its table stays in every store, but what is pending in it is never sent",
            help: "keep the schema until no app has pending edits of it"
        )
    }

    fileprivate static func entityRenamed(name: String, to other: String) -> SchemaChange {
        SchemaChange(
            rule: .entityRenamed,
            entity: other,
            "the entity was called \(name.quoted), and its records and their pending edits stay under that name",
            help:
                "keep the file name \((name + EntityName.suffix).quoted); \"title\" changes the Swift type alone"
        )
    }
}
