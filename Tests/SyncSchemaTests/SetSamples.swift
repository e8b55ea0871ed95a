/// Samples of sets of schemas that contradict each other.
enum SetSamples {
    static let all: [Sample] = [
        reference(references: #""ownerId":{"entity":"owner","onDelete":"cascade"}"#),
        reference(
            references: #""ownerId":{"entity":▸"onwer","onDelete":"cascade"}"#,
            rules: "unknown-entity"
        ),
        reference(
            references: #""ownerId":{"entity":"owner","onDelete":▸"delete"}"#,
            rules: "unknown-on-delete"
        ),
        reference(references: #""ownerId":▸{"entity":"owner"}"#, rules: "reference-shape"),
        reference(references: #""ownerId":▸{"onDelete":"cascade"}"#, rules: "reference-shape"),
        reference(references: #""ownerId":▸"owner""#, rules: "not-a-schema"),
        reference(
            references: #""ownerId":{"entity":"owner","onDelete":"cascade",▸"ondelete":1}"#,
            rules: "unknown-keyword"
        ),
        reference(references: #"▸"nope":{"entity":"owner","onDelete":"cascade"}"#, rules: "unknown-field"),
        reference(references: #"▸"count":{"entity":"owner","onDelete":"cascade"}"#, rules: "reference-type"),
        reference(references: #"▸"uid":{"entity":"owner","onDelete":"cascade"}"#, rules: "reference-type"),
        reference(references: #"▸"here":{"entity":"owner","onDelete":"cascade"}"#, rules: "local-only-role"),
        reference(references: #""ownerId":{"entity":"owner","onDelete":"nullify"}"#),
        reference(references: #""id":{"entity":"owner","onDelete":▸"nullify"}"#, rules: "nullify-required"),
        reference(references: #""ownerId":{"entity":"item","onDelete":"cascade"}"#),
        .files(
            files: [
                pointing(name: "a", to: "b"), pointing(name: "b", to: "c"), pointing(name: "c", to: "a"),
                pointing(name: "d", to: "a"),
            ]
        ),
        reference(references: #""ownerIds":{"entity":"owner","onDelete":"nullify"}"#),
        reference(references: #""ownerIds":{"entity":"owner","onDelete":"keep"}"#),
        reference(references: #""ownerIds":{"entity":"owner","onDelete":"restrict"}"#),
        reference(
            references: #""ownerIds":{"entity":"owner","onDelete":▸"cascade"}"#,
            rules: "cascade-of-list"
        ),
        reference(
            references: #""someIds":{"entity":"owner","onDelete":▸"nullify"}"#,
            rules: "nullify-required"
        ),
        reference(references: #"▸"counts":{"entity":"owner","onDelete":"keep"}"#, rules: "reference-type"),
        reference(references: #""ownerId":{"entity":"owner","onDelete":"keep","fields":["ownerId"]}"#),
        reference(
            references: #""ownerId":{"entity":▸"owner","onDelete":"keep","fields":["ownerId","other"]}"#,
            rules: "reference-to-composite-key"
        ),
        reference(
            references: #""ownerId":{"entity":"owner","onDelete":"keep","fields":▸["other"]}"#,
            rules: "reference-shape"
        ),
        reference(
            references: #""ownerId":{"entity":"owner","onDelete":"keep","fields":["ownerId",▸"nope"]}"#,
            rules: "unknown-field"
        ),
        .files(
            files: [
                (
                    "item.schema.json",
                    item(
                        references:
                            #""other":{"entity":"owner","onDelete":"nullify","fields":["ownerId","other"]}"#
                    )
                ),
                ("owner.schema.json", composite),
            ]
        ),
        .files(
            files: [
                (
                    "item.schema.json",
                    item(
                        references:
                            #"▸"other":{"entity":"owner","onDelete":"keep","fields":["count","other"]}"#
                    )
                ),
                ("owner.schema.json", composite),
            ],
            rules: "reference-type"
        ),
        .files(
            files: [
                (
                    "item.schema.json",
                    item(references: #""ownerId":{"entity":▸"owner","onDelete":"cascade"}"#)
                ),
                ("owner.schema.json", composite),
            ],
            rules: "reference-to-composite-key"
        ),
        .files(
            files: [
                ("a/item.schema.json", Sample.entity(fields: field)),
                ("b/item.schema.json", "▸" + Sample.entity(title: "Item2", fields: field)),
            ],
            rules: "duplicate-entity"
        ),
        .files(
            files: [
                ("a.schema.json", Sample.entity(title: "Item", fields: field)),
                ("b.schema.json", titled(title: "ITEM")),
            ],
            rules: "duplicate-type"
        ),
        .files(
            files: [
                ("a.schema.json", Sample.entity(title: "Item", fields: field)),
                ("b.schema.json", titled(title: "ItemDTO")),
            ],
            rules: "duplicate-type"
        ),
        .files(
            files: [
                ("a.schema.json", Sample.entity(title: "A", fields: field, sync: #""remote":"things""#)),
                ("b.schema.json", Sample.entity(title: "B", fields: field, sync: #""remote":▸"Things""#)),
            ],
            rules: "duplicate-remote"
        ),
        .files(
            files: [
                ("a.schema.json", Sample.entity(title: "A", fields: field, sync: #""remote":"b""#)),
                ("b.schema.json", "▸" + Sample.entity(title: "B", fields: field)),
            ],
            rules: "duplicate-remote"
        ),
        .files(
            files: [
                ("a.schema.json", "▸"), ("b.schema.json", #"{"x"▸}"#),
                ("c.schema.json", Sample.entity(fields: #""a":{"type":▸"x"}"#)),
            ],
            rules: "empty-file",
            "json-syntax",
            "unknown-type"
        ),
    ]

    private static let field = #""a":{"type":"string"}"#

    private static func item(references: String) -> String {
        Sample.entity(
            fields: """
                "ownerId":{"type":"string"},"count":{"type":"integer"},"uid":{"type":"string","format":"uuid"},
                "here":{"type":"string","sync":{"localOnly":true}},"other":{"type":["string","null"]},
                "ownerIds":{"type":"array","items":{"type":"string"}},"counts":{"type":"array","items":{"type":"integer"}},
                "someIds":{"type":"array","items":{"type":"string"},"minItems":1}
                """,
            sync: "\"references\":{\(references)}"
        )
    }

    private static func reference(references: String, rules: String...) -> Sample {
        Sample(
            files: [
                ("item.schema.json", item(references: references)),
                ("owner.schema.json", Sample.entity(title: "Owner", fields: field)),
            ],
            rules: rules
        )
    }

    private static func pointing(name: String, to other: String) -> (path: String, text: String) {
        let sync = "\"references\":{\"next\":{\"entity\":\"\(other)\",\"onDelete\":\"restrict\"}}"
        let text = Sample.entity(
            title: "Type\(name.uppercased())",
            fields: #""next":{"type":"string"}"#,
            sync: sync
        )
        return ("\(name).schema.json", text)
    }

    private static func titled(title: String) -> String {
        Sample.entity(title: title, fields: field).replacing("\"\(title)\"", with: "▸\"\(title)\"")
    }

    private static let composite = """
        {"title":"Owner","type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
        "required":["a","b"],"sync":{"key":["a","b"],"strategy":"set-union"}}
        """
}
