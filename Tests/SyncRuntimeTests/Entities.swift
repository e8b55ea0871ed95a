import SyncCore

/// Entities for tests of the runtime, one for each way to meet.
enum Entities {
    static let times = [
        FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
        FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
    ]

    static let tags = FieldDescriptor(
        name: "tags",
        type: .array(element: .string(), isSet: true),
        merge: .union
    )

    /// A type that has nothing but its key.
    static let memo = EntityDescriptor(
        name: "memo",
        typeName: "Memo",
        fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
        key: ["id"],
        strategy: .lastWriteWins
    )

    static func note(
        strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        fields: [FieldDescriptor] = [],
        deleted: String? = nil,
        unique: [[String]] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "body", type: .string(), isNullable: true),
            ] + fields + times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            deleted: deleted,
            unique: unique
        )
    }

    static let rules = [
        tags,
        FieldDescriptor(name: "highest", type: .integer(), merge: .max),
        FieldDescriptor(name: "lowest", type: .decimal, merge: .min),
        FieldDescriptor(name: "any", type: .boolean, merge: .or),
        FieldDescriptor(name: "all", type: .boolean, isNullable: true, merge: .and),
    ]
}
