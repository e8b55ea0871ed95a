#if Server
    import Foundation
    import SyncCore
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A server over a database answers as one over files does.
        @Suite struct Agreement {
            private static let schemas = [
                "thing": """
                {
                  "title": "Thing", "type": "object",
                  "properties": {
                    "id": { "type": "string" },
                    "city": { "type": "string", "sync": { "name": "/place/city" } },
                    "parts": {
                      "type": "array",
                      "items": {
                        "title": "Part", "type": "object",
                        "properties": {
                          "name": { "type": "string" },
                          "maker": {
                            "title": "Maker", "type": "object", "properties": { "name": { "type": "string" } }
                          }
                        }
                      }
                    },
                    "updatedAt": { "type": "string", "format": "date-time" }
                  },
                  "required": ["id"],
                  "sync": { "key": "id", "strategy": "last-write-wins", "updated": "updatedAt" }
                }
                """
            ]

            /// A change as JSON; `members` follow the id in the body.
            private static func change(
                key: String,
                sequence: Int = 1,
                time: String = "1790000000000000",
                members: String = "",
                extra: String = ""
            ) -> String {
                let body = members.isEmpty ? "" : ",\(members)"
                return
                    #"{"entity":"thing","key":"\#(key)","mark":"\#(time).0000000000000001.\#(sequence)"\#(extra),"#
                    + #""body":{"id":"\#(key)"\#(body)}}"#
            }

            @Test func aMemberThatStandsTwiceIsRefusedAtEveryLevelThatTheSchemaKnows() async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let answers = try await pair.send([
                        pair.push([
                            Self.change(key: "a", members: #""id":"a""#),
                            Self.change(key: "b", members: #""new":1,"new":1"#),
                            Self.change(key: "c", members: #""n\u0065w":1,"new":1"#),
                            Self.change(key: "d", members: #""place":{"city":"x","city":"y"}"#),
                            Self.change(key: "e", members: #""place":{"zip":1,"zip":2}"#),
                            Self.change(key: "f", members: #""place":{"city":"x"},"place":7"#),
                            Self.change(key: "g", members: #""parts":[{},{"name":"x","name":"y"}]"#),
                            Self.change(key: "h", members: #""parts":[{"new":1,"new":2}]"#),
                            Self.change(key: "i", members: #""parts":[{"maker":{"new":1,"new":2}}]"#),
                            Self.change(key: "j", members: #""new":{"x":1,"x":2}"#),
                            Self.change(key: "k", members: #""parts":[{"new":{"x":1,"x":2}}]"#),
                            Self.change(key: "l", members: #""place":{"city":"x"},"parts":[{"name":"x"}]"#),
                        ])
                    ])
                    let refused = answers[0].split(separator: "\n").prefix { $0 != "page:" }.map {
                        $0.prefix(4)
                    }
                    #expect(
                        refused == Array(repeating: "json", count: 9) + Array(repeating: "acce", count: 3)
                    )
                }
            }

            @Test func vectorsTimestampsAndMembersOutOfBoundsAreRefusedAlone() async throws {
                func vector(count: Int) -> String {
                    #","vector":"\#((1...count).map { "\(DeviceID(bits: UInt64($0))):1" }.joined(separator: ","))""#
                }
                func members(count: Int) -> String {
                    (1...count).map { #""m\#($0)":1"# }.joined(separator: ",")
                }
                func nested(depth: Int) -> String {
                    #""deep":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                }
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let answers = try await pair.send([
                        pair.push([
                            Self.change(key: "a", extra: vector(count: 10_000)),
                            Self.change(key: "b", extra: vector(count: 10_001)),
                            Self.change(key: "c", extra: #","vector":"00000000000000aa:4""#),
                            Self.change(
                                key: "d",
                                extra: #","vector":"0000000000000001:9999999999999999999""#
                            ),
                            Self.change(
                                key: "e",
                                extra: #","vector":",0000000000000002:+1,0000000000000001:01,""#
                            ),
                            Self.change(key: "f", time: "9223372036854775808"),
                            Self.change(key: "g", time: "-9223372036854775808"),
                            Self.change(key: "h", time: "9999999999999999999"),
                            Self.change(key: "i", members: members(count: 1000)),
                            Self.change(key: "j", members: members(count: 1001)),
                            Self.change(
                                key: "k",
                                members: #""place":{"city":"x",\#(members(count: 1001))}"#
                            ),
                            Self.change(key: "l", members: nested(depth: 400)),
                            Self.change(key: "m", extra: #","base":7"#),
                            Self.change(key: "n", extra: #","deleted":"true""#),
                            Self.change(key: "o", extra: #","vector":["0000000000000001:1"]"#),
                            Self.change(key: "p", extra: #","detail":{"origin":"yesterday"}"#),
                            Self.change(key: "q", extra: #","detail":{"units":{}}"#),
                            Self.change(key: "r", extra: #","detail":[]"#),
                            Self.change(
                                key: "s",
                                extra:
                                    #","detail":{"origin":"1.0000000000000001.1","units":{"x":[["1.0000000000000001.1"#
                                    + #"","integer",5]]},"elements":{"y":{"\"z\"":["1.0000000000000001.1"]}}}"#
                            ),
                            Self.change(key: "t", extra: #","merged":7"#),
                        ]),
                        pair.push(
                            [Self.change(key: "e", sequence: 2, extra: #","vector":"0000000000000001:2""#)],
                            batch: "2",
                            previous: "1"
                        ),
                        #"{"device":"0000000000000002","entities":["thing"],"limit":1000}"#,
                    ])
                    let accepted = answers[0].split(separator: "\n").filter { $0.hasPrefix("accepted") }
                    #expect(accepted.count == 6)
                }
            }

            @Test func aRepeatIsAnsweredAsTheFirstTimeAndNeverEchoed() async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let ahead = "4000000000000000"
                    let changes = [
                        Self.change(key: "a"), Self.change(key: "b", sequence: 2, time: ahead),
                        Self.change(key: "a"), Self.change(key: "b", sequence: 2, time: ahead),
                        Self.change(key: "b", sequence: 3), Self.change(key: "c", sequence: 4),
                    ]
                    let first = pair.push(changes)
                    try await pair.send([
                        first, first, pair.push([changes[0], changes[5]], batch: "2", previous: "1"), first,
                        #"{"device":"0000000000000002","entities":["thing"]}"#,
                    ])
                }
            }
        }
    }
#endif
