#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    import Testing

    extension DatabaseTests {
        /// Members that devices of a newer app sent before the database had columns for them.
        @Suite struct ColumnFill {
            private static func note(_ fields: String, required: String = "") -> String {
                """
                {
                  "title": "Note", "type": "object",
                  "properties": { "id": { "type": "string" }, "title": { "type": "string" }\(fields) },
                  "required": ["id"\(required)], "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """
            }

            private static let fields = """
                , "color": { "type": "string", "maxLength": 10 }, "size": { "type": "integer", "default": 1 },
                "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "sync": { "merge": "union" } }
                """

            /// How a database gets newer schemas.
            enum Way: CaseIterable { case server, migration, existing }

            @Test(arguments: Way.allCases)
            func aNewColumnHasWhatDevicesSentBefore(way: Way) async throws {
                try await UserDatabase.run { database in
                    let former = try UserDatabase.schemas(["note": Self.note("")])
                    if way == .existing {
                        let columns = "id text, user_id uuid, title text, primary key (user_id, id)"
                        try await database.sql(
                            "create table public.note (\(columns.replacing("user_id", with: "owner_id")))"
                        )
                    }
                    try await database.apply(former, isExisting: way == .existing)
                    let phone = try database.device(1, entities: "note")
                    let bodies = [
                        "a": #"{"id":"a","title":"t","color":"red","size":5,"tags":["x","y"]}"#,
                        "b": #"{"id":"b","title":"t"}"#,
                        "c": #"{"id":"c","title":"t","color":"longer than ten","other":1}"#,
                        "d": #"{"id":"d","title":"t","color":7,"size":"five"}"#,
                    ].sorted { $0.key < $1.key }
                    let changes = bodies.map { phone.change(entity: "note", key: $0.key, body: $0.value) }
                    func body(of key: String) -> String? { bodies.first { $0.key == key }?.value }
                    let outcomes = try await phone.send(phone.request(changes: changes)).outcomes
                    #expect(outcomes == Array(repeating: "accepted", count: 4))
                    let present = try UserDatabase.schemas([
                        "note": Self.note(Self.fields, required: #", "size""#)
                    ])
                    if way == .server {
                        let added = PostgresGenerator.addedColumns(for: present)
                        try await database.cluster.script(added, database: database.database)
                    }
                    let from = way == .migration ? former : nil
                    try await database.apply(present, from: from, isExisting: way == .existing)
                    let rows =
                        "select string_agg(concat_ws(' ', id, color, size, tags), ',' order by id) from public.note"
                    #expect(try await database.sql(rows) == #"a red 5 ["x", "y"],b 1,c 1,d 1"#)
                    // The records are what they were.
                    let before = try await Self.bodies(of: database.device(2, entities: "note"))
                    for key in ["a", "c", "d"] { #expect(before[key] == body(of: key)) }
                    // A program fills the column where it is empty, and takes an element away.
                    try await database.sql(
                        """
                        update public.note set color = coalesce(color, 'grey') where id in ('a', 'b');
                        update public.note set tags = '["y"]' where id = 'a'
                        """
                    )
                    let found = try await Self.bodies(of: database.device(3, entities: "note"))
                    let members = try #require(
                        JSONSerialization.jsonObject(with: Data((found["a"] ?? "").utf8)) as? [String: Any]
                    )
                    #expect(members["color"] as? String == "red")
                    #expect(members["size"] as? Int == 5)
                    #expect(members["tags"] as? [String] == ["y"])
                    #expect(found["c"] == body(of: "c"))
                }
            }

            private static func bodies(of device: DatabaseDevice) async throws -> [String: String] {
                let changes = try await device.changes()
                return Dictionary(
                    uniqueKeysWithValues: changes.map {
                        ($0.key.text, String(decoding: $0.body, as: UTF8.self))
                    }
                )
            }

            /// A program's own value of a column that was there is not replaced.
            @Test func aValueThatAProgramGaveStays() async throws {
                try await UserDatabase.run { database in
                    try await database.sql(
                        "create table public.note (id text, owner_id uuid, title text, color text, primary key (owner_id, id))"
                    )
                    try await database.apply(UserDatabase.schemas(["note": Self.note("")]), isExisting: true)
                    let phone = try database.device(1, entities: "note")
                    let change = phone.change(entity: "note", key: "a", body: #"{"id":"a","color":"red"}"#)
                    #expect(try await phone.send(phone.request(changes: [change])).outcomes == ["accepted"])
                    try await database.sql("update public.note set color = 'green'")
                    let color = #", "color": { "type": "string" }"#
                    try await database.apply(
                        UserDatabase.schemas(["note": Self.note(color)]),
                        isExisting: true
                    )
                    #expect(try await database.sql("select color from public.note") == "green")
                }
            }
        }
    }
#endif
