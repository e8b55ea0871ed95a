public import SyncCore
import SyncRuntime

/// A named set of entities for outside worlds.
public struct OutsideSchemas: Sendable {
    /// The name of the set.
    public var name: String
    /// The entities, parents before children.
    public var entities: [EntityDescriptor]

    /// Makes a set of entities.
    public init(name: String, entities: [EntityDescriptor]) {
        self.name = name
        self.entities = EntityOrder.sorted(entities)
    }

    /// The built-in sets.
    public static let all = basic + relations

    /// Sets with unique values with references and composite keys, several unique lists, and every merge rule with
    /// each strategy.
    public static let basic: [OutsideSchemas] = [
        OutsideSchemas(
            name: "cascade",
            entities: shelves(strategy: .lastWriteWins, granularity: .field, onDelete: .cascade)
        ),
        OutsideSchemas(
            name: "restrict",
            entities: shelves(strategy: .preserveLocal, granularity: .record, onDelete: .restrict)
        ),
        OutsideSchemas(
            name: "nullify",
            entities: shelves(strategy: .setUnion, granularity: .record, onDelete: .nullify)
        ),
        OutsideSchemas(name: "owners", entities: owners),
        OutsideSchemas(name: "links", entities: links),
        OutsideSchemas(name: "lists-keep", entities: [twoLists(strategy: .preserveLocal)]),
        OutsideSchemas(name: "lists-last", entities: [twoLists(strategy: .lastWriteWins)]),
        OutsideSchemas(name: "rules-keep", entities: [rules(strategy: .preserveLocal, granularity: .field)]),
        OutsideSchemas(name: "rules-last", entities: [rules(strategy: .lastWriteWins, granularity: .field)]),
        OutsideSchemas(name: "rules-union", entities: [rules(strategy: .setUnion, granularity: .record)]),
        OutsideSchemas(
            name: "rules-record",
            entities: [rules(strategy: .lastWriteWins, granularity: .record)]
        ),
        OutsideSchemas(name: "note", entities: [note(strategy: .preserveLocal, unique: true)]),
        OutsideSchemas(name: "team", entities: [note(strategy: .lastWriteWins, unique: false)]),
    ]

    // MARK: Sets

    /// Shelves with unique names, and boxes on them.
    private static func shelves(
        strategy: MergeStrategy,
        granularity: MergeGranularity,
        onDelete: DeleteRule
    ) -> [EntityDescriptor] {
        [
            entity(
                name: "shelf",
                fields: [text(name: "name"), text(name: "note"), text(name: "place"), tags],
                strategy: strategy,
                granularity: granularity,
                unique: [["name"]]
            ),
            entity(
                name: "box",
                fields: [
                    reference(name: "shelf", isRequired: onDelete == .cascade), text(name: "note"),
                    text(name: "place"),
                ],
                strategy: strategy,
                granularity: granularity,
                references: [ReferenceDescriptor(field: "shelf", entity: "shelf", onDelete: onDelete)]
            ),
        ]
    }

    /// Shelves that are unique by two fields, boxes that require one, and leaves that may have a box.
    private static let owners: [EntityDescriptor] = [
        entity(
            name: "shelf",
            fields: [text(name: "owner"), text(name: "name"), text(name: "note"), text(name: "place")],
            strategy: .lastWriteWins,
            granularity: .field,
            unique: [["owner", "name"]]
        ),
        entity(
            name: "box",
            fields: [reference(name: "shelf", isRequired: true), text(name: "name"), text(name: "note")],
            strategy: .lastWriteWins,
            granularity: .field,
            unique: [["shelf", "name"]],
            references: [ReferenceDescriptor(field: "shelf", entity: "shelf", onDelete: .restrict)]
        ),
        entity(
            name: "leaf",
            fields: [reference(name: "box", isRequired: false), text(name: "note"), tags],
            strategy: .lastWriteWins,
            granularity: .field,
            references: [ReferenceDescriptor(field: "box", entity: "box", onDelete: .nullify)]
        ),
    ]

