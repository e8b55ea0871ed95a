/// One entity type as the runtime knows it. Generated code holds one per entity; `SyncDynamic` makes one from a schema.
public struct EntityDescriptor: Sendable {
    /// The entity's name, kebab-case; with `-` as `_` it is the table's name.
    public let name: String
    /// The Swift type's name.
    public let typeName: String
    /// The schema's version.
    public let version: Int
    /// Fields in schema order.
    public let fields: [FieldDescriptor]
    /// The key fields.
    public let key: [String]
    /// How two edits of one record meet.
    public let strategy: MergeStrategy
    /// Whether they meet as a whole or field by field.
    public let granularity: MergeGranularity
    /// The field that holds the time of creation.
    public let created: String?
    /// The field that holds the time of the last edit.
    public let updated: String?
    /// The field that mirrors the tombstone.
    public let deleted: String?
    /// The collection's name at the remote.
    public let remote: String
    /// Field lists of which no two live records share the values. The first one settles.
    public let unique: [[String]]
    /// Field lists that the store indexes.
    public let indexes: [[String]]
    /// The greatest number of live records that a device may write.
    public let limit: Int?
    /// References to other entities.
    public let references: [ReferenceDescriptor]
    /// How long a tombstone stays, in days; nil for ever.
    public let tombstoneDays: Int?
    /// Whether a local write with members that the schema does not name is refused.
    public let forbidsUnknownFields: Bool
    /// Positions and tables computed once from the members above.
    public let layout: EntityLayout

    /// Describes an entity. Names must come from a checked schema: an unknown field name is a programmer's error.
    public init(
        name: String,
        typeName: String,
        version: Int = 1,
        fields: [FieldDescriptor],
        key: [String],
        strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        created: String? = nil,
        updated: String? = nil,
        deleted: String? = nil,
        remote: String? = nil,
        unique: [[String]] = [],
        indexes: [[String]] = [],
        limit: Int? = nil,
        references: [ReferenceDescriptor] = [],
        tombstoneDays: Int? = nil,
        forbidsUnknownFields: Bool = false
    ) {
        self.name = name
        self.typeName = typeName
        self.version = version
        self.fields = fields
        self.key = key
        self.strategy = strategy
        self.granularity = granularity
        self.created = created
        self.updated = updated
        self.deleted = deleted
        self.remote = remote ?? name
        self.unique = unique
        self.indexes = indexes
        self.limit = limit
        self.references = references
        self.tombstoneDays = tombstoneDays
        self.forbidsUnknownFields = forbidsUnknownFields
        layout = EntityLayout(
            fields: fields,
            key: key,
            strategy: strategy,
            granularity: granularity,
            created: created,
            updated: updated,
            deleted: deleted,
            unique: unique
        )
    }

    /// The table's name: the entity's name with `-` as `_`.
    public var table: String { name.replacing("-", with: "_") }
}

extension EntityDescriptor: Hashable {
    public static func == (left: EntityDescriptor, right: EntityDescriptor) -> Bool {
        left.name == right.name && left.typeName == right.typeName && left.version == right.version
            && left.fields == right.fields && left.key == right.key && left.strategy == right.strategy
            && left.granularity == right.granularity && left.created == right.created
            && left.updated == right.updated && left.deleted == right.deleted && left.remote == right.remote
            && left.unique == right.unique && left.indexes == right.indexes && left.limit == right.limit
            && left.references == right.references && left.tombstoneDays == right.tombstoneDays
            && left.forbidsUnknownFields == right.forbidsUnknownFields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(fields)
    }
}
