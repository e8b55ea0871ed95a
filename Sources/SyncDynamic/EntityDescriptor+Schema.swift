public import SyncCore
public import SyncSchema

extension EntityDescriptor {
    /// The entity that a checked schema describes: equal to the descriptor that is generated for it.
    public init(schema: Schema) {
        self.init(
            name: schema.name,
            typeName: schema.typeName,
            version: schema.version,
            fields: schema.properties.map(FieldDescriptor.init(property:)),
            key: schema.key,
            strategy: MergeStrategy(schema.strategy),
            granularity: MergeGranularity(schema.granularity),
            created: schema.created,
            updated: schema.updated,
            deleted: schema.deleted,
            remote: schema.remote,
            unique: schema.unique,
            indexes: schema.indexes,
            limit: schema.limit,
            references: schema.references.map(ReferenceDescriptor.init(reference:)),
            tombstoneDays: schema.tombstoneDays,
            forbidsUnknownFields: schema.forbidsUnknownFields
        )
    }

    /// The entities of a checked set of schemas, parents before children: the order in which they are synced.
    public static func descriptors(of schemas: [Schema]) -> [EntityDescriptor] {
        let sorted = schemas.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var placed: Set<String> = []
        var ordered: [EntityDescriptor] = []
        func place(_ schema: Schema) {
            guard placed.insert(schema.name).inserted else { return }
            for reference in schema.references {
                if let parent = sorted.first(where: { $0.name == reference.entity }) { place(parent) }
            }
            ordered.append(EntityDescriptor(schema: schema))
        }
        sorted.forEach(place)
        return ordered
    }
}

extension FieldDescriptor {
    init(property: Property) {
        self.init(
            name: property.name,
            wirePath: property.wirePath,
            type: FieldType(property.type),
            isNullable: property.isNullable,
            isRequired: property.isRequired,
            merge: property.merge.map { SyncCore.MergeRule($0) },
            renamedFrom: property.renamedFrom,
            isLocalOnly: property.isLocalOnly,
            defaultJSON: property.defaultJSON
        )
    }
}

extension FieldType {
    init(_ type: SchemaType) {
        self =
            switch type {
            case .string(let minLength, let maxLength, let pattern):
                .string(minLength: minLength, maxLength: maxLength, pattern: pattern)
            case .integer(let minimum, let maximum): .integer(minimum: minimum, maximum: maximum)
            case .number(let minimum, let maximum): .number(minimum: minimum, maximum: maximum)
            case .boolean: .boolean
            case .uuid: .uuid
            case .dateTime: .dateTime
            case .date: .date
            case .uri(let maxLength): .uri(maxLength: maxLength)
            case .decimal: .decimal
            case .data: .data
            case .enumeration(let type): .enumeration(type.cases.map(\.value))
            case .array(let item, let isSet, let minItems, let maxItems):
                .array(
                    element: FieldType(item.type),
                    elementIsNullable: item.isNullable,
                    isSet: isSet,
                    minItems: minItems,
                    maxItems: maxItems
                )
            case .object(let type): .object(type.properties.map(FieldDescriptor.init(property:)))
            }
    }
}

extension ReferenceDescriptor {
    init(reference: Schema.Reference) {
        let onDelete: DeleteRule =
            switch reference.onDelete {
            case .cascade: .cascade
            case .nullify: .nullify
            case .restrict: .restrict
            }
        self.init(field: reference.field, entity: reference.entity, onDelete: onDelete)
    }
}

extension MergeStrategy {
    init(_ strategy: Schema.Strategy) {
        self =
            switch strategy {
            case .preserveLocal: .preserveLocal
            case .lastWriteWins: .lastWriteWins
            case .setUnion: .setUnion
            }
    }
}

extension MergeGranularity {
    init(_ granularity: Schema.Granularity) {
        self =
            switch granularity {
            case .record: .record
            case .field: .field
            }
    }
}

extension SyncCore.MergeRule {
    init(_ rule: SyncSchema.MergeRule) {
        self =
            switch rule {
            case .union: .union
            case .max: .max
            case .min: .min
            case .or: .or
            case .and: .and
            case .lastWriteWins: .lastWriteWins
            case .preserveLocal: .preserveLocal
            }
    }
}
