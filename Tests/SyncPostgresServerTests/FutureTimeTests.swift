#if Server
    import Foundation
    import SyncCore
    import Testing

    extension DatabaseTests {
        /// Both servers bring down the same times that are too far ahead.
        @Suite struct FutureTimes {
            private static let schemas = [
                "thing": """
                {
                  "title": "Thing", "type": "object",
                  "properties": {
                    "id": { "type": "string" }, "city": { "type": "string" },
                    "tags": {
                      "type": "array", "items": { "type": "string" }, "uniqueItems": true, "sync": { "merge": "union" }
                    }
                  },
                  "required": ["id"],
                  "sync": { "key": "id", "strategy": "last-write-wins", "granularity": "field" }
                }
                """
            ]

            /// An edit in the year 2096, and one of the past, as texts.
            private static func ahead(_ sequence: Int) -> String {
                "4000000000000000.0000000000000001.\(sequence)"
            }
            private static func past(_ sequence: Int) -> String {
                "1700000000000000.0000000000000001.\(sequence)"
            }

            private static func change(_ key: String, mark: String, detail: String) -> String {
                #"{"entity":"thing","key":"\#(key)","mark":"\#(mark)","vector":"0000000000000001:9","#
                    + #""detail":\#(detail),"body":{"id":"\#(key)","city":"x","tags":["y"]}}"#
            }

            /// Finer timestamps with one edit in each place where there may be some.
            private static func detail(origin: String, edit: String, cause: String) -> String {
                #"{"origin":"\#(origin)","units":{"city":[["\#(edit)"],["\#(past(2))","text","\#(ahead(3))"]],"#
                    + #""":[["\#(past(4))","number",0.10]]},"elements":{"tags":{"\"y\"":["\#(edit)","\#(past(5))"],"#
                    + #""\"z\"":[]}},"life":["\#(edit)"],"cause":["thing","other","\#(cause)"]}"#
            }

            /// A version in which times near the present are 0: the clocks of the servers differ by a little.
            private static func comparable(_ version: VersionMetadata?) -> VersionMetadata? {
                func comparable(_ edit: EditTimestamp) -> EditTimestamp {
                    let isNear = abs(edit.time.date.timeIntervalSinceNow) < 86_400
                    return EditTimestamp(
                        time: isNear ? Timestamp(microseconds: 0) : edit.time,
                        device: edit.device,
                        sequence: edit.sequence
                    )
                }
                guard var version else { return nil }
                version.editTimestamp = comparable(version.editTimestamp)
                version.detail = version.detail?.mapping(exchange: comparable)
                return version
            }

            @Test func timesOfFieldsAndElementsAreBroughtDownAsThatOfTheRecord() async throws {
                try await HandlerPair.run(schemas: Self.schemas) { pair in
                    let changes = [
                        Self.change(
                            "all",
                            mark: Self.ahead(9),
                            detail: Self.detail(
                                origin: Self.ahead(1),
                                edit: Self.ahead(8),
                                cause: Self.ahead(7)
                            )
                        ),
                        Self.change(
                            "detail alone",
                            mark: Self.past(9),
                            detail: Self.detail(
                                origin: Self.past(1),
                                edit: Self.ahead(8),
                                cause: Self.past(7)
                            )
                        ),
                        Self.change(
                            "none",
                            mark: Self.past(9),
                            detail: Self.detail(
                                origin: Self.past(1),
                                edit: Self.past(8),
                                cause: Self.ahead(7)
                            )
                        ),
                    ]
                    let pull = #"{"device":"0000000000000002","entities":["thing"]}"#
                    try await pair.send([pair.push(changes)])
                    let versions = try await pair.versions([pull]).map { $0.map(Self.comparable) }
                    #expect(versions[0] == versions[1])
                    let details = versions[1].map { $0?.detail }
                    try #require(details.count == 3)
                    let city = details.map { $0?.units["city"]?.map { $0.editTimestamp.time.microseconds } }
                    let past: Int64 = 1_700_000_000_000_000
                    #expect(city == [[0, past], [0, past], [past, past]])
                    #expect(details.map { $0?.origin.time.microseconds } == [0, past, past])
                    #expect(details.map { $0?.life?.map(\.time.microseconds) } == [[0], [0], [past]])
                    let causes = details.map { $0?.cause?.editTimestamp.time.microseconds }
                    #expect(causes == [4_000_000_000_000_000, past, 4_000_000_000_000_000])
                }
            }
        }
    }
#endif
