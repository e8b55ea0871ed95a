/// Samples of what can be wrong with files and JSON text.
enum TextSamples {
    static let all: [Sample] = [
        .file("▸", "empty-file"),
        .file("▸  \n\t ", "empty-file"),
        .file(#"▸"text""#, "not-a-schema"),
        .file("▸[]", "not-a-schema"),
        .file("{▸title:1}", "json-syntax"),
        .file(#"{"title"▸ "x"}"#.replacing("▸ ", with: " ▸"), "json-syntax"),
        .file(#"{"title":▸}"#, "json-syntax"),
        .file(#"{"title":▸'Item'}"#, "json-syntax"),
        .file(#"{"title":"Item"▸"#, "json-syntax"),
        .file(#"{"title":["Item"▸}"#, "json-syntax"),
        .file(#"{"title":▸"Item"#, "json-string"),
        .file("{\"title\":▸\"It\nem\"}", "json-string"),
        .file("{▸,}", "json-syntax"),
        .file(#"{"title":"Item",▸,}"#, "json-syntax"),
        .file(#"{"title":▸/"#, "json-syntax"),
        .file("▸/* never closed", "json-comment+json-syntax"),
        .file(Sample.entity(fields: #""a":{"type":"string"}"#) + "\n▸}", "json-syntax"),
        .field(#""a":{"type":"string"▸,}"#, "json-trailing-comma"),
        .field(#""a":{"type":"string" ▸"maxLength":3}"#, "json-missing-comma"),
        .field(
            "▸// what it is\n\"a\":{\"type\":\"string\"} ▸/* so\nso */ ▸# so",
            "json-comment",
            "json-comment",
            "json-comment"
        ),
        .field(#""a":{"type":"string","description":"▸\q"}"#, "json-string"),
        .field(#""a":{"type":"string","description":"▸\u12G4"}"#, "json-string"),
        .field("\"a\":{\"type\":\"string\",\"description\":\"▸\tx▸\u{0}\"}", "json-string", "json-string"),
        .field(#""a":{"type":"string","description":"▸\uD800"}"#, "json-surrogate"),
        .field(
            #""a":{"type":"string","description":"▸\uDC00\uD83D\uDE00▸\uD83Dx▸\uD83D▸\uD83D"}"#,
            "json-surrogate",
            "json-surrogate",
            "json-surrogate",
            "json-surrogate"
        ),
        .field(#""a":{"type":"string","maxLength":▸01}"#, "json-word"),
        .field(#""a":{"type":"string","deprecated":▸True}"#, "json-word"),
        .field(#""a":{"type":"number","minimum":▸NaN,"maximum":▸+1}"#, "json-word", "json-word"),
        .field(#""a":{"type":"number","default":▸1.}"#, "json-word"),
        .field(#""a":{"type":▸strng}"#, "json-word"),
        .field(#""a":{"type":"string",▸"type":"string"}"#, "json-duplicate-member"),
        .field(#""a":{"type":"string"},▸"a":{"type":"string"}"#, "json-duplicate-member"),
        .field(#""a":{"type":"string"},▸"\u0061":{"type":"string"}"#, "json-duplicate-member"),
        .file(
            String(repeating: "[", count: 128) + "▸" + String(repeating: "[", count: 100_000),
            "json-too-deep"
        ),
        .file(String(repeating: #"{"a":"#, count: 128) + "▸{", "json-too-deep"),
        .file(Sample.entity(fields: #""a":{"type":"string"}"#), path: "item.schema.json"),
        .file("▸" + Sample.entity(fields: #""a":{"type":"string"}"#), "file-name", path: "item.json"),
        .file("▸" + Sample.entity(fields: #""a":{"type":"string"}"#), "file-name", path: "Item.schema.json"),
        .file(
            "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            "file-name",
            path: "a/item_b.schema.json"
        ),
        .file("▸" + Sample.entity(fields: #""a":{"type":"string"}"#), "file-name", path: "a/.schema.json"),
        .file(
            "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            "entity-name-reserved",
            path: "sqlite-x.schema.json"
        ),
        .file(
            "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            "entity-name-reserved",
            path: "sync.schema.json"
        ),
    ]
}
