#if Server
    import SyncChecks
    import SyncCore
    import SyncWire
    import Testing

    extension DatabaseTests.OneValidator {
        private static let keyTypes = [
            "text": #"{ "type": "string", "maxLength": 4 }"#, "number": #"{ "type": "integer" }"#,
            "uuid": #"{ "type": "string", "format": "uuid" }"#,
            "date": #"{ "type": "string", "format": "date" }"#,
            "link": #"{ "type": "string", "format": "uri" }"#,
        ]

        /// A schema whose key has fields of these kinds.
        private static func schema(key kinds: [String]) -> String {
            let names = kinds.map { #""\#($0)""# }.joined(separator: ", ")
            let fields = kinds.map { #""\#($0)": \#(keyTypes[$0] ?? "")"# }.joined(separator: ", ")
            return """
                {
                  "title": "Thing", "type": "object",
                  "properties": { \(fields), "note": { "type": "string" } }, "required": [\(names)],
                  "sync": { "key": [\(names)], "strategy": "last-write-wins" }
                }
                """
        }

        /// A value of a kind, or of another one, as JSON.
        private static func value(of kind: String, using seed: inout Seed) -> String {
            let number = Int.random(in: 100_000...999_999, using: &seed)
            switch (Int.random(in: 0..<4, using: &seed), kind) {
            case (0, _): return RandomBodies.pools[kind]?.randomElement(using: &seed) ?? "null"
            case (1, _):
                let pool = RandomBodies.pools.keys.sorted().randomElement(using: &seed) ?? kind
                return RandomBodies.pools[pool]?.randomElement(using: &seed) ?? "null"
            case (_, "uuid"): return #""379066e4-6dd5-4050-8470-004e08\#(number)""#
            case (_, "date"): return #""20\#(number % 90 + 10)-0\#(number % 9 + 1)-1\#(number / 7 % 10)""#
            case (_, "link"): return #""https://example.org/\#(number)""#
            case (_, "text"): return #""\#(number % 10_000)""#
            default: return "\(number)"
            }
        }

        /// The key of a body as devices write it; nil if they do not read the body.
        private static func key(of body: String, entity: EntityDescriptor) -> RecordKey? {
            var decoder = RecordDecoder(descriptor: entity, form: .wire)
            return (try? decoder.record(Array(body.utf8))).flatMap { entity.key(of: $0) }
        }

        @Test(arguments: [
            ["text"], ["number"], ["uuid"], ["date"], ["link"], ["uuid", "number", "date", "text"],
        ])
        func aKeyOfAnyTypeGetsTheSameVerdictFromFilesDatabaseAndDevice(kinds: [String]) async throws {
            try await HandlerPair.run(schemas: ["thing": Self.schema(key: kinds)]) { pair in
                let entity = try #require(pair.entities.first)
                var seed = Seed(7)
                var used: Set<String> = []
                var changes: [(key: String, body: String)] = []
                for _ in 0..<400 {
                    let values = kinds.map { ($0, Self.value(of: $0, using: &seed)) }
                    let fields = values.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",")
                    let body = "{\(fields),\"note\":\"\(changes.count)\"}"
                    // As a device writes it, or as somebody might spell it.
                    let spelled =
                        kinds.count == 1
                        ? values[0].1.trimmingPrefix("\"")
                        : "[\(values.map(\.1).joined(separator: ","))]"[...]
                    var raw = String(spelled)
                    if kinds.count == 1, raw.hasSuffix("\"") { raw.removeLast() }
                    let isSpelled = Int.random(in: 0..<3, using: &seed) == 0
                    let text = isSpelled ? raw : Self.key(of: body, entity: entity)?.text ?? raw
                    // Who makes a record twice is in conflict with himself. A key that is no text is another test's.
                    guard !text.contains("\\"), !text.isEmpty, used.insert(text).inserted else { continue }
                    changes.append((text, body))
                }
                for start in stride(from: 0, to: changes.count, by: 100) {
                    let part = Array(changes[start..<min(start + 100, changes.count)])
                    let results = try await pair.results(
                        of: part.map { Self.change(key: Self.escaped($0.key), body: $0.body) }
                    )
                    for (index, (key, body)) in part.enumerated() {
                        let device = Self.verdict(ofDevice: entity, key: key, body: body)
                        #expect(
                            results.allSatisfy { $0[index] == device },
                            "\(key) \(body): device \(device), files and database \(results.map { $0[index] })"
                        )
                    }
                }
                let stored = try await pair.bodies()
                #expect(stored[0].count > 5 && stored[0] == stored[1])
            }
        }

        /// A text inside JSON.
        private static func escaped(_ text: String) -> String {
            var writer = JSONWriter()
            writer.string(text)
            return String(writer.text.dropFirst().dropLast())
        }
    }
#endif
