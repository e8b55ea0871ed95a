/// The runtime's description of an entity. Generated code has one per entity; `SyncDynamic` makes one from a schema.
public struct EntityDescriptor: Sendable {
    /// The entity's name in kebab-case. With `_` for `-` it is the table's name.
    @inlinable public var name: String { shared.parts.name }
    /// The Swift type's name.
    @inlinable public var typeName: String { shared.parts.typeName }
    /// The schema's version.
    @inlinable public var version: Int { shared.parts.version }
    /// Fields in schema order.
    @inlinable public var fields: [FieldDescriptor] { shared.parts.fields }
    /// The key fields.
    @inlinable public var key: [String] { shared.parts.key }
    /// How concurrent edits of a record merge.
    @inlinable public var strategy: MergeStrategy { shared.parts.strategy }
    /// Whether they merge as a whole or field by field.
    @inlinable public var granularity: MergeGranularity { shared.parts.granularity }
    /// The field that holds the time of creation.
    @inlinable public var created: String? { shared.parts.created }
    /// The field that holds the time of the last edit.
    @inlinable public var updated: String? { shared.parts.updated }
    /// The field that mirrors the tombstone.
    @inlinable public var deleted: String? { shared.parts.deleted }
    /// The collection's name at the remote.
    @inlinable public var remote: String { shared.parts.remote }
    /// Field lists whose values no two live records share. The first one decides which records are duplicates.
    @inlinable public var unique: [[String]] { shared.parts.unique }
    /// Field lists that the store indexes.
    @inlinable public var indexes: [[String]] { shared.parts.indexes }
    /// The fields whose words are searched; empty if there is no search.
    @inlinable public var search: [String] { shared.parts.search }
    /// The greatest number of live records that a device may write.
    @inlinable public var limit: Int? { shared.parts.limit }
    /// References to other entities.
    @inlinable public var references: [ReferenceDescriptor] { shared.parts.references }
    /// How long a tombstone stays, in days; nil for ever.
    @inlinable public var tombstoneDays: Int? { shared.parts.tombstoneDays }
    /// Whether a local write with unknown members is rejected.
    @inlinable public var forbidsUnknownFields: Bool { shared.parts.forbidsUnknownFields }
    /// Positions and tables computed once from the members above.
    @inlinable public var layout: EntityLayout { shared.layout }

    /// NB: a descriptor is passed to nearly every call. As one reference, its copy costs the same whatever it
    /// contains.
    @usableFromInline let shared: Shared

    /// Describes an entity. Names must come from a checked schema: an unknown field name is a programming error.
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
        search: [String] = [],
        limit: Int? = nil,
        references: [ReferenceDescriptor] = [],
        tombstoneDays: Int? = nil,
        forbidsUnknownFields: Bool = false
    ) {
        shared = Shared(
            parts: Parts(
                name: name,
                typeName: typeName,
                version: version,
                fields: fields,
                key: key,
                strategy: strategy,
                granularity: granularity,
                created: created,
                updated: updated,
                deleted: deleted,
                remote: remote ?? name,
                unique: unique,
                indexes: indexes,
                search: search,
                limit: limit,
                references: references,
                tombstoneDays: tombstoneDays,
                forbidsUnknownFields: forbidsUnknownFields
            ),
            layout: EntityLayout(
                fields: fields,
                key: key,
                strategy: strategy,
                granularity: granularity,
                created: created,
                updated: updated,
                deleted: deleted,
                unique: unique
            ),
            choice: nil
        )
    }

    /// A copy of what a schema says, with the strategy that a person chose in its place.
    init(bySchema schema: EntityDescriptor, strategy: MergeStrategy, asking: EntityDescriptor?) {
        var parts = schema.shared.parts
        parts.strategy = strategy
        shared = Shared(
            parts: parts,
            layout: EntityLayout(
                fields: parts.fields,
                key: parts.key,
                strategy: strategy,
                granularity: parts.granularity,
                created: parts.created,
                updated: parts.updated,
                deleted: parts.deleted,
                unique: parts.unique
            ),
            choice: Choice(bySchema: schema, asking: asking)
        )
    }

    /// The table's name: the entity's name with `_` for `-`.
    public var table: String { Self.table(entity: name) }

    /// The table's name of the entity with this name.
    package static func table(entity name: String) -> String { name.replacing("-", with: "_") }

    /// The name of the view of its live records.
    package var liveView: String { table + "_live" }
}

extension EntityDescriptor: Hashable {
    public static func == (left: EntityDescriptor, right: EntityDescriptor) -> Bool {
        left.shared === right.shared || left.shared.parts == right.shared.parts
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(fields)
    }
}

extension EntityDescriptor {
    /// The parts that all copies of a descriptor share.
    @usableFromInline
    final class Shared: Sendable {
        @usableFromInline let parts: Parts
        @usableFromInline let layout: EntityLayout
        /// What a copy was made of; nil for what a schema says.
        let choice: Choice?

        init(parts: Parts, layout: EntityLayout, choice: Choice?) {
            self.parts = parts
            self.layout = layout
            self.choice = choice
        }
    }

    /// The parts of a descriptor, as given.
    @usableFromInline
    struct Parts: Sendable, Equatable {
        @usableFromInline let name: String
        @usableFromInline let typeName: String
        @usableFromInline let version: Int
        @usableFromInline let fields: [FieldDescriptor]
        @usableFromInline let key: [String]
        @usableFromInline var strategy: MergeStrategy
        @usableFromInline let granularity: MergeGranularity
        @usableFromInline let created: String?
        @usableFromInline let updated: String?
        @usableFromInline let deleted: String?
        @usableFromInline let remote: String
        @usableFromInline let unique: [[String]]
        @usableFromInline let indexes: [[String]]
        @usableFromInline let search: [String]
        @usableFromInline let limit: Int?
        @usableFromInline let references: [ReferenceDescriptor]
        @usableFromInline let tombstoneDays: Int?
        @usableFromInline let forbidsUnknownFields: Bool
    }
}
