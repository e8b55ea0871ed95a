import SyncCore

extension EntityDescriptor {
    /// The same entity with other fields, as in another version of its schema.
    func with(fields: [FieldDescriptor], version: Int? = nil) -> EntityDescriptor {
        var sketch = EntitySketch(self)
        sketch.fields = fields
        sketch.version = version ?? self.version
        return sketch.entity
    }
}

/// The parts of an entity, to make another version of it.
struct EntitySketch {
    var name: String
    var typeName: String
    var version: Int
    var fields: [FieldDescriptor]
    var key: [String]
    var strategy: MergeStrategy
    var granularity: MergeGranularity
    var created: String?
    var updated: String?
    var deleted: String?
    var remote: String
    var unique: [[String]]
    var indexes: [[String]]
    var search: [String]
    var limit: Int?
    var references: [ReferenceDescriptor]
    var tombstoneDays: Int?
    var forbidsUnknownFields: Bool

    init(_ entity: EntityDescriptor) {
        name = entity.name
        typeName = entity.typeName
        version = entity.version
        fields = entity.fields
        key = entity.key
        strategy = entity.strategy
        granularity = entity.granularity
        created = entity.created
        updated = entity.updated
        deleted = entity.deleted
        remote = entity.remote
        unique = entity.unique
        indexes = entity.indexes
        search = entity.search
        limit = entity.limit
        references = entity.references
        tombstoneDays = entity.tombstoneDays
        forbidsUnknownFields = entity.forbidsUnknownFields
    }

    /// The entity with these parts.
    var entity: EntityDescriptor {
        EntityDescriptor(
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

    /// The position of a field; nil if there is none of the name.
    func position(of name: String) -> Int? { fields.firstIndex { $0.name == name } }

    /// Gives a field another name wherever the entity mentions it.
    mutating func rename(_ former: String, to name: String) {
        func present(_ other: String) -> String { other == former ? name : other }
        guard let index = position(of: former) else { return }
        fields[index].name = name
        fields[index].earlierNames = fields[index].formerNames
        fields[index].renamedFrom = former
        key = key.map(present)
        (created, updated, deleted) = (created.map(present), updated.map(present), deleted.map(present))
        unique = unique.map { $0.map(present) }
        indexes = indexes.map { $0.map(present) }
        search = search.map(present)
        for index in references.indices {
            references[index].field = present(references[index].field)
            references[index].fields = references[index].fields.map(present)
        }
    }
}
