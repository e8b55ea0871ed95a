#if Server
    import Foundation
    import SyncCore
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// Columns of other types than usual: a value comes back as it was sent, or as the column altered it, or is
        /// refused alone.
        @Suite struct ColumnTypes {
            private static let table = """
                create type public.mood as enum ('good', 'bad');
                create schema app;
                grant usage on schema app to authenticated;
                create table app.things (
                  id text primary key, person text not null, small smallint, price numeric(8,2), ratio real,
                  code varchar(5), mood public.mood, friends uuid[], counts int[], words text[], extra json,
                  seen timestamp(3)
                )
                """
            private static let schema = """
                {
                  "title": "Thing", "type": "object",
                  "properties": {
                    "id": { "type": "string" },
                    "person": { "type": "string", "format": "uuid" },
                    "small": { "type": "integer" },
                    "price": { "type": "string", "format": "decimal" },
                    "ratio": { "type": "number" },
                    "code": { "type": "string" },
                    "mood": { "type": "string" },
                    "friends": { "type": "array", "items": { "type": "string", "format": "uuid" } },
                    "counts": { "type": "array", "items": { "type": "integer" } },
                    "words": { "type": "array", "items": { "type": "string" } },
                    "extra": { "type": "object", "properties": { "b": { "type": "integer" } }, "title": "Extra" },
                    "seen": { "type": "string", "format": "date-time" }
                  },
                  "required": ["id", "person"],
                  "sync": {
                    "key": "id", "strategy": "last-write-wins",
                    "sql": {
                      "table": "app.things", "owner": "person",
                      "columns": {
                        "person": "text", "small": "smallint", "price": "numeric(8,2)", "ratio": "real",
                        "code": "varchar(5)", "mood": "public.mood", "friends": "uuid[]", "counts": "int[]",
                        "words": "text[]", "extra": "json", "seen": "timestamp(3)"
                      }
                    }
                  }
                }
                """

            private static func run(_ body: (UserDatabase) async throws -> Void) async throws {
                let schemas = try UserDatabase.schemas(["thing": schema])
                try await UserDatabase.run { database in
                    try await database.sql(table)
                    for _ in 0..<2 { try await database.apply(schemas, isExisting: true) }
                    try await body(database)
                }
            }

            private static func body(key: Int, members: String) -> String {
                #"{"id":"\#(key)","person":"\#(UserDatabase.ada.id)",\#(members)}"#
            }

            /// Pushes one record for each text of members. Returns what became of each.
            private static func push(_ members: [String], from device: DatabaseDevice) async throws
                -> [String]
            {
                let changes = members.enumerated().map { number, members in
                    device.change(
                        entity: "thing",
                        key: "\(number)",
                        body: body(key: number, members: members)
                    )
                }
                return try await device.send(device.request(changes: changes)).outcomes
            }

            @Test func valuesThatFitComeBackAsTheyWereSent() async throws {
                let uuid = "ABCDEF00-0000-4000-8000-000000000001"
                let members = [
                    #""small":-32768"#, #""small":32767.0"#, #""price":"999999.99""#, #""price":"-0.50""#,
                    #""ratio":0.5"#, #""code":"ab😀cd""#, #""mood":"good""#, #""friends":["\#(uuid)"]"#,
                    #""friends":[]"#, #""counts":[2147483647,-1]"#,
                    #""words":["","a,b","NULL","{\"}","null"]"#,
                    #""extra":{"b":1,"a":{"z":[1.50,null]}}"#, #""seen":"2026-01-01T01:00:00.125+01:00""#,
                    #""later":{"unknown":[1]}"#, #""code":"""#, #""ratio":0.123456789"#,
                ]
                try await Self.run { database in
                    let phone = try database.device(1, entities: "thing")
                    #expect(
                        try await Self.push(members, from: phone)
                            == Array(repeating: "accepted", count: members.count)
                    )
                    let pulled = try await database.device(2, entities: "thing").changes()
                    #expect(pulled.count == members.count)
                    for change in pulled {
                        let number = try #require(Int(change.key.text))
                        #expect(
                            String(decoding: change.body, as: UTF8.self)
                                == Self.body(key: number, members: members[number])
                        )
                    }
                    let stored = try await database.sql(
                        "select small, price, seen from app.things where id in ('1', '3', '12') order by id"
                    )
                    #expect(
                        try await database.sql("select ratio from app.things where id = '15'") == "0.12345679"
                    )
                    #expect(stored == "32767||\n||2026-01-01 00:00:00.125\n|-0.50|")
                }
            }

            @Test func whatTheColumnAltersComesBackAltered() async throws {
                let members = [
                    #""price":"12.345""#, #""seen":"2026-01-01T00:00:00.1239Z""#,
                    #""small":1"#,
                ]
                let altered = [
                    #""price":"12.35""#, #""seen":"2026-01-01T00:00:00.124Z""#,
                    #""small":1"#,
                ]
                try await Self.run { database in
                    let phone = try database.device(1, entities: "thing")
                    #expect(
                        try await Self.push(members, from: phone) == Array(repeating: "accepted", count: 3)
                    )
                    for device in [phone, try database.device(2, entities: "thing")] {
                        let pulled = try await device.changes()
                        #expect(pulled.count == (device === phone ? 0 : 3))
                        for change in pulled {
                            let number = try #require(Int(change.key.text))
                            #expect(
                                String(decoding: change.body, as: UTF8.self)
                                    == Self.body(key: number, members: altered[number])
                            )
                        }
                    }
                }
            }

            @Test func whatDoesNotFitIsRefusedAlone() async throws {
                let cases = [
                    (#""small":32768"#, "range"), (#""small":1"#, "accepted"),
                    (#""price":"1000000.00""#, "range"), (#""price":"999999.995""#, "range"),
                    (#""ratio":1e300"#, "range"), (#""code":"abcdef""#, "length"),
                    (#""code":"abcde""#, "accepted"), (#""mood":"angry""#, "type"),
                    (#""friends":["nobody"]"#, "type"), (#""counts":[2147483648]"#, "range"),
                    (#""counts":["x"]"#, "type"), (#""words":["a"]"#, "accepted"),
                    (#""seen":"2026-02-30T00:00:00Z""#, "range"), (#""small":"1""#, "type"),
                    (#""extra":[1]"#, "type"),
                ]
                try await Self.run { database in
                    let phone = try database.device(1, entities: "thing")
                    let outcomes = try await Self.push(cases.map(\.0), from: phone)
                    for (found, expected) in zip(outcomes, cases) {
                        #expect(found == expected.1, "\(expected.0)")
                    }
                    #expect(try await database.device(2, entities: "thing").pull() == ["1", "6", "11"])
                }
            }

            @Test func rowsWithATextAsOwnerBelongToThatUser() async throws {
                try await Self.run { database in
                    try await database.sql(
                        """
                        insert into app.things (id, person, mood, friends, counts) values
                          ('a', '\(UserDatabase.ada.id)', 'bad', null, '{1,2}'), ('e', '\(UserDatabase.eve.id)', null, '{}', null),
                          ('n', 'nobody', null, null, null)
                        """
                    )
                    let ada = try await database.device(1, entities: "thing").changes()
                    #expect(
                        ada.map { String(decoding: $0.body, as: UTF8.self) } == [
                            #"{"id":"a","person":"\#(UserDatabase.ada.id)","mood":"bad","counts":[1,2]}"#
                        ]
                    )
                    let eve = try database.device(2, of: UserDatabase.eve, entities: "thing")
                    #expect(try await eve.pull() == ["e"])
                    let key = #"{"id":"e","person":"\#(UserDatabase.ada.id)"}"#
                    let phone = try database.device(3, entities: "thing")
                    let answer = try await phone.send(
                        phone.request(changes: [phone.change(entity: "thing", key: "e", body: key)])
                    )
                    #expect(
                        answer.outcomes == ["unique"],
                        "the key is another user's, in a table that has one key for all"
                    )
                }
            }
        }
    }
#endif
