/// Samples of `sync` of an entity and of a field.
enum SyncSamples {
    static let all: [Sample] = [
        .sync(#""version":▸0"#, rules: "not-positive"),
        .sync(#""limit":▸-1,"tombstoneDays":▸0"#, rules: "not-positive", "not-positive"),
        .sync(#""limit":▸"9""#, rules: "keyword-type"), .sync(#""limit":1,"tombstoneDays":30,"version":2"#),
        .sync(#"▸"stratgy":"x""#, rules: "unknown-keyword"),
        .sync(#""granularity":▸"fields""#, rules: "unknown-granularity"),
        .sync(#""naming":▸"kebab""#, rules: "unknown-naming"),
        .file(
            text:
                #"{"title":"Item","type":"object","properties":{"id":{"type":"string"}},"required":["id"],"sync":{"key":"id","strategy":▸"last-writer-wins"}}"#,
            rules: "unknown-strategy"
        ),
        .field(field: #""a":{"type":"string","sync":{"merge":▸"maximum"}}"#, rules: "unknown-merge-rule"),
        .field(field: #""a":{"type":"string","sync":{▸"mrge":"max"}}"#, rules: "unknown-keyword"),
        key(key: #"▸"idd""#, rules: "unknown-field"), key(key: #"["id",▸"x"]"#, rules: "unknown-field"),
        key(key: "▸[]", rules: "empty-list"),
        key(key: "▸7", rules: "keyword-type"), key(key: #"["id",▸7]"#, rules: "keyword-type"),
        key(key: #"["id",▸"id"]"#, rules: "duplicate-entry"),
        key(key: #"["day",▸"id"]"#, rules: "field-name-reserved", required: #","day""#).moving(
            to: #""id":{"#
        ),
        keyField(type: #"{"type":"boolean"}"#, rules: "key-type"),
        keyField(type: #"{"type":"number"}"#, rules: "key-type"),
        keyField(type: #"{"enum":["a"]}"#, rules: "key-type"),
        keyField(type: #"{"type":"array","items":{"type":"string"}}"#, rules: "key-type"),
        keyField(type: #"{"type":"object","properties":{"x":{"type":"string"}}}"#, rules: "key-type"),
        keyField(type: #"{"type":"string","format":"decimal"}"#, rules: "key-type"),
        keyField(type: #"{"type":"string","format":"date-time"}"#, rules: "key-type"),
        keyField(type: #"{"type":"string","contentEncoding":"base64"}"#, rules: "key-type"),
        keyField(type: #"{"type":["string","null"]}"#, rules: "key-nullable"),
        keyField(
            type: #"{"type":"string","sync":{"localOnly":true},"maxLength":9}"#,
            rules: "local-only-role",
            extra: "local-only-required"
        ),
        keyField(type: #"{"type":"integer"}"#), keyField(type: #"{"type":"string","format":"uuid"}"#),
        keyField(type: #"{"type":"string","format":"date"}"#),
        keyField(type: #"{"type":"string","format":"uri"}"#),
        .file(
            text:
                #"{"title":"Item","type":"object","properties":{"id":{"type":"string","default":▸"x"}},"sync":{"key":▸"id","strategy":"set-union"}}"#,
            rules: "key-default",
            "key-not-required"
        ),
        .sync(#""created":▸"text","updated":▸"creatd""#, rules: "role-type", "unknown-field"),
        .sync(#""created":▸"here""#, rules: "role-type+local-only-role"),
        .sync(#""created":"at","updated":▸"at""#, rules: "role-clash"),
        .sync(#""created":▸"id""#, rules: "role-clash+role-type"),
        .sync(#""deleted":▸"day""#, rules: "role-type"), .sync(#""deleted":"flag""#),
        .sync(#""deleted":"at2""#),
        .sync(#""deleted":"at""#),
        .sync(#""deleted":▸"at""#, rules: "deleted-not-clearable", required: #","at""#),
        .sync(#""unique":[["text"],["whole","day"]],"indexes":[["at"],["here"]]"#),
        .sync(#""unique":[▸"text"]"#, rules: "keyword-type"), .sync(#""unique":[▸[]]"#, rules: "empty-list"),
        .sync(
            #""unique":[["text",▸"nope"]],"indexes":[[▸"tesxt"]]"#,
            rules: "unknown-field",
            "unknown-field"
        ),
        .sync(
            #""unique":[["text",▸"text"]],"indexes":[["at"],▸["at"]]"#,
            rules: "duplicate-entry",
            "duplicate-entry"
        ),
        .sync(
            #""unique":[[▸"tags"],[▸"part"]],"indexes":[["list"],[▸"list","at"],[▸"part"]]"#,
            rules: "list-field-type",
            "list-field-type",
            "list-field-type",
            "list-field-type"
        ),
        .sync(#""unique":[[▸"here"]]"#, rules: "local-only-role"),
        .sync(#""search":["text"]"#), .sync(#""search":▸[]"#, rules: "empty-list"),
        .sync(
            #""search":["text",▸"text",▸"nope",▸"at",▸"tags"]"#,
            rules: "duplicate-entry",
            "unknown-field",
            "search-field-type",
            "search-field-type"
        ),
        .field(field: #""a":{"type":"string","sync":{▸"localOnly":true}}"#, rules: "local-only-required")
            .requiring(
                names: #","a""#
            ),
        .field(field: #""a":{"type":"boolean","default":false,"sync":{"localOnly":true}}"#).requiring(
            names: #","a""#
        ),
        merge("union", type: "string", editTimestamp: "▸"), merge("max", type: "string", editTimestamp: "▸"),
        merge("min", type: "boolean", editTimestamp: "▸"),
        merge("or", type: "integer", editTimestamp: "▸"),
        merge("and", type: "number", editTimestamp: "▸"), merge("max", type: "integer"),
        merge("min", type: "number"),
        merge("or", type: "boolean"),
        merge("and", type: "boolean"),
        merge("last-write-wins", type: "string"), merge("preserve-local", type: "string"),
        .field(
            field:
                #""a":{"type":"string","format":"decimal","sync":{"merge":"max"}},"b":{"type":"string","format":"date","sync":{"merge":"min"}}"#
        ),
        .field(
            field: #""a":{"type":"array","items":{"type":"string"},"sync":{"merge":▸"union"}}"#,
            rules: "union-needs-set"
        ),
        .field(
            field:
                #""a":{"type":"array","items":{"type":"string"},"uniqueItems":true,"sync":{"merge":"union"}}"#
        ),
        .field(
            field: #""a":{"type":"array","items":{"type":"string"},▸"uniqueItems":true}"#,
            rules: "unordered-set"
        ),
        .field(
            field: ##""a":{▸"$ref":"#/$defs/Words"},"b":{"$ref":"#/$defs/Words","sync":{"ordered":true}}"##,
            rules: "unordered-set",
            root: #""$defs":{"Words":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"#
        ),
        .field(
            field:
                #""part":{"type":"object","properties":{"x":{"type":"array","items":{"type":"string"},▸"uniqueItems":true}}}"#,
            rules: "unordered-set"
        ),
        .field(field: ordered(sync: #""ordered":true"#)), .field(field: ordered(sync: #""ordered":false"#)),
        .field(field: ordered(sync: #""ordered":true,"merge":"preserve-local""#)),
        .field(field: ordered(sync: #""ordered":false,"merge":"union""#)),
        .field(field: ordered(sync: #""ordered":true,"merge":▸"union""#), rules: "union-needs-set"),
        .field(field: ordered(sync: #""ordered":▸"yes""#), rules: "keyword-type"),
        .field(
            field: #""a":{"type":"array","items":{"type":"string"},"sync":{▸"ordered":true}}"#,
            rules: "keyword-without-effect"
        ),
        .field(field: #""a":{"type":"string","sync":{▸"ordered":true}}"#, rules: "keyword-without-effect"),
        .field(field: #""part":{"type":"object","properties":{\#(ordered(sync: #""ordered":true"#))}}"#),
        .field(
            field: ordered(sync: #""ordered":true"#, more: #","default":["y","x",▸"y"]"#),
            rules: "bad-default"
        ),
        .field(
            field:
                #""part":{"type":"object","properties":{\#(ordered(sync: #""ordered":true"#))},"default":{"a":["y",▸"y"]}}"#,
            rules: "bad-default"
        ),
        .field(
            field: #""a":{"type":"string","format":"date-time","sync":{"merge":▸"max"}}"#,
            rules: "merge-on-role",
            sync: #""updated":"a""#
        ),
        .field(
            field: #""a":{"type":"integer","sync":{"merge":▸"max","localOnly":true}}"#,
            rules: "merge-on-role"
        ),
        .field(
            field:
                #""part":{"type":"object","properties":{"x":{"type":"integer","sync":{▸"merge":"max",▸"localOnly":true}}}}"#,
            rules: "nested-sync",
            "nested-sync"
        ),
        .field(
            field: #""a":{"type":"string","format":"uri","sync":{"swiftType":▸"Url"}}"#,
            rules: "unknown-swift-type"
        ),
        .field(field: #""a":{"type":"string","sync":{"swiftType":▸"URL"}}"#, rules: "swift-type"),
        .field(
            field: #""a":{"type":"string","format":"uuid","sync":{"swiftType":▸"ID"}}"#,
            rules: "swift-type"
        ),
        .field(
            field: #""a":{"type":"array","items":{"type":"integer"},"sync":{"swiftType":▸"URL"}}"#,
            rules: "swift-type"
        ),
        .field(
            field:
                #""part":{"type":"object","properties":{"x":{"type":"string","sync":{"swiftType":▸"ID"}}}}"#,
            rules: "swift-type"
        ),
        .field(field: #""a":{"type":"string","sync":{"renamedFrom":▸"id"}}"#, rules: "renamed-from"),
        .field(field: #""a":{"type":"string","sync":{"renamedFrom":▸"a"}}"#, rules: "renamed-from"),
        .field(
            field: #""a":{"type":"string","sync":{"name":"a","renamedFrom":▸"a"}}"#,
            rules: "renamed-from"
        ),
        .field(
            field:
                #""a":{"type":"string","sync":{"renamedFrom":"z"}},"b":{"type":"string","sync":{"renamedFrom":▸"Z"}}"#,
            rules: "renamed-from"
        ),
        .field(field: #""a":{"type":"string","sync":{"renamedFrom":▸"a b"}}"#, rules: "field-name"),
        .field(field: #""a":{"type":"string","sync":{"renamedFrom":["y","z"]}}"#),
        .field(field: #""a":{"type":"string","sync":{"renamedFrom":▸[]}}"#, rules: "empty-list"),
        .field(field: #""a":{"type":"string","sync":{"renamedFrom":["y",▸1]}}"#, rules: "keyword-type"),
        .field(field: #""a":{"type":"string","sync":{"renamedFrom":["y",▸"y"]}}"#, rules: "renamed-from"),
    ]

    private static func key(key: String, rules: String..., required: String = "") -> Sample {
        let text = Sample.entity(fields: Sample.fieldsOfEveryType, key: "\"key\":\(key)", required: required)
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }

    /// A schema whose key field has the given type; `extra` is expected at its `localOnly`.
    private static func keyField(type: String, rules: String..., extra: String? = nil) -> Sample {
        let marked = extra == nil ? type : type.replacing("\"localOnly\"", with: "▸\"localOnly\"")
        let editTimestamp = rules.isEmpty ? "" : "▸"
        let text = """
            {"title":"Item","type":"object","properties":{"id":\(marked)},"required":["id"],
            "sync":{"key":\(editTimestamp)"id","strategy":"set-union"}}
            """
        return Sample(files: [("item.schema.json", text)], rules: (extra.map { [$0] } ?? []) + rules)
    }

    /// A list `a` of texts with `uniqueItems` and members of `sync`.
    private static func ordered(sync: String, more: String = "") -> String {
        #""a":{"type":"array","items":{"type":"string"},"uniqueItems":true\#(more),"sync":{\#(sync)}}"#
    }

    private static func merge(_ rule: String, type: String, editTimestamp: String = "") -> Sample {
        let text = Sample.entity(
            fields: "\"a\":{\"type\":\"\(type)\",\"sync\":{\"merge\":\(editTimestamp)\"\(rule)\"}}"
        )
        return Sample(files: [("item.schema.json", text)], rules: editTimestamp.isEmpty ? [] : ["merge-type"])
    }
}

extension Sample {
    /// The sample with its only mark before the first occurrence of a text.
    func moving(to text: String) -> Sample {
        var copy = self
        copy.files[0].text = copy.files[0].text.replacing("▸", with: "")
        return copy.marking(text: text)
    }

    /// The sample with more required fields.
    func requiring(names: String) -> Sample {
        var copy = self
        copy.files[0].text = copy.files[0].text.replacing(
            #""required":["id""#,
            with: #""required":["id""# + names
        )
        return copy
    }
}
