/// Samples of types and constraints.
enum TypeSamples {
    static let all: [Sample] = [
        .file(
            #"{"title":"Item","type":▸"array","properties":{"id":{"type":"string"}},"required":["id"],"sync":{"key":"id","strategy":"set-union"}}"#,
            "root-type"
        ),
        .field(#""a":{"type":▸"int"}"#, "unknown-type"), .field(#""a":{"type":▸"strng"}"#, "unknown-type"),
        .field(#""a":{"type":▸"null"}"#, "unsupported-union"),
        .field(#""a":{"type":▸["string","integer"]}"#, "unsupported-union"),
        .field(#""a":{"type":▸[]}"#, "unsupported-union"),
        .field(
            #""a":{"type":["string","null"]},"b":{"type":["integer"]},"c":{"type":["null","array"],"items":{"type":"string"}}"#
        ),
        .field(#""a":{"type":"string","format":▸"datetime"}"#, "unknown-format"),
        .field(#""a":{"type":"string","format":▸"email"}"#, "format-not-checked"),
        .field(#""a":{"type":"string","contentEncoding":▸"base32"}"#, "unsupported-encoding"),
        .field(#""a":{"type":"integer",▸"enum":[1,2]}"#, "unsupported-enum"),
        .field(#""a":{"enum":["x",▸1,▸true]}"#, "enum-value", "enum-value"),
        .field(#""a":{"enum":▸[]}"#, "empty-list"), .field(#""a":{"enum":["x",▸"x"]}"#, "duplicate-entry"),
        .field(#""a":{"enum":["\u00e9",▸"e\u0301"]}"#, "duplicate-entry"),
        .field(#""a":{"type":"string","enum":▸["x",null]}"#, "enum-null"),
        .field(#""a":{"type":["string","null"],"enum":▸["x"]}"#, "enum-null"),
        .field(#""a":{"enum":["x",null]},"b":{"type":["string","null"],"enum":["x",null]}"#),
        .field(
            #""a":{"type":"array","uniqueItems":true,"items":▸{"type":"array","items":{"type":"string"}}}"#,
            "set-items"
        ),
        .field(#""a":{"type":"array","uniqueItems":true,"items":▸{"type":["string","null"]}}"#, "set-items"),
        .field(#""a":{"type":"string","minLength":3,"maxLength":▸2}"#, "empty-range"),
        .field(#""a":{"type":"array","items":{"type":"string"},"minItems":3,"maxItems":▸2}"#, "empty-range"),
        .field(#""a":{"type":"integer","minimum":3,"maximum":▸2}"#, "empty-range"),
        .field(#""a":{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":▸4}"#, "empty-range"),
        .field(#""a":{"type":"number","minimum":3,"exclusiveMaximum":▸3}"#, "empty-range"),
        .field(
            #""a":{"type":"integer","minimum":▸1e30,"maximum":▸9223372036854775808}"#,
            "bad-bound",
            "bad-bound"
        ),
        .field(#""a":{"type":"integer","exclusiveMaximum":▸-9223372036854775808}"#, "bad-bound"),
        pattern("(", false), pattern("a)", false), pattern("[", false), pattern("[]", false),
        pattern("[b-a]", false),
        pattern("*", false), pattern("a**", false), pattern("a{3,2}", false), pattern("a{9999}", false),
        pattern("a{", false),
        pattern(#"\\"#, false), pattern(#"\\q"#, false), pattern("(?<x>a)", false),
        pattern(#"\\p{Greek}"#, false),
        pattern("^*", false), pattern(String(repeating: "(", count: 500), false),
        pattern(String(repeating: "a", count: 1001), false),
        pattern("^[A-Z]{3}$", true), pattern(#"^\\+?[0-9 ()\\-]{5,20}$"#, true),
        pattern(#"^(?:a|b)+?\\d\\.\\p{L}*$"#, true),
        pattern(#"^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$"#, true), pattern("", false), pattern("a|", true),
        pattern(#"[\\u0600-\\u06FF]"#, true),
        .field(#""a":{"type":"string","maxLength":2,"default":▸"abc"}"#, "bad-default"),
        .field(#""a":{"type":"string","pattern":"^a+$","default":▸"b"}"#, "bad-default"),
        .field(
            #""a":{"type":"string","pattern":"(a+)+$","default":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}"#
        ),
        .field(#""a":{"type":"string","default":▸null}"#, "bad-default"),
        .field(#""a":{"type":"string","default":▸3}"#, "bad-default"),
        .field(#""a":{"type":"integer","maximum":2,"default":▸3}"#, "bad-default"),
        .field(#""a":{"type":"integer","default":▸1.5}"#, "bad-default"),
        .field(#""a":{"type":"number","default":▸1e999}"#, "bad-default"),
        .field(#""a":{"type":"boolean","default":▸"true"}"#, "bad-default"),
        .field(#""a":{"type":"string","format":"uuid","default":▸"1"}"#, "bad-default"),
        .field(#""a":{"type":"string","format":"date","default":▸"2023-02-29"}"#, "bad-default"),
        .field(#""a":{"type":"string","format":"date-time","default":▸"2023-02-28"}"#, "bad-default"),
        .field(
            #""a":{"type":"string","format":"decimal","default":▸"1e3"},"b":{"type":"string","format":"decimal","default":▸1}"#,
            "bad-default",
            "bad-default"
        ),
        .field(#""a":{"type":"string","format":"uri","default":▸"a b"}"#, "bad-default"),
        .field(#""a":{"type":"string","contentEncoding":"base64","default":▸"?"}"#, "bad-default"),
        .field(#""a":{"enum":["x"],"default":▸"y"}"#, "bad-default"),
        .field(
            #""a":{"type":"array","uniqueItems":true,"items":{"type":"string"},"default":["x",▸"x"]}"#,
            "bad-default"
        ),
        .field(
            #""a":{"type":"array","maxItems":1,"items":{"type":"integer"},"default":▸[1,2]},"b":{"type":"array","items":{"type":"integer"},"default":[1,▸"2"]}"#,
            "bad-default",
            "bad-default"
        ),
        .field(
            #""a":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"],"default":▸{}}"#,
            "bad-default"
        ),
        .field(
            #""a":{"type":"object","properties":{"x":{"type":"string"}},"default":{▸"y":1}}"#,
            "bad-default"
        ),
        .sync(#""created":"at""#, "unknown-required", required: #",▸"txt""#),
        .sync(#""created":"at""#, "duplicate-entry", required: #",▸"id""#),
        .sync(#""created":"at""#, "keyword-type", required: ",▸7"),
        ref("D", #""D":{"type":"string"}"#), ref("▸D", "", "unresolved-ref"),
        ref("▸Dd", #""D":{"type":"string"}"#, "unresolved-ref"),
        .field(##""a":{"$ref":▸"other.json"}"##, "bad-ref"),
        .field(##""a":{"$ref":▸"#/properties/id"}"##, "bad-ref"),
        ref("D", ##""D":{"type":"array","items":{"$ref":▸"#/$defs/D"}}"##, "cyclic-ref"),
        ref(
            "D",
            ##""D":{"$ref":"#/$defs/E"},"E":{"type":"object","properties":{"x":{"$ref":▸"#/$defs/D"}}}"##,
            "cyclic-ref"
        ),
        .field(#""a":{"type":"string"}"#, "unknown-type", root: #""$defs":{"Unused":{"type":▸"x"}},"#),
    ]

    private static func pattern(_ pattern: String, _ isValid: Bool) -> Sample {
        let mark = isValid ? "" : "▸"
        let text = Sample.entity(fields: "\"a\":{\"type\":\"string\",\"pattern\":\(mark)\"\(pattern)\"}")
        return Sample(files: [("item.schema.json", text)], rules: isValid ? [] : ["bad-pattern"])
    }

    private static func ref(_ name: String, _ definitions: String, _ rules: String...) -> Sample {
        let mark = name.hasPrefix("▸") ? "▸" : ""
        let field = "\"a\":{\"$ref\":\(mark)\"#/$defs/\(name.replacing("▸", with: ""))\"}"
        let text = Sample.entity(fields: field, root: "\"$defs\":{\(definitions)},")
        // A mark in the definitions stands before the one at the reference.
        return Sample(files: [("item.schema.json", text)], rules: rules)
    }
}
