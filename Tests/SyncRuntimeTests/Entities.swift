import SyncCore

/// Entities for tests of the runtime, one for each way to meet.
enum Entities {
    static let times = [
        FieldDescriptor("createdAt", type: .dateTime, isRequired: true),
        FieldDescriptor("updatedAt", type: .dateTime, isRequired: true),
    ]

    static let tags = FieldDescriptor(
        "tags",
        type: .array(element: .string(), isSet: true),
        merge: .union
    )

    static func note(
        _ strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        fields: [FieldDescriptor] = [],
        deleted: String? = nil,
        unique: [[String]] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor("id", type: .string(), isRequired: true),
                FieldDescriptor("title", type: .string(), isRequired: true),
                FieldDescriptor("body", type: .string(), isNullable: true),
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
        FieldDescriptor("highest", type: .integer(), merge: .max),
        FieldDescriptor("lowest", type: .decimal, merge: .min),
        FieldDescriptor("any", type: .boolean, merge: .or),
        FieldDescriptor("all", type: .boolean, isNullable: true, merge: .and),
    ]
}
