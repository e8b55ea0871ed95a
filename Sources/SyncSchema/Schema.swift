/// A checked entity type, as its schema file describes it.
///
/// All names are valid in Swift and SQL, every reference resolves, and every merge rule fits its type. Use
/// `SchemaLoader` to get schemas.
public struct Schema: Sendable, Hashable {
    /// The entity name for the command line and the store: kebab-case, from the file name.
    public var name: String
    /// The Swift type from `title`, for example `ReadStatus`.
    public var typeName: String
    /// The `description` of the entity; empty if there is none.
    public var summary: String
    /// `sync.version`; 1 if it is missing.
    public var version: Int
    /// Fields in file order.
    public var properties: [Property]
    /// The key fields, at least one.
    public var key: [String]
    /// How concurrent edits of a record are merged.
    public var strategy: MergeStrategy
    /// Whether edits of different fields are merged or conflict.
    public var granularity: MergeGranularity
    /// The field with the time of creation.
    public var created: String?
    /// The field with the time of the last edit.
    public var updated: String?
    /// The field that mirrors the tombstone (a date-time or a boolean).
    public var deleted: String?
    /// The name of the remote collection; nil for the entity name.
    public var remote: String?
    /// How wire names are derived from field names.
    public var naming: Naming
    /// Field lists whose values must be unique among live records. Devices merge records with equal values of
    /// the first list; the other lists are checked on local writes only.
    public var unique: [[String]]
    /// Field lists with an index in the store.
    public var indexes: [[String]]
    /// The fields whose words the store indexes for search.
    public var search: [String]
    /// The most live records that a device may write.
    public var limit: Int?
    /// References to other entities, in field order.
    public var references: [ReferenceDescriptor]
    /// The retention of tombstones in days; nil for ever.
    public var tombstoneDays: Int?
    /// How the table in an SQL database differs from the one that would be generated; nil if it does not.
    public var sql: SQLTable?
    /// Whether unknown members are refused (`additionalProperties: false`). They are still kept in records
    /// from the remote.
    public var forbidsUnknownFields: Bool

    /// Makes a schema from parts that have passed all checks.
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
        search: [String] = [],
        limit: Int? = nil,
        references: [ReferenceDescriptor] = [],
        tombstoneDays: Int? = nil,
        sql: SQLTable? = nil,
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
        self.search = search
        self.limit = limit
        self.references = references
        self.tombstoneDays = tombstoneDays
        self.sql = sql
        self.forbidsUnknownFields = forbidsUnknownFields
    }

    /// How wire names are derived from field names.
    public enum Naming: String, Sendable, Hashable, CaseIterable {
        case verbatim = "verbatim"
        case snakeCase = "snake_case"
        case camelCase = "camelCase"
    }
}
