#if Server
    import Foundation
    import SyncChecks
    import SyncCore
    import SyncDynamic
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A server over a database refuses the same values as one over files and as the devices, by the same rules.
        @Suite struct OneValidator {
            private static let schemas = ["thing": RandomBodies.schema]

            static func change(key: String, body: String, sequence: Int = 1, extra: String = "") -> String {
                #"{"entity":"thing","key":"\#(key)","mark":"1790000000000000.0000000000000001.\#(sequence)"\#(extra),"#
                    + #""body":\#(body)}"#
            }

            /// A body with one more member.
            private static func body(key: String, _ member: String) -> String {
                #"{"id":"\#(key)","must":1,\#(member)}"#
            }

            @Test func aValueThatDevicesRefuseIsRefusedWithItsRule() async throws {
                let refused: [(member: String, rule: String)] = [
                    (#""at":"2025-12-25T24:00:00Z""#, "date-time"),
                    (#""at":"2025-12-25T23:59:60Z""#, "date-time"),
                    (#""code":"AB-1""#, "pattern"), (#""tags":["a","a"]"#, "unique-items"),
                    (#""tags":["long"]"#, "max-length"), (#""tags":[""]"#, "min-length"),
                    (#""tags":[]"#, "min-items"),
                    (#""list":[1,2,1]"#, "unique-items"), (#""list":[1.5]"#, "type"),
                    (#""times":["2025-12-25T24:00:00Z"]"#, "date-time"), (#""prices":["1e5"]"#, "decimal"),
                    (#""prices":[null]"#, "type"), (#""parts":[{"name":""}]"#, "min-length"),
                    (#""parts":[{"kind":"x"}]"#, "required"), (#""parts":[{"name":"a b"}]"#, "pattern"),
                    (#""parts":[{"name":"a","day":"2025-02-29"}]"#, "date"),
                    (#""place":{"lat":91}"#, "maximum"), (#""place":{"zip":"12345"}"#, "required"),
                    (#""place":{"lat":1,"zip":"1"}"#, "pattern"), (#""scores":{"a":-1}"#, "minimum"),
                    (#""marks":{"a":"2025-02-29"}"#, "date"), (#""word":"abcde""#, "max-length"),
                    (#""share":1"#, "maximum"), (#""link":"a b""#, "uri"), (#""data":"A""#, "base64"),
                ]
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let changes = refused.indices.map {
                        Self.change(key: "k\($0)", body: Self.body(key: "k\($0)", refused[$0].member))
                    }
                    let answers = try await pair.send([pair.push(changes + [Self.valid(key: "good")])])
                    let rules = answers[0].split(separator: "\n").prefix { $0 != "page:" }.map {
                        String($0.prefix { $0 != ":" })
                    }
                    #expect(rules == refused.map(\.rule) + ["accepted"])
                }
            }

            @Test(arguments: 1...4 as ClosedRange<UInt64>)
            func anyValueGetsTheSameVerdictFromFilesDatabaseAndDevice(number: UInt64) async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let entity = try #require(pair.entities.first)
                    var bodies = RandomBodies(seed: number)
                    for round in 1...10 {
                        let changes = (0..<100).map { index in
                            let key = "k\(round)-\(index)"
                            return (key, bodies.next(key: key))
                        }
                        let results = try await pair.results(
                            of: changes.map { Self.change(key: $0, body: $1) }
                        )
                        for (index, (key, body)) in changes.enumerated() {
                            let device = Self.verdict(ofDevice: entity, key: key, body: body)
                            #expect(
                                results.allSatisfy { $0[index] == device },
                                "seed \(number): \(body): device \(device), files and database \(results.map { $0[index] })"
                            )
                        }
                    }
                    var decoder = RecordDecoder(descriptor: entity, form: .wire)
                    let stored = try await pair.bodies()
                    #expect(stored[0].count > 100 && stored[0].count == stored[1].count)
                    for (key, body) in stored[0] {
                        let other = try #require(stored[1][key])
                        let records = try [body, other].map { try decoder.record(Array($0.utf8)) }
                        #expect(records[0] == records[1], "seed \(number): \(body) and \(other)")
                    }
                }
            }

            /// What a device says of a record that it pulls: `accepted`, or rule and reason.
            static func verdict(ofDevice entity: EntityDescriptor, key: String, body: String)
                -> String
            {
                let bytes = Array(body.utf8)
                do {
                    let header = Change.Header(entity: entity.name, key: RecordKey(key), metadata: nil)
                    let edit = EditTimestamp(
                        time: Timestamp(microseconds: 1),
                        device: DeviceID(bits: 1),
                        sequence: 1
                    )
                    let version = try bytes.withUnsafeBufferPointer {
                        try EntryCodec.version(
                            header,
                            metadata: VersionMetadata(editTimestamp: edit, vector: VersionVector(edit)),
                            body: $0,
                            descriptor: entity
                        )
                    }
                    let isOwn = entity.key(of: version.record) == RecordKey(key)
                    return isOwn ? "accepted" : "key: The key is not that of the body."
                } catch let error as FieldError {
                    return "\(error.rule): \(error.message)"
                } catch let error as JSONError {
                    return "json: The body holds \(error.kind.rawValue)."
                } catch { return "\(error)" }
            }

            @Test func aPushOfWhichEveryChangeIsRefusedIsABatchAllTheSame() async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let bad = Self.change(key: "a", body: Self.body(key: "a", #""word":"a""#))
                    let push = pair.push([bad, bad, "7"])
                    let answers = try await pair.send([
                        push, push, pair.push([Self.valid(key: "b")], batch: "2", previous: "1"),
                        pair.push([Self.valid(key: "c")], batch: "4", previous: "3"), push,
                    ])
                    #expect(answers[0] == answers[1] && answers[2].hasPrefix("accepted"))
                    #expect(answers[0].split(separator: "\n").map { $0.prefix(9) }[2] == "malformed")
                }
            }

            @Test func anInvalidChangeOfAnotherVersionIsAConflict() async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let bad = Self.change(
                        key: "a",
                        body: Self.body(key: "a", #""word":"a""#),
                        sequence: 3,
                        extra: #","base":"7-x""#
                    )
                    let answers = try await pair.send([
                        pair.push([Self.valid(key: "a"), Self.valid(key: "b")]),
                        pair.push([bad, Self.valid(key: "b"), "[]"], batch: "2", previous: "1"),
                    ])
                    let words = answers[1].split(separator: "\n").map { $0.prefix { $0 != " " && $0 != ":" } }
                    #expect(words.prefix(3) == ["conflict", "accepted", "malformed"])
                }
            }

            @Test func aDeleteCountsWhateverItsLastValuesAre() async throws {
                let deep =
                    #"{"id":"k4","a":"# + String(repeating: "[", count: 600)
                    + String(repeating: "]", count: 600) + "}"
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let bodies = [
                        "7", "[]", #"{"id":"k3","id":"k3"}"#, deep, #"{"id":"k5","at":"24:00"}"#,
                        #"{"id":"other"}"#, "{}",
                        #"{"id":"k8","tags":["a","a"],"must":10}"#, #"{"id":7}"#,
                    ]
                    let deletes = bodies.enumerated().map {
                        Self.change(key: "k\($0 + 1)", body: $1, extra: #","deleted":true"#)
                    }
                    try await pair.send([
                        pair.push(deletes), #"{"device":"0000000000000002","entities":["thing"]}"#,
                    ])
                }
            }

            @Test func aChangeThatIsNoTextIsRefusedAlone() async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let changes = [
                        Self.change(key: "a", body: #"{"id":"a","must":1,"word":"\ud800ab"}"#),
                        Self.change(key: #"\udc00"#, body: #"{"id":"a","must":1}"#), Self.valid(key: "c"),
                    ]
                    let answers = try await pair.send([pair.push(changes)])
                    let words = answers[0].split(separator: "\n").map { $0.prefix { $0 != ":" } }
                    #expect(words.prefix(3) == ["malformed", "malformed", "accepted"])
                }
            }

            @Test func whatIsTakenIsStoredByteForByteBesideWhatIsRefused() async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let exact =
                        #"{"id":"b","must":1,"ratio":1.10,"new":12345678901234567890.10e-2,"free":{"x":1.0}}"#
                    let bad = { Self.change(key: $0, body: Self.body(key: $0, #""word":"a""#)) }
                    try await pair.send([
                        pair.push([bad("a"), Self.change(key: "b", body: exact), bad("c"), "null"])
                    ])
                    for bodies in try await pair.bodies() { #expect(bodies == ["b": exact]) }
                }
            }

            private static func valid(key: String) -> String {
                change(key: key, body: body(key: key, #""word":"abc""#))
            }
        }
    }
#endif
