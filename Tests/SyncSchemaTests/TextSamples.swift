/// Samples of errors in files and JSON text.
enum TextSamples {
    static let all: [Sample] = [
        .file(text: "▸", rules: "empty-file"),
        .file(text: "▸  \n\t ", rules: "empty-file"),
        .file(text: #"▸"text""#, rules: "not-a-schema"),
        .file(text: "▸[]", rules: "not-a-schema"),
        .file(text: "{▸title:1}", rules: "json-syntax"),
        .file(text: #"{"title"▸ "x"}"#.replacing("▸ ", with: " ▸"), rules: "json-syntax"),
        .file(text: #"{"title":▸}"#, rules: "json-syntax"),
        .file(text: #"{"title":▸'Item'}"#, rules: "json-syntax"),
        .file(text: #"{"title":"Item"▸"#, rules: "json-syntax"),
        .file(text: #"{"title":["Item"▸}"#, rules: "json-syntax"),
        .file(text: #"{"title":▸"Item"#, rules: "json-string"),
        .file(text: "{\"title\":▸\"It\nem\"}", rules: "json-string"),
        .file(text: "{▸,}", rules: "json-syntax"),
        .file(text: #"{"title":"Item",▸,}"#, rules: "json-syntax"),
        .file(text: #"{"title":▸/"#, rules: "json-syntax"),
        .file(text: "▸/* never closed", rules: "json-comment+json-syntax"),
        .file(text: Sample.entity(fields: #""a":{"type":"string"}"#) + "\n▸}", rules: "json-syntax"),
        .field(field: #""a":{"type":"string"▸,}"#, rules: "json-trailing-comma"),
        .field(field: #""a":{"type":"string" ▸"maxLength":3}"#, rules: "json-missing-comma"),
        .field(
            field: "▸// what it is\n\"a\":{\"type\":\"string\"} ▸/* so\nso */ ▸# so",
            rules: "json-comment",
            "json-comment",
            "json-comment"
        ),
        .field(field: #""a":{"type":"string","description":"▸\q"}"#, rules: "json-string"),
        .field(field: #""a":{"type":"string","description":"▸\u12G4"}"#, rules: "json-string"),
        .field(
            field: "\"a\":{\"type\":\"string\",\"description\":\"▸\tx▸\u{0}\"}",
            rules: "json-string",
            "json-string"
        ),
        .field(field: #""a":{"type":"string","description":"▸\uD800"}"#, rules: "json-surrogate"),
        .field(
            field: #""a":{"type":"string","description":"▸\uDC00\uD83D\uDE00▸\uD83Dx▸\uD83D▸\uD83D"}"#,
            rules: "json-surrogate",
            "json-surrogate",
            "json-surrogate",
            "json-surrogate"
        ),
        .field(field: #""a":{"type":"string","maxLength":▸01}"#, rules: "json-word"),
        .field(field: #""a":{"type":"string","deprecated":▸True}"#, rules: "json-word"),
        .field(
            field: #""a":{"type":"number","minimum":▸NaN,"maximum":▸+1}"#,
            rules: "json-word",
            "json-word"
        ),
        .field(field: #""a":{"type":"number","default":▸1.}"#, rules: "json-word"),
        .field(field: #""a":{"type":▸strng}"#, rules: "json-word"),
        .field(field: #""a":{"type":"string",▸"type":"string"}"#, rules: "json-duplicate-member"),
        .field(field: #""a":{"type":"string"},▸"a":{"type":"string"}"#, rules: "json-duplicate-member"),
        .field(field: #""a":{"type":"string"},▸"\u0061":{"type":"string"}"#, rules: "json-duplicate-member"),
        .file(
            text: String(repeating: "[", count: 128) + "▸" + String(repeating: "[", count: 100_000),
            rules: "json-too-deep"
        ),
        .file(text: String(repeating: #"{"a":"#, count: 128) + "▸{", rules: "json-too-deep"),
        .file(text: Sample.entity(fields: #""a":{"type":"string"}"#), path: "item.schema.json"),
        .file(
            text: "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            rules: "file-name",
            path: "item.json"
        ),
        .file(
            text: "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            rules: "file-name",
            path: "Item.schema.json"
        ),
        .file(
            text: "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            rules: "file-name",
            path: "a/item_b.schema.json"
        ),
        .file(
            text: "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            rules: "file-name",
            path: "a/.schema.json"
        ),
        .file(
            text: "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            rules: "entity-name-reserved",
            path: "sqlite-x.schema.json"
        ),
        .file(
            text: "▸" + Sample.entity(fields: #""a":{"type":"string"}"#),
            rules: "entity-name-reserved",
            path: "sync.schema.json"
        ),
    ]
}
