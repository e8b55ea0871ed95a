import SyncCore

extension EntityDescriptor {
    /// The same fields at the same positions without constraints, to read values that this store wrote: a stricter
    /// schema must not make kept versions unreadable.
    var lenient: EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: typeName,
            version: version,
            fields: fields.map(\.lenient),
            key: key,
            strategy: strategy,
            granularity: granularity,
            created: created,
            updated: updated,
            deleted: deleted,
            remote: remote,
            unique: unique
        )
    }
}
