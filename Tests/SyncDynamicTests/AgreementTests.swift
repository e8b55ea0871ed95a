import SyncCore
import SyncSchema
import Testing

@testable import SyncDynamic

/// Schema check and runtime agree: a default is accepted exactly if a record with the value is, and it is
/// kept in the form in which the store would keep it.
///
/// Two differences are intended. The default of an enum must be a listed value, while a record may have one
/// of a newer app. And a default may only have members that the schema lists.
@Suite struct AgreementTests {
    @Test(arguments: Kind.all) func aDefaultIsValidIfAndOnlyIfARecordMayHoldIt(kind: Kind) throws {
        var random = Draws(state: 0x5EED)
        var counts = (accepted: 0, refused: 0)
        for value in kind.edges + (0..<400).map({ _ in kind.random(draws: &random) }) {
            let kept = try keptByRuntime(value: value, kind: kind)
            let schema = SchemaLoader.load([source(kind: kind, fallback: value)])
            let text = schema.schemas.first?.properties.first { $0.name == "f" }?.defaultJSON
            #expect(
                schema.isValid == (kept != nil),
                "\(kind.keywords) default \(value): \(schema.rendered(format: .text)) runtime: \(kept ?? "refused")"
            )
            #expect(!schema.isValid || text == kept, "\(kind.keywords) default \(value)")
            if kept == nil { counts.refused += 1 } else { counts.accepted += 1 }
        }
        #expect(counts.accepted >= 2 && counts.refused >= 2, "\(kind.keywords): \(counts)")
    }

    @Test(arguments: Kind.all) func aRecordWithoutTheFieldGetsTheDefault(kind: Kind) throws {
        for value in kind.edges {
            let schema = SchemaLoader.load([source(kind: kind, fallback: value, isRequired: true)])
            guard schema.isValid, let checked = schema.schemas.first else { continue }
            let entity = EntityDescriptor(schema: checked)
            var decoder = RecordDecoder(descriptor: entity, form: .plain)
            let filled = try decoder.record(Array(#"{"id":"a"}"#.utf8))
            let given = try decoder.record(Array(#"{"id":"a","f":\#(value)}"#.utf8))
            #expect(filled == given, "\(kind.keywords) default \(value)")
            #expect(entity.layout.defaults[1] == given.values[1], "\(kind.keywords) default \(value)")
        }
    }

    /// The value as the runtime would store it; nil if it is invalid.
    private func keptByRuntime(value: String, kind: Kind) throws -> String? {
        let schema = try #require(SchemaLoader.load([source(kind: kind)]).schemas.first)
        let entity = EntityDescriptor(schema: schema)
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.refusesUnknown = true
        let line = Array(#"{"id":"a","f":\#(value)}"#.utf8)
        guard let record = try? decoder.record(line) else { return nil }
        let bytes = RecordEncoder(descriptor: entity, form: .plain).bytes(record)
        return String(decoding: bytes, as: UTF8.self).replacing(
            #"{"id":"a","f":"#,
            with: "",
            maxReplacements: 1
        )
        .dropLast().description
    }

    private func source(kind: Kind, fallback: String? = nil, isRequired: Bool = false) -> SchemaSource {
        let text = """
            {"title":"Item","type":"object","properties":{
            "id":{"type":"string"},"f":{\(kind.keywords)\(fallback.map { ",\"default\":" + $0 } ?? "")}
            },"required":["id"\(isRequired ? ",\"f\"" : "")],"sync":{"key":"id","strategy":"last-write-wins"}}
            """
        return SchemaSource(path: "item.schema.json", bytes: Array(text.utf8))
    }
}

/// A field's keywords, its edge values, and a way to generate more.
struct Kind: Sendable, CustomStringConvertible {
    var keywords: String
    var edges: [String]
    var parts: [String]

    var description: String { keywords }

    /// A generated value, often near the border of validity. Member names are unchanged.
    fileprivate func random(draws: inout Draws) -> String {
        if draws.below(count: 3) == 0, !keywords.contains("properties") {
            return draws.spoil(text: draws.pick(edges))
        }
        let count = 1 + draws.below(count: 5)
        let text = (0..<count).map { _ in draws.pick(parts) }.joined()
        return isText ? "\"\(text)\"" : text
    }

    private var isText: Bool { keywords.contains(#""type":"string""#) }
}

/// Reproducible random draws.
private struct Draws {
    var state: UInt64

    mutating func below(count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(count: elements.count)] }

    /// The text with a character removed, doubled or replaced.
    mutating func spoil(text: String) -> String {
        var characters = Array(text)
        guard characters.count > 2 else { return text }
        let index = 1 + below(count: characters.count - 2)
        switch below(count: 3) {
        case 0: characters.remove(at: index)
        case 1: characters.insert(characters[index], at: index)
        default: characters[index] = pick(Array("0129+-.eETZtz:Aaf/= "))
        }
        return String(characters)
    }
}

extension Kind {
    private static func text(keywords: String, edges: [String], parts: [String]) -> Kind {
        Kind(keywords: #""type":"string""# + keywords, edges: edges.map { "\"\($0)\"" }, parts: parts)
    }

    private static let digits = [
        "0", "1", "9", "00", "12", "-", ".", "5", "99999999999999999999", "0000000000",
    ]
    private static let numbers = [
        "0", "-0", "1", "-1", "1.0", "1e2", "1E+2", "10e-1", "1.5", "-1.5", "1e-999", "0e999", "1e999",
        "-1e999", "1e-400",
        "4.9e-324", "2e-324", "1.7976931348623157e308", "1.7976931348623159e308", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9223372036854775807.0",
        "9223372036854775806.9999999999", "9007199254740993", "9007199254740993.0", "1.000000000000000005",
        "0.99999999999999999999", "922337203685477580.7e1", "9.3e18", "1e18", "1e19",
        "10000000000000000000e-1",
        "1e99999999999", "0e99999999999", "1e-99999999999", "01", "+1", ".5", "1.", "1e", "null", "true",
        "\"1\"", "[]",
        "100", "100.0000000000000000001", "99.99999999999999999999", "0.1", "1e21",
        "123456789012345678901234567890",
    ]
    private static let instants = [
        "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "0001-01-01T23:58:59+23:59",
        "0001-01-01T23:59:00+23:59",
        "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.9999999Z",
        "0000-12-31T23:59:59-23:59",
        "9999-12-31T00:00:59-23:59", "9999-12-31T00:01:00-23:59", "2024-02-29T12:00:00Z",
        "2023-02-29T12:00:00Z",
        "1900-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "2025-12-25t09:21:01.5z", "2025-12-25 09:21:01Z",
        "2025-12-25T24:00:00Z", "2025-12-25T23:60:00Z", "2016-12-31T23:59:60Z", "2025-12-25T09:21:01",
        "2025-12-25T09:21:01.Z", "2025-12-25T09:21:01.0000000Z", "2025-12-25T09:21:01.1234567Z",
        "2025-12-25T09:21Z",
        "2025-12-25T09:21:01+24:00", "2025-12-25T09:21:01+23:60", "2025-12-25T09:21:01-00:00",
        "2025-12-25T09:21:01+0100",
        "1969-12-31T23:59:59.999999Z", "2025-1-05T09:21:01Z", "2025-12-25T9:21:01Z",
        "2025-12-25T09:21:01.5+05:30",
        "2025-03-01T00:30:00+01:00", "2024-03-01T00:30:00+01:00", "2025-01-01T00:00:00+00:01", "",
    ]

    static let all: [Kind] = [
        Kind(keywords: #""type":"integer""#, edges: numbers, parts: digits + ["e", "e1", "e-1"]),
        Kind(
            keywords: #""type":"integer","minimum":1,"maximum":100"#,
            edges: numbers,
            parts: digits + ["e1"]
        ),
        Kind(
            keywords: #""type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807"#,
            edges: numbers,
            parts: digits
        ),
        Kind(
            keywords: #""type":"integer","minimum":0.5,"exclusiveMaximum":9007199254740993.5"#,
            edges: numbers + ["9007199254740994"],
            parts: digits
        ),
        Kind(keywords: #""type":"number""#, edges: numbers, parts: digits + ["e", "e1", "e-300", "e300"]),
        Kind(
            keywords: #""type":["number","null"],"minimum":0,"exclusiveMaximum":100"#,
            edges: numbers,
            parts: digits
        ),
        text(
            keywords: #","format":"decimal""#,
            edges: [
                "0", "-0", "-0.00", "1.50", "01.5", "-001.500", "1e5", "+1", ".5", "1.", "", "-", "1.2.3",
                " 1", "1,5", "٣",
                String(repeating: "9", count: 38), String(repeating: "9", count: 39),
                String(repeating: "0", count: 40) + "1.5", "1.5" + String(repeating: "0", count: 200),
                "1" + String(repeating: "0", count: 127), "1" + String(repeating: "0", count: 128),
                "0." + String(repeating: "0", count: 126) + "1",
                "0." + String(repeating: "0", count: 127) + "1",
                "1" + String(repeating: "0", count: 40) + ".5",
                "12345678901234567890123456789012345678.00000",
                "1234567890123456789012345678.12345678901",
            ],
            parts: digits
        ),
        text(
            keywords: #","format":"date-time""#,
            edges: instants,
            parts: ["2025-12-25", "T", "09:21:01", "Z", "+01:00", ".5", ".000"]
        ),
        text(
            keywords: #","format":"date""#,
            edges: [
                "0001-01-01", "0000-01-01", "9999-12-31", "2024-02-29", "2023-02-29", "1900-02-29",
                "2000-02-29",
                "2025-04-31", "2025-13-01", "2025-00-10", "2025-01-00", "2025-1-1", "2025-01-01T",
                "٢٠٢٥-01-01", "",
            ],
            parts: ["2025", "-", "02", "29", "12", "31", "0", "-01"]
        ),
        text(
            keywords: #","format":"uuid""#,
            edges: [
                "379066e4-6dd5-4050-8470-004e08da28bd", "379066E4-6DD5-4050-8470-004E08DA28BD",
                "379066e46dd540508470004e08da28bd", "{379066e4-6dd5-4050-8470-004e08da28bd}",
                "379066e4-6dd5-4050-8470-004e08da28bg", "00000000-0000-0000-0000-000000000000", "",
            ],
            parts: ["379066e4", "-6DD5", "-4050", "-8470-004e08da28bd", "-"]
        ),
        text(
            keywords: #","format":"uri","maxLength":12"#,
            edges: [
                "a", "", "a b", "https://x.de", "https://x.de/", "ä", "a\\u007f", "a\\u0000", "\\u00a0", "😀😀",
                "a\\tb", "x:", "x:%2", "x:%20", "a://[::1]", "a://[1]", "a://h:8", "a://h:x", "a:?#", "a:##",
            ],
            parts: ["https:", "//", "é", "x", " ", "😀", "?a=b", "[::1]", "%4", "1", "@", "#"]
        ),
        text(
            keywords: #","contentEncoding":"base64""#,
            edges: [
                "", "QQ==", "QR==", "QQ=", "QQ", "AQID", "AQI=", "AQ I", "AQID\\n", "A", "====", "-_-_",
                "+/+/", "AQID=",
                "QQ==QQ==", "QUI=", "QUJ=",
            ],
            parts: ["A", "AQ", "AQID", "=", "==", "/", "+", "-"]
        ),
        text(
            keywords: #","minLength":2,"maxLength":4"#,
            edges: [
                "a", "ab", "abcd", "abcde", "é", "e\\u0301", "😀😀", "😀", "👨‍👩‍👧", "\\r\\n", "\\u0000\\u0000", "🇩🇪",
                "\\ud83d\\ude00",
            ],
            parts: ["a", "é", "😀", "e\\u0301", "\\n", "\\u0000"]
        ),
        text(
            keywords: #","pattern":"^[a-z]{2}[0-9]?$""#,
            edges: ["ab", "ab1", "AB", "a", "ab\\n", "ab\\r\\n", "éb", "ab12", "ab\\u2028", "a\\u0308b"],
            parts: ["a", "b", "1", "\\n", "A"]
        ),
        Kind(
            keywords:
                #""type":"array","uniqueItems":true,"maxItems":3,"items":{"type":"string","format":"decimal"}"#,
            edges: [
                "[]", #"["1","1.0"]"#, #"["0","-0"]"#, #"["10","9","1.10"]"#, #"["1","2","3","4"]"#, "[1]",
                "[null]",
                #"["-1","1"]"#, "{}",
            ],
            parts: ["[", "]", "\"1\"", ",", "\"01\"", "\"2.0\"", "\"x\""]
        ),
        Kind(
            keywords: #""type":"array","uniqueItems":true,"items":{"type":"string","format":"date-time"}"#,
            edges: [
                #"["2025-01-01T00:00:00Z","2025-01-01T01:00:00+01:00"]"#, "[]",
                #"["2025-01-01T00:00:00.5Z","2025-01-01T00:00:00Z"]"#, #"["2025-01-01T00:00:00.0000001Z"]"#,
            ],
            parts: ["[", "]", "[]", #""2025-01-01T00:00:00Z""#, ",", #""2024-12-31t23:00:00-01:00""#]
        ),
        Kind(
            keywords: #""type":"array","uniqueItems":true,"items":{"type":"number","minimum":0}"#,
            edges: ["[1,1.0]", "[0,-0]", "[10,9]", "[0.1,1e-1]", "[1e2,100.5]", "[]", "[1e-400]", "[-1]"],
            parts: ["[", "]", "[]", "1", "2.0", ",", "1e1", "10"]
        ),
        Kind(
            keywords: #"""
                "type":"object","required":["b","c"],"properties":{"c":{"type":"string","format":"decimal","default":"1.50"},
                "b":{"type":"integer"},"a":{"type":["string","null"],"format":"uuid","sync":{"name":"x"}}}
                """#,
            edges: [
                "{}", #"{"b":1}"#, #"{"b":1,"c":"2.0"}"#, #"{"a":null,"b":1.0}"#, #"{"a":"x","b":1}"#,
                #"{"c":"1"}"#,
                #"{"b":1,"b":2}"#, #"{"b":null}"#,
                #"{"a":"379066E4-6DD5-4050-8470-004E08DA28BD","b":1,"c":"0.0"}"#, "[]",
            ],
            parts: [#"{"b":1}"#, "{", "}", #""b":"#, #""c":"#, "1", ",", #""2.50""#, "null"]
        ),
        Kind(
            keywords: #""type":"boolean""#,
            edges: ["true", "false"] + numbers,
            parts: ["true", "false", "tru", "1"]
        ),
    ]
}
