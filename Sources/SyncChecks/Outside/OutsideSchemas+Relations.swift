import SyncCore

/// Sets whose records refer to their own entity, to each other, to several records, or by several fields.
extension OutsideSchemas {
    /// Sets with references in circles, in lists and by several fields, with each rule for deletes.
    public static let relations: [OutsideSchemas] = [
        OutsideSchemas(name: "tree-cascade", entities: tree(strategy: .lastWriteWins, onDelete: .cascade)),
        OutsideSchemas(name: "tree-restrict", entities: tree(strategy: .preserveLocal, onDelete: .restrict)),
        OutsideSchemas(name: "circle", entities: circle),
        OutsideSchemas(name: "members-nullify", entities: members(strategy: .setUnion, onDelete: .nullify)),
        OutsideSchemas(
            name: "members-restrict",
            entities: members(strategy: .lastWriteWins, onDelete: .restrict)
        ),
        OutsideSchemas(name: "parts-cascade", entities: parts(strategy: .lastWriteWins, onDelete: .cascade)),
        OutsideSchemas(name: "parts-nullify", entities: parts(strategy: .preserveLocal, onDelete: .nullify)),
    ]

    /// Folders in folders, and pages in them.
    static func tree(strategy: MergeStrategy, onDelete: DeleteRule) -> [EntityDescriptor] {
        [
            entity(
                name: "folder",
                fields: [
                    reference(name: "parent", isRequired: false), text(name: "name"), text(name: "note"),
                ],
                strategy: strategy,
                granularity: .field,
                references: [ReferenceDescriptor(field: "parent", entity: "folder", onDelete: onDelete)]
            ),
            entity(
                name: "page",
                fields: [reference(name: "folder", isRequired: false), text(name: "note"), tags],
                strategy: strategy,
                granularity: .field,
                unique: [["folder", "note"]],
                references: [ReferenceDescriptor(field: "folder", entity: "folder", onDelete: .nullify)]
            ),
        ]
    }

    /// Tasks that may have an event, events that go with their task, and replies to both.
    static let circle: [EntityDescriptor] = [
        entity(
            name: "task",
            fields: [reference(name: "event", isRequired: false), text(name: "title"), text(name: "note")],
            strategy: .lastWriteWins,
            granularity: .field,
            unique: [["title"]],
            references: [ReferenceDescriptor(field: "event", entity: "event", onDelete: .nullify)]
        ),
        entity(
            name: "event",
            fields: [reference(name: "task", isRequired: true), text(name: "note"), tags],
            strategy: .preserveLocal,
            references: [ReferenceDescriptor(field: "task", entity: "task", onDelete: .cascade)]
        ),
        entity(
            name: "reply",
            fields: [
                reference(name: "reply", isRequired: false), reference(name: "event", isRequired: false),
                text(name: "note"),
            ],
            strategy: .lastWriteWins,
            references: [
                ReferenceDescriptor(field: "reply", entity: "reply", onDelete: .cascade),
                ReferenceDescriptor(field: "event", entity: "event", onDelete: .keep),
            ]
        ),
    ]

    /// People with unique names, and teams that list them as members and as readers.
    static func members(strategy: MergeStrategy, onDelete: DeleteRule) -> [EntityDescriptor] {
        [
            entity(
                name: "person",
                fields: [text(name: "name"), text(name: "note")],
                strategy: strategy,
                granularity: strategy == .setUnion ? .record : .field,
                unique: [["name"]]
            ),
            entity(
                name: "team",
                fields: [
                    keys(name: "members"), keys(name: "readers"), text(name: "name"), text(name: "note"),
                ],
                strategy: strategy,
                granularity: strategy == .setUnion ? .record : .field,
                unique: [["name"]],
                references: [
                    ReferenceDescriptor(field: "members", entity: "person", onDelete: onDelete),
                    ReferenceDescriptor(field: "readers", entity: "person", onDelete: .keep),
                ]
            ),
        ]
    }

    /// Places with a key of two fields, and marks that point to them with two fields of their own.
    static func parts(strategy: MergeStrategy, onDelete: DeleteRule) -> [EntityDescriptor] {
        [
            EntityDescriptor(
                name: "place",
                typeName: "Place",
                fields: [
                    reference(name: "book", isRequired: true), reference(name: "line", isRequired: true),
                    text(name: "name"), text(name: "note"),
                ] + times,
                key: ["book", "line"],
                strategy: strategy,
                created: "createdAt",
                updated: "updatedAt",
                unique: [["name"]]
            ),
            entity(
                name: "mark",
                fields: [
                    reference(name: "book", isRequired: false), reference(name: "line", isRequired: false),
                    text(name: "note"), tags,
                ],
                strategy: strategy,
                references: [
                    ReferenceDescriptor(
                        field: "line",
                        entity: "place",
                        onDelete: onDelete,
                        fields: ["book", "line"]
                    )
                ]
            ),
        ]
    }

    private static func keys(name: String) -> FieldDescriptor {
        FieldDescriptor(
            name: name,
            type: .array(element: .string(minLength: 1, maxLength: 60), isSet: true),
            merge: .union
        )
    }
}
