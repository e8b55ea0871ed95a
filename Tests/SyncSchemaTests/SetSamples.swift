/// Samples of sets of schemas that do not go together.
enum SetSamples {
    static let all: [Sample] = [
        reference(#""ownerId":{"entity":"owner","onDelete":"cascade"}"#),
        reference(#""ownerId":{"entity":▸"onwer","onDelete":"cascade"}"#, "unknown-entity"),
        reference(#""ownerId":{"entity":"owner","onDelete":▸"delete"}"#, "unknown-on-delete"),
        reference(#""ownerId":▸{"entity":"owner"}"#, "reference-shape"),
        reference(#""ownerId":▸{"onDelete":"cascade"}"#, "reference-shape"),
        reference(#""ownerId":▸"owner""#, "not-a-schema"),
        reference(#""ownerId":{"entity":"owner","onDelete":"cascade",▸"ondelete":1}"#, "unknown-keyword"),
        reference(#"▸"nope":{"entity":"owner","onDelete":"cascade"}"#, "unknown-field"),
        reference(#"▸"count":{"entity":"owner","onDelete":"cascade"}"#, "reference-type"),
        reference(#"▸"uid":{"entity":"owner","onDelete":"cascade"}"#, "reference-type"),
        reference(#"▸"here":{"entity":"owner","onDelete":"cascade"}"#, "local-only-role"),
        reference(#""ownerId":{"entity":"owner","onDelete":"nullify"}"#),
        reference(#""id":{"entity":"owner","onDelete":▸"nullify"}"#, "nullify-required"),
        reference(#""ownerId":{"entity":▸"item","onDelete":"cascade"}"#, "cyclic-reference"),
        .files(
            [
                pointing("a", to: "b"), pointing("b", to: "c"), pointing("c", to: "a"),
                pointing("d", to: "a", mark: ""),
            ],
            "cyclic-reference",
            "cyclic-reference",
            "cyclic-reference"
        ),
        .files(
            [
                (
                    "item.schema.json",
                    item(references: #""ownerId":{"entity":▸"owner","onDelete":"cascade"}"#)
                ),
                ("owner.schema.json", composite),
            ],
            "reference-to-composite-key"
        ),
        .files(
            [
                ("a/item.schema.json", Sample.entity(fields: field)),
                ("b/item.schema.json", "▸" + Sample.entity(title: "Item2", fields: field)),
            ],
            "duplicate-entity"
        ),
        .files(
            [
                ("a.schema.json", Sample.entity(title: "Item", fields: field)),
                ("b.schema.json", titled("ITEM")),
            ],
            "duplicate-type"
        ),
        .files(
            [
                ("a.schema.json", Sample.entity(title: "Item", fields: field)),
                ("b.schema.json", titled("ItemDTO")),
            ],
            "duplicate-type"
        ),
        .files(
            [
                ("a.schema.json", Sample.entity(title: "A", fields: field, sync: #""remote":"things""#)),
                ("b.schema.json", Sample.entity(title: "B", fields: field, sync: #""remote":▸"Things""#)),
            ],
            "duplicate-remote"
        ),
        .files(
            [
                ("a.schema.json", Sample.entity(title: "A", fields: field, sync: #""remote":"b""#)),
                ("b.schema.json", "▸" + Sample.entity(title: "B", fields: field)),
            ],
            "duplicate-remote"
        ),
        .files(
            [
                ("a.schema.json", "▸"), ("b.schema.json", #"{"x"▸}"#),
                ("c.schema.json", Sample.entity(fields: #""a":{"type":▸"x"}"#)),
            ],
            "empty-file",
            "json-syntax",
            "unknown-type"
        ),
    ]

    private static let field = #""a":{"type":"string"}"#

    private static func item(references: String) -> String {
        Sample.entity(
            fields: """
                "ownerId":{"type":"string"},"count":{"type":"integer"},"uid":{"type":"string","format":"uuid"},
                "here":{"type":"string","sync":{"localOnly":true}}
                """,
            sync: "\"references\":{\(references)}"
        )
    }

    private static func reference(_ references: String, _ rules: String...) -> Sample {
        Sample(
            files: [
                ("item.schema.json", item(references: references)),
                ("owner.schema.json", Sample.entity(title: "Owner", fields: field)),
            ],
            rules: rules
        )
    }

    private static func pointing(_ name: String, to other: String, mark: String = "▸") -> (
        path: String, text: String
    ) {
        let sync = "\"references\":{\"next\":{\"entity\":\(mark)\"\(other)\",\"onDelete\":\"restrict\"}}"
        let text = Sample.entity(
            title: "Type\(name.uppercased())",
            fields: #""next":{"type":"string"}"#,
            sync: sync
        )
        return ("\(name).schema.json", text)
    }

    private static func titled(_ title: String) -> String {
        Sample.entity(title: title, fields: field).replacing("\"\(title)\"", with: "▸\"\(title)\"")
    }

    private static let composite = """
        {"title":"Owner","type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
        "required":["a","b"],"sync":{"key":["a","b"],"strategy":"set-union"}}
        """
}
