/// Samples of unknown, misplaced and missing keywords.
enum KeywordSamples {
    private static let field = #""a":{"type":"string"}"#

    static let all: [Sample] = [
        .field(#""a":▸true"#, "not-a-schema"),
        .field(#""a":{"type":"array","items":▸true}"#, "keyword-type"),
        .field(#""a":{"type":"string",▸"maxLenght":3}"#, "unknown-keyword"),
        .field(#""a":{"type":"string",▸"x-note":3}"#, "unknown-keyword"),
        .field(#""a":{"type":"string",▸"oneOf":[]}"#, "unsupported-keyword"),
        .field(#""a":{"type":"integer",▸"multipleOf":2}"#, "unsupported-keyword"),
        .field(
            #""a":{"type":"string",▸"key":"x",▸"merge":"union"}"#,
            "misplaced-keyword",
            "misplaced-keyword"
        ),
        .field(field, "misplaced-keyword", "unsupported-keyword", root: #"▸"minLength":1,▸"if":{},"#),
        .field(#""a":{"type":"string","maxLength":▸"3"}"#, "keyword-type"),
        .field(#""a":{"type":"string","maxLength":▸-3,"minLength":▸1.5}"#, "keyword-type", "keyword-type"),
        .field(#""a":{"type":"string","description":▸3,"deprecated":▸0}"#, "keyword-type", "keyword-type"),
        .field(#""a":{"type":▸3}"#, "keyword-type"),
        .field(#""a":{"type":["string",▸3]}"#, "keyword-type"),
        .field(#""a":{"type":"number","minimum":▸1e999}"#, "bad-bound"),
        .field(
            #""a":{"type":"object","additionalProperties":▸{},"properties":{"x":{"type":"string"}}}"#,
            "keyword-type"
        ),
        .field(#""a":{"type":"string",▸"minimum":3}"#, "keyword-for-other-type"),
        .field(
            #""a":{"type":"integer",▸"maxLength":3,▸"items":{}}"#,
            "keyword-for-other-type",
            "keyword-for-other-type"
        ),
        .field(#""a":{"type":"boolean",▸"properties":{}}"#, "keyword-for-other-type"),
        .field(#""a":{"type":"array","items":{"type":"string",▸"default":"x"}}"#, "keyword-without-effect"),
        .field(
            #""a":{"type":"string"}"#,
            "keyword-without-effect",
            root: #""$defs":{"D":{"type":"string",▸"default":7}},"#
        ),
        .field(#""a":{"type":"string","format":"uuid",▸"maxLength":36}"#, "keyword-without-effect"),
        .field(#""a":{"enum":["x"],▸"pattern":"x"}"#, "keyword-without-effect"),
        .field(#""a":{"type":"string","sync":{"localOnly":true,▸"name":"b"}}"#, "keyword-without-effect"),
        .field(
            ##""a":{"$ref":"#/$defs/D",▸"maxLength":3}"##,
            "keyword-beside-ref",
            root: ##""$defs":{"D":{"type":"string"}},"##
        ),
        .field(field, "unsupported-draft", root: #""$schema":▸"http://json-schema.org/draft-07/schema#","#),
        .field(field, root: #""$schema":"https://json-schema.org/draft/2020-12/schema","$id":"item","#),
        .field(
            field,
            root: #""$schema":"../entitysync.schema.json","$id":"https://example.com/item.schema.json","#
        ),
        .field(field, "id-mismatch", root: #""$id":▸"other","#),
        .field(field, "keyword-type", root: #""$id":▸7,"#),
        .file(
            #"▸{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"sync":{"key":"id","strategy":"set-union"}}"#,
            "missing-title"
        ),
        .file(
            #"▸{"title":"Item","type":"object","properties":{"id":{"type":"string"}},"required":["id"]}"#,
            "missing-sync"
        ),
        .file(#"▸{"title":"Item","type":"object"}"#, "missing-properties+missing-sync"),
        .file(
            #"{"title":"Item","type":"object","properties":▸{},"sync":▸{}}"#,
            "empty-list",
            "missing-key+missing-strategy"
        ),
        .file(#"▸{}"#, "missing-title+root-type+missing-properties+missing-sync"),
        .field(#""a":▸{}"#, "missing-type"),
        .field(#""a":▸{"type":"array"}"#, "missing-items"),
        .field(#""a":▸{"type":"object"}"#, "missing-properties"),
        .field(#""a":{"type":"object","properties":▸{}}"#, "empty-list"),
        .field(#""a":{"type":"array","items":▸{}}"#, "missing-type"),
    ]
}
