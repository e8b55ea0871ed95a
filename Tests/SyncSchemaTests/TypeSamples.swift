/// Samples of types and constraints.
enum TypeSamples {
    static let all: [Sample] = [
        .file(
            text:
                #"{"title":"Item","type":▸"array","properties":{"id":{"type":"string"}},"required":["id"],"sync":{"key":"id","strategy":"set-union"}}"#,
            rules: "root-type"
        ),
        .field(field: #""a":{"type":▸"int"}"#, rules: "unknown-type"),
        .field(field: #""a":{"type":▸"strng"}"#, rules: "unknown-type"),
        .field(field: #""a":{"type":▸"null"}"#, rules: "unsupported-union"),
        .field(field: #""a":{"type":▸["string","integer"]}"#, rules: "unsupported-union"),
        .field(field: #""a":{"type":▸[]}"#, rules: "unsupported-union"),
        .field(
            field:
                #""a":{"type":["string","null"]},"b":{"type":["integer"]},"c":{"type":["null","array"],"items":{"type":"string"}}"#
        ),
        .field(field: #""a":{"type":"string","format":▸"datetime"}"#, rules: "unknown-format"),
        .field(field: #""a":{"type":"string","format":▸"email"}"#, rules: "format-not-checked"),
        .field(field: #""a":{"type":"string","contentEncoding":▸"base32"}"#, rules: "unsupported-encoding"),
        .field(field: #""a":{"type":"number",▸"enum":[1,2]}"#, rules: "unsupported-enum"),
        .field(field: #""a":{"enum":["x",▸1,▸true]}"#, rules: "enum-value", "enum-value"),
        .field(field: #""a":{"enum":[1,▸"x",▸1.5]}"#, rules: "enum-value", "enum-value"),
        .field(field: #""a":{"type":"integer","enum":[▸9223372036854775808,1]}"#, rules: "enum-value"),
        .field(field: #""a":{"type":"integer","enum":[1,▸1.0]}"#, rules: "duplicate-entry"),
        .field(field: #""a":{"type":"integer","enum":▸[]}"#, rules: "empty-list"),
        .field(field: #""a":{"type":"integer","enum":▸[1,null]}"#, rules: "enum-null"),
        .field(field: #""a":{"enum":[1,null]},"b":{"type":["integer","null"],"enum":[-1,null]}"#),
        .field(field: #""a":{"enum":▸[]}"#, rules: "empty-list"),
        .field(field: #""a":{"enum":["x",▸"x"]}"#, rules: "duplicate-entry"),
        .field(field: #""a":{"enum":["\u00e9",▸"e\u0301"]}"#, rules: "duplicate-entry"),
        .field(field: #""a":{"type":"string","enum":▸["x",null]}"#, rules: "enum-null"),
        .field(field: #""a":{"type":["string","null"],"enum":▸["x"]}"#, rules: "enum-null"),
        .field(field: #""a":{"enum":["x",null]},"b":{"type":["string","null"],"enum":["x",null]}"#),
        .field(
            field:
                #""a":{"type":"array","uniqueItems":true,"items":▸{"type":"array","items":{"type":"string"}}}"#,
            rules: "set-items"
        ),
        .field(
            field: #""a":{"type":"object","additionalProperties":{"enum":["x",null]},"default":{"b":null}}"#
        ),
        .field(
            field:
                #""a":{"type":"object","additionalProperties":▸{"type":"array","items":{"type":"string"}}}"#,
            rules: "map-values"
        ),
        .field(
            field: #""a":{"type":"object","additionalProperties":{"type":"integer"},"default":{"b":▸"c"}}"#,
            rules: "bad-default"
        ),
        .field(
            field: #""a":{"type":"array","uniqueItems":true,"items":▸{"type":["string","null"]}}"#,
            rules: "set-items"
        ),
        .field(field: #""a":{"type":"string","minLength":3,"maxLength":▸2}"#, rules: "empty-range"),
        .field(
            field: #""a":{"type":"array","items":{"type":"string"},"minItems":3,"maxItems":▸2}"#,
            rules: "empty-range"
        ),
        .field(field: #""a":{"type":"integer","minimum":3,"maximum":▸2}"#, rules: "empty-range"),
        .field(
            field: #""a":{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":▸4}"#,
            rules: "empty-range"
        ),
        .field(field: #""a":{"type":"number","minimum":3,"exclusiveMaximum":▸3}"#, rules: "empty-range"),
        .field(
            field: #""a":{"type":"integer","minimum":▸1e30,"maximum":▸9223372036854775808}"#,
            rules: "bad-bound",
            "bad-bound"
        ),
        .field(
            field: #""a":{"type":"integer","exclusiveMaximum":▸-9223372036854775808}"#,
            rules: "bad-bound"
        ),
        pattern(pattern: "(", isValid: false), pattern(pattern: "a)", isValid: false),
        pattern(pattern: "[", isValid: false), pattern(pattern: "[]", rule: "unsupported-pattern"),
        pattern(pattern: "[b-a]", isValid: false),
        pattern(pattern: "*", isValid: false), pattern(pattern: "a**", isValid: false),
        pattern(pattern: "a{3,2}", isValid: false), pattern(pattern: "a{9999}", rule: "unsupported-pattern"),
        pattern(pattern: "a{", isValid: false),
        pattern(pattern: #"\\"#, isValid: false), pattern(pattern: #"\\q"#, isValid: false),
        pattern(pattern: "(?<x>a)", isValid: true), pattern(pattern: "(?<x>a)(?<x>b)", isValid: false),
        pattern(pattern: #"\\p{Greek}"#, rule: "unsupported-pattern"),
        pattern(pattern: "(?=a)b", rule: "unsupported-pattern"),
        pattern(pattern: "(?<!a)b", rule: "unsupported-pattern"),
        pattern(pattern: #"(a)\\1"#, rule: "unsupported-pattern"),
        pattern(pattern: "(?i:a)", rule: "unsupported-pattern"),
        pattern(pattern: "((a{1,100}){1,100}){1,100}", rule: "unsupported-pattern"),
        pattern(pattern: "^*", isValid: false),
        pattern(pattern: String(repeating: "(", count: 500), isValid: false),
        pattern(pattern: String(repeating: "a", count: 1001), isValid: false),
        pattern(pattern: "^[A-Z]{3}$", isValid: true),
        pattern(pattern: #"^\\+?[0-9 ()\\-]{5,20}$"#, isValid: true),
        pattern(pattern: #"^(?:a|b)+?\\d\\.\\p{L}*$"#, isValid: true),
        pattern(pattern: #"^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$"#, isValid: true),
        pattern(pattern: "", isValid: false), pattern(pattern: "a|", isValid: true),
        pattern(pattern: #"[\\u0600-\\u06FF]"#, isValid: true),
        .field(field: #""a":{"type":"string","maxLength":2,"default":▸"abc"}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"string","maxBytes":3,"default":▸"éé"}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"string","pattern":"^a+$","default":▸"b"}"#, rules: "bad-default"),
        .field(
            field:
                #""a":{"type":"string","pattern":"(a+)+$","default":▸"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}"#,
            rules: "bad-default"
        ),
        .field(field: #""a":{"type":"string","default":▸null}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"string","default":▸3}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"integer","maximum":2,"default":▸3}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"integer","default":▸1.5}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"number","default":▸1e999}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"boolean","default":▸"true"}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"string","format":"uuid","default":▸"1"}"#, rules: "bad-default"),
        .field(
            field: #""a":{"type":"string","format":"date","default":▸"2023-02-29"}"#,
            rules: "bad-default"
        ),
        .field(
            field: #""a":{"type":"string","format":"date-time","default":▸"2023-02-28"}"#,
            rules: "bad-default"
        ),
        .field(
            field:
                #""a":{"type":"string","format":"decimal","default":▸"1e3"},"b":{"type":"string","format":"decimal","default":▸1}"#,
            rules: "bad-default",
            "bad-default"
        ),
        .field(field: #""a":{"type":"string","format":"uri","default":▸"a b"}"#, rules: "bad-default"),
        .field(field: #""a":{"type":"string","format":"uri","default":▸"a.b"}"#, rules: "bad-default"),
        .field(
            field: #""a":{"type":"string","contentEncoding":"base64","default":▸"?"}"#,
            rules: "bad-default"
        ),
        .field(field: #""a":{"enum":["x"],"default":▸"y"}"#, rules: "bad-default"),
        .field(field: #""a":{"enum":[1],"default":▸2}"#, rules: "bad-default"),
        .field(field: #""a":{"enum":[1],"default":▸"1"}"#, rules: "bad-default"),
        .field(
            field:
                #""a":{"type":"array",▸"uniqueItems":true,"items":{"type":"string"},"default":["x",▸"x"]}"#,
            rules: "unordered-set",
            "bad-default"
        ),
        .field(
            field:
                #""a":{"type":"array","maxItems":1,"items":{"type":"integer"},"default":▸[1,2]},"b":{"type":"array","items":{"type":"integer"},"default":[1,▸"2"]}"#,
            rules: "bad-default",
            "bad-default"
        ),
        .field(
            field:
                #""a":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"],"default":▸{}}"#,
            rules: "bad-default"
        ),
        .field(
            field: #""a":{"type":"object","properties":{"x":{"type":"string"}},"default":{▸"y":1}}"#,
            rules: "bad-default"
        ),
        .sync(#""created":"at""#, rules: "unknown-required", required: #",▸"txt""#),
        .sync(#""created":"at""#, rules: "duplicate-entry", required: #",▸"id""#),
        .sync(#""created":"at""#, rules: "keyword-type", required: ",▸7"),
        ref(name: "D", definitions: #""D":{"type":"string"}"#),
        ref(name: "▸D", definitions: "", rules: "unresolved-ref"),
        ref(name: "▸Dd", definitions: #""D":{"type":"string"}"#, rules: "unresolved-ref"),
        .field(field: ##""a":{"$ref":▸"other.json"}"##, rules: "bad-ref"),
        .field(field: ##""a":{"$ref":▸"#/properties/id"}"##, rules: "bad-ref"),
        ref(
            name: "D",
            definitions: ##""D":{"type":"array","items":{"$ref":▸"#/$defs/D"}}"##,
            rules: "cyclic-ref"
        ),
        ref(
            name: "D",
            definitions:
                ##""D":{"$ref":"#/$defs/E"},"E":{"type":"object","properties":{"x":{"$ref":▸"#/$defs/D"}}}"##,
            rules: "cyclic-ref"
        ),
        .field(
            field: #""a":{"type":"string"}"#,
            rules: "unknown-type",
            root: #""$defs":{"Unused":{"type":▸"x"}},"#
        ),
    ]

    private static func pattern(pattern: String, isValid: Bool) -> Sample {
        self.pattern(pattern: pattern, rule: isValid ? nil : "bad-pattern")
    }

    private static func pattern(pattern: String, rule: String?) -> Sample {
        let editTimestamp = rule == nil ? "" : "▸"
        let text = Sample.entity(
            fields: "\"a\":{\"type\":\"string\",\"pattern\":\(editTimestamp)\"\(pattern)\"}"
        )
        return Sample(files: [("item.schema.json", text)], rules: rule.map { [$0] } ?? [])
    }

    private static func ref(name: String, definitions: String, rules: String...) -> Sample {
        let editTimestamp = name.hasPrefix("▸") ? "▸" : ""
        let field = "\"a\":{\"$ref\":\(editTimestamp)\"#/$defs/\(name.replacing("▸", with: ""))\"}"
        let text = Sample.entity(fields: field, root: "\"$defs\":{\(definitions)},")
        // A mark in the definitions comes before the one at the reference.
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }
}
