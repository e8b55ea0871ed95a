/// Samples of `sync` of an entity and of a field.
enum SyncSamples {
    static let all: [Sample] = [
        .sync(#""version":▸0"#, "not-positive"),
        .sync(#""limit":▸-1,"tombstoneDays":▸0"#, "not-positive", "not-positive"),
        .sync(#""limit":▸"9""#, "keyword-type"), .sync(#""limit":1,"tombstoneDays":30,"version":2"#),
        .sync(#"▸"stratgy":"x""#, "unknown-keyword"),
        .sync(#""granularity":▸"fields""#, "unknown-granularity"),
        .sync(#""naming":▸"kebab""#, "unknown-naming"),
        .file(
            #"{"title":"Item","type":"object","properties":{"id":{"type":"string"}},"required":["id"],"sync":{"key":"id","strategy":▸"last-writer-wins"}}"#,
            "unknown-strategy"
        ),
        .field(#""a":{"type":"string","sync":{"merge":▸"maximum"}}"#, "unknown-merge-rule"),
        .field(#""a":{"type":"string","sync":{▸"mrge":"max"}}"#, "unknown-keyword"),
        key(#"▸"idd""#, "unknown-field"), key(#"["id",▸"x"]"#, "unknown-field"), key("▸[]", "empty-list"),
        key("▸7", "keyword-type"), key(#"["id",▸7]"#, "keyword-type"),
        key(#"["id",▸"id"]"#, "duplicate-entry"),
        key(#"["day",▸"id"]"#, "field-name-reserved", required: #","day""#).moving(to: #""id":{"#),
        keyField(#"{"type":"boolean"}"#, "key-type"), keyField(#"{"type":"number"}"#, "key-type"),
        keyField(#"{"enum":["a"]}"#, "key-type"),
        keyField(#"{"type":"array","items":{"type":"string"}}"#, "key-type"),
        keyField(#"{"type":"object","properties":{"x":{"type":"string"}}}"#, "key-type"),
        keyField(#"{"type":"string","format":"decimal"}"#, "key-type"),
        keyField(#"{"type":"string","format":"date-time"}"#, "key-type"),
        keyField(#"{"type":"string","contentEncoding":"base64"}"#, "key-type"),
        keyField(#"{"type":["string","null"]}"#, "key-nullable"),
        keyField(
            #"{"type":"string","sync":{"localOnly":true},"maxLength":9}"#,
            "local-only-role",
            extra: "local-only-required"
        ),
        keyField(#"{"type":"integer"}"#), keyField(#"{"type":"string","format":"uuid"}"#),
        keyField(#"{"type":"string","format":"date"}"#), keyField(#"{"type":"string","format":"uri"}"#),
        .file(
            #"{"title":"Item","type":"object","properties":{"id":{"type":"string","default":▸"x"}},"sync":{"key":▸"id","strategy":"set-union"}}"#,
            "key-default",
            "key-not-required"
        ),
        .sync(#""created":▸"text","updated":▸"creatd""#, "role-type", "unknown-field"),
        .sync(#""created":▸"here""#, "role-type+local-only-role"),
        .sync(#""created":"at","updated":▸"at""#, "role-clash"),
        .sync(#""created":▸"id""#, "role-clash+role-type"),
        .sync(#""deleted":▸"day""#, "role-type"), .sync(#""deleted":"flag""#), .sync(#""deleted":"at2""#),
        .sync(#""deleted":"at""#),
        .sync(#""deleted":▸"at""#, "deleted-not-clearable", required: #","at""#),
        .sync(#""unique":[["text"],["whole","day"]],"indexes":[["at"],["here"]]"#),
        .sync(#""unique":[▸"text"]"#, "keyword-type"), .sync(#""unique":[▸[]]"#, "empty-list"),
        .sync(#""unique":[["text",▸"nope"]],"indexes":[[▸"tesxt"]]"#, "unknown-field", "unknown-field"),
        .sync(
            #""unique":[["text",▸"text"]],"indexes":[["at"],▸["at"]]"#,
            "duplicate-entry",
            "duplicate-entry"
        ),
        .sync(
            #""unique":[[▸"tags"],[▸"part"]],"indexes":[[▸"list"]]"#,
            "list-field-type",
            "list-field-type",
            "list-field-type"
        ),
        .sync(#""unique":[[▸"here"]]"#, "local-only-role"),
        .field(#""a":{"type":"string","sync":{▸"localOnly":true}}"#, "local-only-required").requiring(
            #","a""#
        ),
        .field(#""a":{"type":"boolean","default":false,"sync":{"localOnly":true}}"#).requiring(#","a""#),
        merge("union", "string", "▸"), merge("max", "string", "▸"), merge("min", "boolean", "▸"),
        merge("or", "integer", "▸"),
        merge("and", "number", "▸"), merge("max", "integer"), merge("min", "number"), merge("or", "boolean"),
        merge("and", "boolean"),
        merge("last-write-wins", "string"), merge("preserve-local", "string"),
        .field(
            #""a":{"type":"string","format":"decimal","sync":{"merge":"max"}},"b":{"type":"string","format":"date","sync":{"merge":"min"}}"#
        ),
        .field(
            #""a":{"type":"array","items":{"type":"string"},"sync":{"merge":▸"union"}}"#,
            "union-needs-set"
        ),
        .field(
            #""a":{"type":"array","items":{"type":"string"},"uniqueItems":true,"sync":{"merge":"union"}}"#
        ),
        .field(
            #""a":{"type":"string","format":"date-time","sync":{"merge":▸"max"}}"#,
            "merge-on-role",
            sync: #""updated":"a""#
        ),
        .field(#""a":{"type":"integer","sync":{"merge":▸"max","localOnly":true}}"#, "merge-on-role"),
        .field(
            #""part":{"type":"object","properties":{"x":{"type":"integer","sync":{▸"merge":"max",▸"localOnly":true}}}}"#,
            "nested-sync",
            "nested-sync"
        ),
        .field(#""a":{"type":"string","sync":{"renamedFrom":▸"id"}}"#, "renamed-from"),
        .field(
            #""a":{"type":"string","sync":{"renamedFrom":"z"}},"b":{"type":"string","sync":{"renamedFrom":▸"Z"}}"#,
            "renamed-from"
        ),
        .field(#""a":{"type":"string","sync":{"renamedFrom":▸"a b"}}"#, "field-name"),
    ]

    private static func key(_ key: String, _ rules: String..., required: String = "") -> Sample {
        let text = Sample.entity(fields: Sample.fieldsOfEveryType, key: "\"key\":\(key)", required: required)
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }

    /// A schema whose key field has the given type; `extra` is expected at its `localOnly`.
    private static func keyField(_ type: String, _ rules: String..., extra: String? = nil) -> Sample {
        let marked = extra == nil ? type : type.replacing("\"localOnly\"", with: "▸\"localOnly\"")
        let mark = rules.isEmpty ? "" : "▸"
        let text = """
            {"title":"Item","type":"object","properties":{"id":\(marked)},"required":["id"],
            "sync":{"key":\(mark)"id","strategy":"set-union"}}
            """
        return Sample(files: [("item.schema.json", text)], rules: (extra.map { [$0] } ?? []) + rules)
    }

    private static func merge(_ rule: String, _ type: String, _ mark: String = "") -> Sample {
        let text = Sample.entity(
            fields: "\"a\":{\"type\":\"\(type)\",\"sync\":{\"merge\":\(mark)\"\(rule)\"}}"
        )
        return Sample(files: [("item.schema.json", text)], rules: mark.isEmpty ? [] : ["merge-type"])
    }
}

extension Sample {
    /// The sample with its only mark before the first occurrence of a text.
    func moving(to text: String) -> Sample {
        var copy = self
        copy.files[0].text = copy.files[0].text.replacing("▸", with: "")
        return copy.marking(text)
    }

    /// The sample with more required fields.
    func requiring(_ names: String) -> Sample {
        var copy = self
        copy.files[0].text = copy.files[0].text.replacing(
            #""required":["id""#,
            with: #""required":["id""# + names
        )
        return copy
    }
}
