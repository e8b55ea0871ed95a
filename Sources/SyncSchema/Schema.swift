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
    public var strategy: Strategy
    /// Whether edits of different fields meet at all.
    public var granularity: Granularity
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
    public var references: [Reference]
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
        strategy: Strategy,
        granularity: Granularity = .record,
        created: String? = nil,
        updated: String? = nil,
        deleted: String? = nil,
        remote: String? = nil,
        naming: Naming = .verbatim,
        unique: [[String]] = [],
        indexes: [[String]] = [],
        limit: Int? = nil,
        references: [Reference] = [],
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

    /// How two edits of one record meet. The raw value is the schema's word.
    public enum Strategy: String, Sendable, Hashable, CaseIterable {
        case preserveLocal = "preserve-local"
        case lastWriteWins = "last-write-wins"
        case setUnion = "set-union"
    }

    /// Whether a record meets another as a whole or field by field.
    public enum Granularity: String, Sendable, Hashable, CaseIterable {
        case record, field
    }

    /// How wire names follow from field names.
    public enum Naming: String, Sendable, Hashable, CaseIterable {
        case verbatim = "verbatim"
        case snakeCase = "snake_case"
        case camelCase = "camelCase"
    }

    /// A field that holds the key of a record of another entity.
    public struct Reference: Sendable, Hashable {
        /// The field of this entity.
        public var field: String
        /// The entity that the field points to.
        public var entity: String
        /// What a delete of the parent does to this record.
        public var onDelete: DeleteRule

        /// Describes a reference.
        public init(field: String, entity: String, onDelete: DeleteRule) {
            self.field = field
            self.entity = entity
            self.onDelete = onDelete
        }
    }

    /// What a delete of the parent does to its children.
    public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
        case cascade, nullify, restrict
    }
}
