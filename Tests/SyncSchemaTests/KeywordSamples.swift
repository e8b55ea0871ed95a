/// Samples of unknown, misplaced and missing keywords.
enum KeywordSamples {
    private static let field = #""a":{"type":"string"}"#

    static let all: [Sample] = [
        .field(field: #""a":▸true"#, rules: "not-a-schema"),
        .field(field: #""a":{"type":"array","items":▸true}"#, rules: "keyword-type"),
        .field(field: #""a":{"type":"string",▸"maxLenght":3}"#, rules: "unknown-keyword"),
        .field(field: #""a":{"type":"string",▸"x-note":3}"#, rules: "unknown-keyword"),
        .field(field: #""a":{"type":["string","null"],"const":▸3}"#, rules: "keyword-type"),
        .field(field: #""a":{"type":"integer","const":▸"3"}"#, rules: "keyword-type"),
        .field(field: #""a":{"type":"boolean",▸"const":true}"#, rules: "unsupported-keyword"),
        .field(field: #""a":{"type":"integer",▸"format":"uuid"}"#, rules: "keyword-for-other-type"),
        .field(field: #""a":{"type":"string",▸"oneOf":[]}"#, rules: "unsupported-keyword"),
        .field(field: #""a":{"type":"integer",▸"multipleOf":2}"#, rules: "unsupported-keyword"),
        .field(
            field: #""a":{"type":"string",▸"key":"x",▸"merge":"union"}"#,
            rules: "misplaced-keyword",
            "misplaced-keyword"
        ),
        .field(
            field: field,
            rules: "misplaced-keyword",
            "unsupported-keyword",
            root: #"▸"minLength":1,▸"if":{},"#
        ),
        .field(field: #""a":{"type":"string","maxLength":▸"3"}"#, rules: "keyword-type"),
        .field(
            field: #""a":{"type":"string","maxLength":▸-3,"minLength":▸1.5}"#,
            rules: "keyword-type",
            "keyword-type"
        ),
        .field(
            field: #""a":{"type":"string","description":▸3,"deprecated":▸0}"#,
            rules: "keyword-type",
            "keyword-type"
        ),
        .field(field: #""a":{"type":▸3}"#, rules: "keyword-type"),
        .field(field: #""a":{"type":["string",▸3]}"#, rules: "keyword-type"),
        .field(field: #""a":{"type":"number","minimum":▸1e999}"#, rules: "bad-bound"),
        .field(
            field: #""a":{"type":"object","additionalProperties":▸{},"properties":{"x":{"type":"string"}}}"#,
            rules: "map-values"
        ),
        .field(field: #""a":{"type":"object","additionalProperties":▸3}"#, rules: "keyword-type"),
        .field(field: #""a":{"type":"string",▸"minimum":3}"#, rules: "keyword-for-other-type"),
        .field(
            field: #""a":{"type":"integer",▸"maxBytes":3,▸"items":{}}"#,
            rules: "keyword-for-other-type",
            "keyword-for-other-type"
        ),
        .field(field: #""a":{"type":"boolean",▸"properties":{}}"#, rules: "keyword-for-other-type"),
        .field(
            field: #""a":{"type":"array","items":{"type":"string",▸"default":"x"}}"#,
            rules: "keyword-without-effect"
        ),
        .field(
            field: #""a":{"type":"string"}"#,
            rules: "keyword-without-effect",
            root: #""$defs":{"D":{"type":"string",▸"default":7}},"#
        ),
        .field(
            field: #""a":{"type":"string","format":"uuid",▸"maxLength":36}"#,
            rules: "keyword-without-effect"
        ),
        .field(field: #""a":{"enum":["x"],▸"pattern":"x"}"#, rules: "keyword-without-effect"),
        .field(
            field: #""a":{"type":"string","sync":{"localOnly":true,▸"name":"b"}}"#,
            rules: "keyword-without-effect"
        ),
        .field(
            field: ##""a":{"$ref":"#/$defs/D",▸"maxLength":3}"##,
            rules: "keyword-beside-ref",
            root: ##""$defs":{"D":{"type":"string"}},"##
        ),
        .field(
            field: field,
            rules: "unsupported-draft",
            root: #""$schema":▸"http://json-schema.org/draft-07/schema#","#
        ),
        .field(
            field: field,
            root: #""$schema":"https://json-schema.org/draft/2020-12/schema","$id":"item","#
        ),
        .field(
            field: field,
            root: #""$schema":"../entitysync.schema.json","$id":"https://example.com/item.schema.json","#
        ),
        .field(field: field, rules: "id-mismatch", root: #""$id":▸"other","#),
        .field(field: field, rules: "keyword-type", root: #""$id":▸7,"#),
        .file(
            text:
                #"▸{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"sync":{"key":"id","strategy":"set-union"}}"#,
            rules: "missing-title"
        ),
        .file(
            text:
                #"▸{"title":"Item","type":"object","properties":{"id":{"type":"string"}},"required":["id"]}"#,
            rules: "missing-sync"
        ),
        .file(text: #"▸{"title":"Item","type":"object"}"#, rules: "missing-properties+missing-sync"),
        .file(
            text: #"{"title":"Item","type":"object","properties":▸{},"sync":▸{}}"#,
            rules: "empty-list",
            "missing-key+missing-strategy"
        ),
        .file(text: #"▸{}"#, rules: "missing-title+root-type+missing-properties+missing-sync"),
        .field(field: #""a":▸{}"#, rules: "missing-type"),
        .field(field: #""a":▸{"type":"array"}"#, rules: "missing-items"),
        .field(field: #""a":{"type":"object"},"b":{"type":"object","additionalProperties":false}"#),
        .field(field: #""a":{"type":"object","properties":▸{}}"#, rules: "empty-list"),
        .field(field: #""a":{"type":"object","required":[▸"x"]}"#, rules: "unknown-required"),
        .field(field: #""a":{"type":"object","properties":▸{}}"#, rules: "empty-list"),
        .field(field: #""a":{"type":"array","items":▸{}}"#, rules: "missing-type"),
    ]
}
