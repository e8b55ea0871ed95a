public import SyncCore
public import SyncSchema

extension EntityDescriptor {
    /// The descriptor of a checked schema, equal to the generated one.
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
            search: schema.search,
            limit: schema.limit,
            references: schema.references,
            tombstoneDays: schema.tombstoneDays,
            forbidsUnknownFields: schema.forbidsUnknownFields
        )
    }

    /// The descriptors of a checked set of schemas, parents before children, which is the order of syncing.
    public static func descriptors(of schemas: [Schema]) -> [EntityDescriptor] {
        EntityOrder.parentsFirst(
            schemas,
            name: \.name,
            parents: { $0.references.map(\.entity) }
        ).map(EntityDescriptor.init(schema:))
    }
}
