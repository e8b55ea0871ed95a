import SyncCore

extension EntityDescriptor {
    /// The same entity with other fields, as in another version of its schema.
    func with(fields: [FieldDescriptor], version: Int? = nil) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: typeName,
            version: version ?? self.version,
            fields: fields,
            key: key,
            strategy: strategy,
            granularity: granularity,
            created: created,
            updated: updated,
            deleted: deleted,
            remote: remote,
            unique: unique,
            indexes: indexes,
            search: search,
            limit: limit,
            references: references,
            tombstoneDays: tombstoneDays,
            forbidsUnknownFields: forbidsUnknownFields
        )
    }
}
