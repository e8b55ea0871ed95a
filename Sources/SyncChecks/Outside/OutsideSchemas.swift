public import SyncCore
import SyncRuntime

/// Entities that an outside world is about, under a name.
public struct OutsideSchemas: Sendable {
    /// The name, by which a set can be chosen.
    public var name: String
    /// The entities, parents before children.
    public var entities: [EntityDescriptor]

    /// Names a set of entities.
    public init(name: String, entities: [EntityDescriptor]) {
        self.name = name
        self.entities = EntityOrder.sorted(entities)
    }

    /// The sets that come with the simulator: unique values with references and composite keys, more than one unique list,
    /// and every merge rule under each strategy.
    public static let all: [OutsideSchemas] = [
        OutsideSchemas(name: "cascade", entities: shelves(.lastWriteWins, .field, .cascade)),
        OutsideSchemas(name: "restrict", entities: shelves(.preserveLocal, .record, .restrict)),
        OutsideSchemas(name: "nullify", entities: shelves(.setUnion, .record, .nullify)),
        OutsideSchemas(name: "owners", entities: owners),
        OutsideSchemas(name: "links", entities: links),
        OutsideSchemas(name: "lists-keep", entities: [twoLists(.preserveLocal)]),
        OutsideSchemas(name: "lists-last", entities: [twoLists(.lastWriteWins)]),
        OutsideSchemas(name: "rules-keep", entities: [rules(.preserveLocal, .field)]),
        OutsideSchemas(name: "rules-last", entities: [rules(.lastWriteWins, .field)]),
        OutsideSchemas(name: "rules-union", entities: [rules(.setUnion, .record)]),
        OutsideSchemas(name: "rules-record", entities: [rules(.lastWriteWins, .record)]),
        OutsideSchemas(name: "note", entities: [note(.preserveLocal, unique: true)]),
        OutsideSchemas(name: "team", entities: [note(.lastWriteWins, unique: false)]),
    ]

    // MARK: Sets

    /// Shelves with names of their own, and boxes on them.
    private static func shelves(
        _ strategy: MergeStrategy,
        _ granularity: MergeGranularity,
        _ onDelete: DeleteRule
    ) -> [EntityDescriptor] {
        [
            entity(
                "shelf",
                [text("name"), text("note"), text("place"), tags],
                strategy,
                granularity,
                unique: [["name"]]
            ),
            entity(
                "box",
                [reference("shelf", isRequired: onDelete == .cascade), text("note"), text("place")],
                strategy,
                granularity,
                references: [ReferenceDescriptor(field: "shelf", entity: "shelf", onDelete: onDelete)]
            ),
        ]
    }

    /// Shelves that are unique by two fields, boxes that must have one, and leaves that may have a box.
    private static let owners: [EntityDescriptor] = [
        entity(
            "shelf",
            [text("owner"), text("name"), text("note"), text("place")],
            .lastWriteWins,
            .field,
            unique: [["owner", "name"]]
        ),
        entity(
            "box",
            [reference("shelf", isRequired: true), text("name"), text("note")],
            .lastWriteWins,
            .field,
            unique: [["shelf", "name"]],
            references: [ReferenceDescriptor(field: "shelf", entity: "shelf", onDelete: .restrict)]
        ),
        entity(
            "leaf",
            [reference("box", isRequired: false), text("note"), tags],
            .lastWriteWins,
            .field,
            references: [ReferenceDescriptor(field: "box", entity: "box", onDelete: .nullify)]
        ),
    ]

    /// Saved pages in folders, tags, and links between both by a composite key.
    private static let links: [EntityDescriptor] = [
        entity("folder", [text("name"), text("note")], .preserveLocal, unique: [["name"]]),
        entity("tag", [text("name"), text("note")], .lastWriteWins, unique: [["name"]]),
        entity(
            "save",
            [reference("folder", isRequired: false), text("page"), text("note")],
            .setUnion,
            unique: [["page"]],
            references: [ReferenceDescriptor(field: "folder", entity: "folder", onDelete: .nullify)]
        ),
        EntityDescriptor(
            name: "link",
            typeName: "Link",
            fields: [
                FieldDescriptor("save", type: .string(minLength: 1, maxLength: 60), isRequired: true),
                FieldDescriptor("tag", type: .string(minLength: 1, maxLength: 60), isRequired: true),
                text("note"),
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

    private static func twoLists(_ strategy: MergeStrategy) -> EntityDescriptor {
        entity(
            "place",
            [text("name"), text("code", isNullable: true), text("note"), text("sign")],
            strategy,
            unique: [["name"], ["code"]]
        )
    }

    /// A task with a field for each merge rule.
    private static func rules(_ strategy: MergeStrategy, _ granularity: MergeGranularity) -> EntityDescriptor
    {
        func number(_ name: String, _ rule: MergeRule?) -> FieldDescriptor {
            FieldDescriptor(name, type: .integer(), isNullable: true, merge: rule)
        }
        func flag(_ name: String, _ rule: MergeRule?) -> FieldDescriptor {
            FieldDescriptor(name, type: .boolean, isNullable: true, merge: rule)
        }
        return entity(
            "task",
            [
                text("title"), text("body"), text("memo", merge: .lastWriteWins),
                text("secret", merge: .preserveLocal), tags, number("best", .max), number("least", .min),
                number("count", nil), flag("isStarred", .or), flag("isAgreed", .and), flag("isDone", nil),
            ],
            strategy,
            granularity
        )
    }

    private static func note(_ strategy: MergeStrategy, unique: Bool) -> EntityDescriptor {
        entity(
            "note",
            [text("verse"), text("text"), text("title"), tags],
            strategy,
            unique: unique ? [["verse"]] : []
        )
    }

    // MARK: Parts

    private static let times = [
        FieldDescriptor("createdAt", type: .dateTime, isRequired: true),
        FieldDescriptor("updatedAt", type: .dateTime, isRequired: true),
    ]

    private static let tags = FieldDescriptor(
        "tags",
        type: .array(element: .string(minLength: 1, maxLength: 60), isSet: true),
        merge: .union
    )

    private static func text(_ name: String, isNullable: Bool = true, merge: MergeRule? = nil)
        -> FieldDescriptor
    {
        FieldDescriptor(name, type: .string(maxLength: 1_000), isNullable: isNullable, merge: merge)
    }

    private static func reference(_ name: String, isRequired: Bool) -> FieldDescriptor {
        FieldDescriptor(
            name,
            type: .string(minLength: 1, maxLength: 60),
            isNullable: !isRequired,
            isRequired: isRequired
        )
    }

    private static func entity(
        _ name: String,
        _ fields: [FieldDescriptor],
        _ strategy: MergeStrategy,
        _ granularity: MergeGranularity = .record,
        unique: [[String]] = [],
        references: [ReferenceDescriptor] = []
    ) -> EntityDescriptor {
        let key = FieldDescriptor("id", type: .string(minLength: 1, maxLength: 60), isRequired: true)
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
