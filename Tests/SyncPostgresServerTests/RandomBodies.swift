#if Server
    import SyncChecks
    import SyncCore

    /// Bodies of records with one random value each, over all keywords of the schema format. Most values are near the
    /// border between what a field takes and what it does not.
    struct RandomBodies {
        /// The schema of the bodies: each keyword in a field of its own, at the top and inside.
        static let schema = """
            {
              "title": "Thing", "type": "object",
              "properties": {
                "id": { "type": "string" },
                "word": { "type": "string", "minLength": 2, "maxLength": 4 },
                "note": { "type": ["string", "null"], "maxLength": 3 },
                "code": { "type": "string", "pattern": "^[a-z]{2}-\\\\d+$" },
                "letters": { "type": "string", "pattern": "^\\\\p{L}+$", "maxLength": 5 },
                "link": { "type": "string", "format": "uri", "maxLength": 24 },
                "count": { "type": "integer", "minimum": -5, "maximum": 1000 },
                "total": { "type": ["integer", "null"] },
                "share": { "type": "number", "minimum": 0, "exclusiveMaximum": 1 },
                "ratio": { "type": ["number", "null"] },
                "flag": { "type": "boolean" },
                "ref": { "type": "string", "format": "uuid" },
                "at": { "type": "string", "format": "date-time" },
                "day": { "type": ["string", "null"], "format": "date" },
                "price": { "type": "string", "format": "decimal" },
                "data": { "type": "string", "contentEncoding": "base64" },
                "mood": { "type": "string", "enum": ["good", "bad"] },
                "level": { "type": "integer", "enum": [1, 2, 3] },
                "only": { "type": "string", "const": "thing" },
                "tags": {
                  "type": "array", "items": { "type": "string", "minLength": 1, "maxLength": 3 },
                  "uniqueItems": true, "minItems": 1, "maxItems": 3
                },
                "list": {
                  "type": "array", "items": { "type": "integer" }, "uniqueItems": true, "maxItems": 4,
                  "sync": { "ordered": true }
                },
                "refs": {
                  "type": "array", "items": { "type": "string", "format": "uuid" }, "uniqueItems": true
                },
                "times": { "type": "array", "items": { "type": ["string", "null"], "format": "date-time" } },
                "prices": { "type": ["array", "null"], "items": { "type": "string", "format": "decimal" } },
                "parts": {
                  "type": "array", "maxItems": 2,
                  "items": {
                    "title": "Part", "type": "object",
                    "properties": {
                      "name": { "type": "string", "minLength": 1, "pattern": "^[^ ]*$" },
                      "size": { "type": ["integer", "null"], "minimum": 0 },
                      "at": { "type": "string", "format": "date-time" },
                      "day": { "type": "string", "format": "date" },
                      "link": { "type": "string", "format": "uri" },
                      "data": { "type": "string", "contentEncoding": "base64" },
                      "list": {
                        "type": "array", "items": { "type": "integer" }, "uniqueItems": true,
                        "sync": { "ordered": true }
                      },
                      "kind": { "type": "string", "default": "part" }
                    },
                    "required": ["name", "kind"]
                  }
                },
                "place": {
                  "title": "Place", "type": "object",
                  "properties": {
                    "lat": { "type": "number", "minimum": -90, "maximum": 90 },
                    "zip": { "type": "string", "pattern": "^\\\\d{5}$" },
                    "price": { "type": "string", "format": "decimal" },
                    "ref": { "type": "string", "format": "uuid" },
                    "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true }
                  },
                  "required": ["lat"], "additionalProperties": false
                },
                "free": { "type": "object" },
                "scores": { "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } },
                "marks": { "type": "object", "additionalProperties": { "type": ["string", "null"], "format": "date" } },
                "city": { "type": "string", "maxLength": 3, "sync": { "name": "/spot/city" } },
                "name": { "type": "string", "minLength": 1, "default": "none" },
                "must": { "type": "integer", "maximum": 9 }
              },
              "required": ["id", "name", "must"],
              "sync": { "key": "id", "strategy": "last-write-wins" }
            }
            """

        /// The members of a body, each with the pool of its values.
        private static let fields: [(name: String, pool: String)] = [
            ("word", "text"), ("note", "text"), ("code", "code"), ("letters", "text"), ("link", "link"),
            ("count", "number"), ("total", "number"), ("share", "number"), ("ratio", "number"),
            ("flag", "flag"), ("ref", "uuid"), ("at", "moment"), ("day", "date"), ("price", "decimal"),
            ("data", "base64"), ("mood", "text"), ("level", "number"), ("only", "text"), ("tags", "[text"),
            ("list", "[number"), ("refs", "[uuid"), ("times", "[moment"), ("prices", "[decimal"),
            ("parts", "[part"), ("place", "place"), ("free", "{any"), ("scores", "{number"),
            ("marks", "{date"), ("city", "text"), ("name", "text"), ("must", "number"), ("spot", "{text"),
            ("unknown", "any"), ("id", "text"), ("unknown", "deep"), ("free", "{deep"),
        ]

        private var seed: Seed

        /// Starts from a seed.
        init(seed: UInt64) { self.seed = Seed(seed) }

        /// The body of a record with this key.
        mutating func next(key: String) -> String {
            var members = [("id", #""\#(key)""#)]
            if !chance(of: 20) { members.append(("must", "1")) }
            for _ in 0..<(chance(of: 3) ? 2 : 1) {
                guard let (name, pool) = Self.fields.randomElement(using: &seed) else { continue }
                if name != "id" || chance(of: 3) { members.removeAll { $0.0 == name && !chance(of: 8) } }
                members.append((name, value(of: chance(of: 12) ? "any" : pool)))
            }
            let space = chance(of: 4) ? " " : ""
            let texts = members.shuffled(using: &seed).map { #""\#($0.0)"\#(space):\#(space)\#($0.1)"# }
            return "{\(space)\(texts.joined(separator: ",\(space)"))}"
        }

        /// Whether something happens that happens once in so many times.
        private mutating func chance(of times: Int) -> Bool { Int.random(in: 0..<times, using: &seed) == 0 }
    }

    extension RandomBodies {
        /// A value as JSON text: of a pool, of an array (`[`) or an object (`{`) of such values.
        private mutating func value(of pool: String) -> String {
            switch pool.first {
            case "[":
                return list(count: Int.random(in: 0...4, using: &seed)) {
                    $0.value(of: String(pool.dropFirst()))
                }
            case "{":
                let names = ["a", "b", "é", "e\u{301}", "", "/a", "city"]
                let count = Int.random(in: 0...3, using: &seed)
                let members = (0..<count).map { _ in
                    let name = names.randomElement(using: &seed) ?? ""
                    return #""\#(name)":\#(value(of: String(pool.dropFirst())))"#
                }
                return "{\(members.joined(separator: ","))}"
            default: break
            }
            switch pool {
            case "part":
                return object(of: [
                    ("name", "text"), ("size", "number"), ("at", "moment"), ("day", "date"), ("link", "link"),
                    ("data", "base64"), ("list", "[number"), ("kind", "text"), ("other", "any"),
                ])
            case "place":
                return object(of: [
                    ("lat", "number"), ("zip", "code"), ("price", "decimal"), ("ref", "uuid"),
                    ("tags", "[text"), ("other", "any"),
                ])
            case "any":
                let name = Self.pools.keys.sorted().randomElement(using: &seed) ?? "text"
                return chance(of: 4) ? value(of: chance(of: 2) ? "[\(name)" : "{\(name)") : value(of: name)
            default: return Self.pools[pool]?.randomElement(using: &seed) ?? "null"
            }
        }

        private mutating func list(count: Int, element: (inout RandomBodies) -> String) -> String {
            var elements: [String] = []
            for _ in 0..<count {
                let isRepeat = !elements.isEmpty && chance(of: 5)
                elements.append(isRepeat ? elements[0] : element(&self))
            }
            return "[\(elements.joined(separator: chance(of: 3) ? ", " : ","))]"
        }

        /// An object whose first member is nearly always there, and others sometimes.
        private mutating func object(of fields: [(name: String, pool: String)]) -> String {
            var members: [String] = []
            for (index, field) in fields.enumerated() where index == 0 ? !chance(of: 8) : chance(of: 4) {
                let isPlain = index == 0 && !chance(of: 4)
                let text = isPlain ? field.pool == "text" ? #""x""# : "5" : value(of: field.pool)
                members.append(#""\#(field.name)":\#(text)"#)
            }
            return "{\(members.joined(separator: ","))}"
        }

        /// Values as JSON text, by their kind.
        static let pools: [String: [String]] = [
            "text": quoted([
                "", "a", "ab", "abc", "abcd", "abcde", "\u{e9}", "e\u{301}", "\u{1f600}\u{1f600}", "ßß",
                "good",
                "bad", "better", "thing", "\u{4e2d}\u{6587}", "a b", "  ", #"\n"#, #"\u00e9"#,
                #"\ud83d\ude00"#,
                #"\""#, #"\\"#, "\u{7f}", "\u{a0}",
            ]),
            "code": quoted([
                "ab-1", "ab-12", "ab-", "AB-1", "ab-1 ", "ab-1\\n", "xab-1", "ab-٣", "12345", "1234",
                "123456",
                "1234٥", " 12345", "12345\\n", #"\u0061b-1"#,
            ]),
            "link": quoted([
                "https://example.org/", "https://example.org/a b", "x:", "x", "", "/a", "urn:x:1",
                "https://é.org",
                "https://example.org/0123456789", "https://[::1]/", "a:\u{7f}", "http://a/%zz", "a:\\n",
            ]),
            "number": [
                "0", "-0", "1", "5", "-5", "-6", "1000", "1001", "9", "10", "1.0", "1e2", "1E+2", "100e-2",
                "0.5",
                "0.99999999999999999", "1.5", "-0.0", "1e-400", "1e400", "5e-324", "1.7976931348623157e308",
                "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
                "1.000000000000000005", "9007199254740993", "89.999", "90", "90.000000001", "1e18", "1e19",
                "123456789012345678901234567890",
            ],
            "deep": [509, 510, 511, 512, 513].flatMap(nested),
            "flag": ["true", "false", "null", "0", "1", "\"true\""],
            "uuid": quoted([
                "379066e4-6dd5-4050-8470-004e08da28bd", "379066E4-6DD5-4050-8470-004E08DA28BD",
                "379066e46dd540508470004e08da28bd", "{379066e4-6dd5-4050-8470-004e08da28bd}",
                "379066e4-6dd5-4050-8470-004e08da28b", "379066e4-6dd5-4050-8470-004e08da28bg",
                "00000000-0000-0000-0000-000000000000", "379066e4-6dd54050-8470-004e08da28bd-", "",
                #"379066e4\u002d6dd5-4050-8470-004e08da28bd"#,
            ]),
            "moment": quoted([
                "2025-12-25T09:21:01Z", "2025-12-25t09:21:01z", "2025-12-25 09:21:01Z",
                "2025-12-25T09:21:01+16:00", "2025-12-25T09:21:01-23:59", "2025-12-25t09:21:01.5-16:30",
                "2025-12-25T09:21:01.1234567+23:59", "2025-12-25T09:21:01.999999999999-18:00",
                "2025-12-25T09:21:01.12345678901234567890Z", "2025-12-25T09:21:01.0000009+05:30",
                "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T23:59:00+23:59",
                "2025-12-25T24:00:00Z",
                "2025-12-25T23:59:60Z", "2025-12-25T23:59:59.999999999Z", "2025-12-25T09:21:01.5+05:30",
                "2025-12-25T09:21:01-00:00", "2025-12-25T09:21:01-15:59", "2025-12-25T09:21:01+15:59",
                "2025-12-25T09:21:01+24:00", "2025-12-25T09:21:01+05:60",
                "2025-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "0001-01-01T00:00:00Z",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00",
                "2025-12-25T09:21Z", "2025-12-25T09:21:01", "2025-12-25T09:21:01.Z", "2025-13-01T00:00:00Z",
                "2025-12-25T25:00:00Z", "2025-12-25T09:60:00Z", "2025-12-25T09:21:61Z",
                "+2025-12-25T09:21:01Z",
                "2025-12-25", "infinity", "now", "", #"2025-12-25T09:21:01\u005a"#, "٢٠٢٥-12-25T09:21:01Z",
            ]),
            "date": quoted([
                "2025-12-25", "2025-02-29", "2024-02-29", "0000-01-01", "0001-01-01", "9999-12-31",
                "10000-01-01",
                "2025-13-01", "2025-00-01", "2025-12-00", "2025-12-32", "2025-1-1", "20251225", "infinity",
                "today", "", "2025-12-25T00:00:00Z", " 2025-12-25", "2025-12-2٥", #"2025\u002d12-25"#,
            ]),
            "decimal": quoted([
                "0", "-0", "1.50", "-1.5", "+1", "01", "00.10", ".5", "5.", "1e2", "NaN", "Infinity", "",
                " 1",
                "99999999999999999999999999999999999999", "999999999999999999999999999999999999999",
                "0." + String(repeating: "0", count: 126) + "1",
                "0." + String(repeating: "0", count: 127) + "1",
                "1" + String(repeating: "0", count: 127), "1" + String(repeating: "0", count: 140),
                "0.0", "-0.0", "1.0", "٣", #"1\u002e5"#,
            ]),
            "base64": quoted([
                "", "AA==", "AAA=", "AAAA", "AA", "AAA", "A", "A===", "AA=A", "AB==", "AAA==", "AA=", "-_==",
                "AA ==", "AAAA\\n", "////", #"\u0041A=="#, "é===",
            ]),
        ]

        /// Values so deep. A body is one level, and devices read 512.
        private static func nested(depth: Int) -> [String] {
            func value(open: String, core: String, close: String, times: Int) -> String {
                String(repeating: open, count: times) + core + String(repeating: close, count: times)
            }
            return [
                value(open: "[", core: "", close: "]", times: depth),
                value(open: #"{"a":"#, core: "1", close: "}", times: depth),
                value(open: #"["[\"{",{"a":"#, core: "1", close: "}]", times: depth / 2),
            ]
        }

        private static func quoted(_ texts: [String]) -> [String] {
            texts.map { #""\#($0)""# } + ["null", "7", "[]", "{}", "false"]
        }
    }
#endif
