/// One entity type as its schema file describes it, after every check has passed.
///
/// A `Schema` holds decisions, not text: names are valid in Swift and SQL, every reference resolves, and every
/// merge rule fits its type. `SchemaLoader` is the only way to get one.
public struct Schema: Sendable, Hashable {
    /// The entity name on the command line and in the store: kebab-case, from the file name.
    public var name: String
    /// The Swift type, from `title`, for example `ReadStatus`.
    public var typeName: String
    /// The `description` of the entity, or empty.
    public var summary: String
    /// `sync.version`; 1 when absent.
    public var version: Int
    /// Fields in the order in which the file lists them.
    public var properties: [Property]
    /// The key fields, at least one.
    public var key: [String]
    /// How two edits of one record meet.
    public var strategy: MergeStrategy
    /// Whether edits of different fields meet at all.
    public var granularity: MergeGranularity
    /// The field that holds the time of creation.
    public var created: String?
    /// The field that holds the time of the last edit.
    public var updated: String?
    /// The field that mirrors the tombstone (a date-time or a boolean).
    public var deleted: String?
    /// The collection's name at the remote, or the entity name when absent.
    public var remote: String?
    /// How wire names follow from field names.
    public var naming: Naming
    /// Field lists of which no two live records share the values. The first one settles.
    public var unique: [[String]]
    /// Field lists that the store indexes.
    public var indexes: [[String]]
    /// The greatest number of live records that a device may write.
    public var limit: Int?
    /// References to other entities, in field order.
    public var references: [ReferenceDescriptor]
    /// How long a tombstone stays, in days; nil for ever.
    public var tombstoneDays: Int?
    /// Whether members that the schema does not name are refused (`additionalProperties: false`).
    /// They are still kept when they come from the remote.
    public var forbidsUnknownFields: Bool

    /// Puts a schema together from parts that hold what the checks promise.
    public init(
        name: String,
        typeName: String,
        summary: String = "",
        version: Int = 1,
        properties: [Property],
        key: [String],
        strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        created: String? = nil,
        updated: String? = nil,
        deleted: String? = nil,
        remote: String? = nil,
        naming: Naming = .verbatim,
        unique: [[String]] = [],
        indexes: [[String]] = [],
        limit: Int? = nil,
        references: [ReferenceDescriptor] = [],
        tombstoneDays: Int? = nil,
        forbidsUnknownFields: Bool = false
    ) {
        self.name = name
        self.typeName = typeName
        self.summary = summary
        self.version = version
        self.properties = properties
        self.key = key
        self.strategy = strategy
        self.granularity = granularity
        self.created = created
        self.updated = updated
        self.deleted = deleted
        self.remote = remote
        self.naming = naming
        self.unique = unique
        self.indexes = indexes
        self.limit = limit
        self.references = references
        self.tombstoneDays = tombstoneDays
        self.forbidsUnknownFields = forbidsUnknownFields
    }

    /// How wire names follow from field names.
    public enum Naming: String, Sendable, Hashable, CaseIterable {
        case verbatim = "verbatim"
        case snakeCase = "snake_case"
        case camelCase = "camelCase"
    }
}
