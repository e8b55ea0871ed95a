public import SyncCore
public import SyncSchema

extension EntityDescriptor {
    /// The entity that a checked schema describes: equal to the descriptor that is generated for it.
    public init(schema: Schema) {
        self.init(
            name: schema.name,
            typeName: schema.typeName,
            version: schema.version,
            fields: schema.properties.map { FieldDescriptor(property: $0) },
            key: schema.key,
            strategy: schema.strategy,
            granularity: schema.granularity,
            created: schema.created,
            updated: schema.updated,
            deleted: schema.deleted,
            remote: schema.remote,
            unique: schema.unique,
            indexes: schema.indexes,
            limit: schema.limit,
            references: schema.references,
            tombstoneDays: schema.tombstoneDays,
            forbidsUnknownFields: schema.forbidsUnknownFields
        )
    }

    /// The entities of a checked set of schemas, parents before children: the order in which they are synced.
    public static func descriptors(of schemas: [Schema]) -> [EntityDescriptor] {
        EntityOrder.parentsFirst(
            schemas,
            name: \.name,
            parents: { $0.references.map(\.entity) }
        ).map(EntityDescriptor.init(schema:))
    }
}
