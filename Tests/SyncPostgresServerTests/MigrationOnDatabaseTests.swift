#if Server
    import Foundation
    import SyncCore
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A database with records of an older release gets the SQL of the next one.
        @Suite struct MigrationOnDatabase {
            private static func schema(title: String, fields: String, required: String) -> String {
                """
                {
                  "title": "\(title)", "type": "object",
                  "properties": { "id": { "type": "string" }, \(fields) },
                  "required": ["id"\(required)],
                  "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """
            }

            private static let old = [
                "note": schema(
                    title: "Note",
                    fields: """
                        "title": { "type": "string", "maxLength": 10 }, "label": { "type": "string" },
                        "rating": { "type": "integer" }, "must": { "type": "string" }, "old": { "type": "string" },
                        "tags": { "type": "array", "items": { "type": "string" } }
                        """,
                    required: #", "title", "must""#
                ),
                "gone": schema(title: "Gone", fields: #""text": { "type": "string" }"#, required: ""),
            ]
            private static let newNote = schema(
                title: "Note",
                fields: """
                    "title": { "type": "string", "maxLength": 20 },
                    "heading": { "type": "string", "sync": { "renamedFrom": "label" } },
                    "rating": { "type": "number" }, "must": { "type": "string" },
                    "tags": { "type": "array", "items": { "type": "string" } },
                    "color": { "type": "string", "default": "blue" }
                    """,
                required: #", "title", "color""#
            ).replacingOccurrences(
                of: #""strategy": "last-write-wins""#,
                with: #""strategy": "last-write-wins", "sql": { "columns": { "tags": "text[]" } }"#
            )
            private static let new = [
                "note": newNote,
                "extra": schema(title: "Extra", fields: #""note": { "type": "string" }"#, required: ""),
            ]

            /// A database with two notes of a device, one note of plain SQL, and a record whose entity leaves.
            private static func run(_ body: (UserDatabase, DatabaseDevice) async throws -> Void) async throws
            {
                try await UserDatabase.run { database in
                    let former = try UserDatabase.schemas(old)
                    try await database.apply(former)
                    let phone = try database.device(1, entities: "gone", "note")
                    let answer = try await phone.send(
                        phone.request(changes: [
                            phone.change(entity: "note", key: "a", body: device(key: "a")),
                            phone.change(
                                entity: "note",
                                key: "b",
                                body: #"{"must":"m","id":"b","title":"b","label":"L","unknown":1.50}"#
                            ),
                            phone.change(entity: "gone", key: "g", body: #"{"id":"g","text":"kept"}"#),
                        ])
                    )
                    #expect(answer.outcomes == Array(repeating: "accepted", count: 3))
                    try await database.sql(
                        """
                        insert into public.note (id, title, label, rating, must, old, tags)
                        values ('s', 'sql', 'label', 9007199254740993, 'must', 'old', '["x", "y"]'), ('t', 't', null, 1, '', null, null)
                        """,
                        as: UserDatabase.ada
                    )
                    try await phone.pull()
                    let present = try UserDatabase.schemas(new)
                    try await database.apply(present, from: former)
                    let once = try await database.sql(state)
                    try await database.apply(present, from: former)
                    #expect(try await database.sql(state) == once, "the second time changes nothing")
                    try await body(database, phone)
                }
            }

            private static let state = """
                select md5(string_agg(concat_ws(' ', key, revision, body::jsonb), ',' order by id)) from entitysync.state
                """

            /// A body in the order of the schema, as devices write it.
            private static func device(key: String) -> String {
                #"{"id":"\#(key)","title":"t","label":"L","rating":7,"must":"m","old":"o","tags":["a","b c"]}"#
            }

            private static func members(_ change: SyncCore.Change) throws -> NSDictionary {
                try #require(JSONSerialization.jsonObject(with: Data(change.body)) as? NSDictionary)
            }

            @Test func aNewDevicePullsEveryValueThatWasThere() async throws {
                try await Self.run { database, _ in
                    let laptop = try database.device(2, entities: "extra", "gone", "note")
                    let changes = try await laptop.changes()
                    #expect(
                        changes.map(\.key.text) == ["a", "b", "s", "t"],
                        "the entity that left is not served"
                    )
                    let found = try changes.map(Self.members)
                    for (body, values) in zip(
                        found,
                        [
                            [
                                "rating": 7, "must": "m", "old": "o", "heading": "L", "tags": ["a", "b c"],
                                "title": "t",
                            ],
                            ["must": "m", "heading": "L", "unknown": 1.5, "title": "b"],
                            [
                                "must": "must", "old": "old", "heading": "label", "tags": ["x", "y"],
                                "title": "sql",
                            ],
                            ["must": "", "rating": 1, "title": "t"],
                        ] as [NSDictionary]
                    ) {
                        for (name, value) in values {
                            #expect(body[name] as? NSObject == value as? NSObject, "\(name) of \(body)")
                        }
                    }
                    #expect(String(decoding: changes[1].body, as: UTF8.self).contains("1.50"))
                    let large = String(decoding: changes[2].body, as: UTF8.self)
                    #expect(large.contains("9007199254740993"), "the body keeps what a double cannot hold")
                    #expect(try await database.sql("select text from public.gone") == "kept")
                    let columns = "select heading, rating, tags, color from public.note where id = 'a'"
                    #expect(try await database.sql(columns) == #"L|7|{a,"b c"}|blue"#)
                }
            }

            @Test func anOlderDeviceHasMissedNothingAndStillWrites() async throws {
                try await Self.run { database, phone in
                    #expect(try await phone.pull().isEmpty, "no value changed, so there is nothing new")
                    let laptop = try database.device(2, entities: "note")
                    let known = try await laptop.changes()
                    let edited = try #require(known.first { $0.key.text == "s" })
                    let body =
                        #"{"id":"s","title":"edited","label":"label","rating":9,"must":"must","old":"older"}"#
                    let answer = try await phone.send(
                        phone.request(changes: [
                            phone.change(entity: "note", key: "s", body: body, on: edited)
                        ])
                    )
                    #expect(answer.outcomes == ["accepted"], "a color that is missing is the default")
                    #expect(
                        try await laptop.changes().map { String(decoding: $0.body, as: UTF8.self) } == [body]
                    )
                    #expect(try await database.sql("select color from public.note where id = 's'") == "blue")
                }
            }

            @Test func recordsWithTheNewFieldsAreAccepted() async throws {
                try await Self.run { database, _ in
                    let laptop = try database.device(2, entities: "extra", "note")
                    let known = try await laptop.changes()
                    let first = try #require(known.first { $0.key.text == "a" })
                    let long = "twenty characters..."
                    let bodies = [
                        #"{"id":"n","title":"\#(long)","heading":"H","rating":1.25,"tags":["q"],"color":"red"}"#,
                        #"{"id":"e","note":"x"}"#,
                        #"{"id":"a","title":"t","heading":"H2","rating":7.5,"tags":["q"],"color":"blue","old":"o"}"#,
                    ]
                    let answer = try await laptop.send(
                        laptop.request(changes: [
                            laptop.change(entity: "note", key: "n", body: bodies[0]),
                            laptop.change(entity: "extra", key: "e", body: bodies[1]),
                            laptop.change(entity: "note", key: "a", body: bodies[2], on: first),
                            laptop.change(
                                entity: "note",
                                key: "z",
                                body: #"{"id":"z","title":"\#(long)!","color":"red"}"#
                            ),
                        ])
                    )
                    #expect(answer.outcomes == ["accepted", "accepted", "accepted", "check"])
                    let other = try await database.device(3, entities: "extra", "note").changes()
                    let written = other.filter { ["n", "e", "a"].contains($0.key.text) }
                    #expect(Set(written.map { String(decoding: $0.body, as: UTF8.self) }) == Set(bodies))
                    try await database.sql(
                        "insert into public.note (id, title) values ('w', 'web')",
                        as: UserDatabase.ada
                    )
                    let web = try await laptop.changes()
                    #expect(try web.map { try Self.members($0)["color"] as? String } == ["blue"])
                }
            }
        }
    }
#endif