    /// Saved pages in folders, tags, and links between both with a composite key.
    private static let links: [EntityDescriptor] = [
        entity(
            name: "folder",
            fields: [text(name: "name"), text(name: "note")],
            strategy: .preserveLocal,
            unique: [["name"]]
        ),
        entity(
            name: "tag",
            fields: [text(name: "name"), text(name: "note")],
            strategy: .lastWriteWins,
            unique: [["name"]]
        ),
        entity(
            name: "save",
            fields: [reference(name: "folder", isRequired: false), text(name: "page"), text(name: "note")],
            strategy: .setUnion,
            unique: [["page"]],
            references: [ReferenceDescriptor(field: "folder", entity: "folder", onDelete: .nullify)]
        ),
        EntityDescriptor(
            name: "link",
            typeName: "Link",
            fields: [
                FieldDescriptor(name: "save", type: .string(minLength: 1, maxLength: 60), isRequired: true),
                FieldDescriptor(name: "tag", type: .string(minLength: 1, maxLength: 60), isRequired: true),
                text(name: "note"),
            ] + times,
            key: ["save", "tag"],
            strategy: .lastWriteWins,
            created: "createdAt",
            updated: "updatedAt",
            references: [
                ReferenceDescriptor(field: "save", entity: "save", onDelete: .cascade),
                ReferenceDescriptor(field: "tag", entity: "tag", onDelete: .cascade),
            ]
        ),
    ]

    private static func twoLists(strategy: MergeStrategy) -> EntityDescriptor {
        entity(
            name: "place",
            fields: [
                text(name: "name"), text(name: "code", isNullable: true), text(name: "note"),
                text(name: "sign"),
            ],
            strategy: strategy,
            unique: [["name"], ["code"]]
        )
    }

    /// A task with a field for each merge rule.
    private static func rules(strategy: MergeStrategy, granularity: MergeGranularity) -> EntityDescriptor {
        func number(name: String, rule: MergeRule?) -> FieldDescriptor {
            FieldDescriptor(name: name, type: .integer(), isNullable: true, merge: rule)
        }
        func flag(name: String, rule: MergeRule?) -> FieldDescriptor {
            FieldDescriptor(name: name, type: .boolean, isNullable: true, merge: rule)
        }
        return entity(
            name: "task",
            fields: [
                text(name: "title"), text(name: "body"), text(name: "memo", merge: .lastWriteWins),
                text(name: "secret", merge: .preserveLocal), tags, number(name: "best", rule: .max),
                number(name: "least", rule: .min),
                number(name: "count", rule: nil), flag(name: "isStarred", rule: .or),
                flag(name: "isAgreed", rule: .and), flag(name: "isDone", rule: nil),
            ],
            strategy: strategy,
            granularity: granularity
        )
    }

    private static func note(strategy: MergeStrategy, unique: Bool) -> EntityDescriptor {
        entity(
            name: "note",
            fields: [text(name: "verse"), text(name: "text"), text(name: "title"), tags],
            strategy: strategy,
            unique: unique ? [["verse"]] : []
        )
    }

    // MARK: Parts

    static let times = [
        FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
        FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
    ]

    static let tags = FieldDescriptor(
        name: "tags",
        type: .array(element: .string(minLength: 1, maxLength: 60), isSet: true),
        merge: .union
    )

    static func text(name: String, isNullable: Bool = true, merge: MergeRule? = nil)
        -> FieldDescriptor
    {
        FieldDescriptor(name: name, type: .string(maxLength: 1_000), isNullable: isNullable, merge: merge)
    }

    static func reference(name: String, isRequired: Bool) -> FieldDescriptor {
        FieldDescriptor(
            name: name,
            type: .string(minLength: 1, maxLength: 60),
            isNullable: !isRequired,
            isRequired: isRequired
        )
    }

    static func entity(
        name: String,
        fields: [FieldDescriptor],
        strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        unique: [[String]] = [],
        references: [ReferenceDescriptor] = []
    ) -> EntityDescriptor {
        let key = FieldDescriptor(name: "id", type: .string(minLength: 1, maxLength: 60), isRequired: true)
        return EntityDescriptor(
            name: name,
            typeName: name.prefix(1).uppercased() + name.dropFirst(),
            fields: [key] + fields + times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            unique: unique,
            references: references
        )
    }
}
