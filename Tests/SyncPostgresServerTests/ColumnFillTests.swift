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
                        "e": #"{"id":"e","color":"blue"}"#,
                        "f": #"{"id":"f","title":"t","color":"green","other":1,"more":{"a":1}}"#,
                    ].sorted { $0.key < $1.key }
                    let changes = bodies.map { phone.change(entity: "note", key: $0.key, body: $0.value) }
                    func body(of key: String) -> String? { bodies.first { $0.key == key }?.value }
                    let outcomes = try await phone.send(phone.request(changes: changes)).outcomes
                    #expect(outcomes == Array(repeating: "accepted", count: 6))
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
                    #expect(
                        try await database.sql(rows) == #"a red 5 ["x", "y"],b 1,c 1,d 1,e blue 1,f green 1"#
                    )
                    // The records are what they were.
                    let before = try await Self.bodies(of: database.device(2, entities: "note"))
                    for key in ["a", "c", "d", "f"] { #expect(before[key] == body(of: key)) }
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
                    let bodies = [
                        "a": #"{"id":"a","color":"red"}"#, "b": #"{"id":"b"}"#, "c": #"{"id":"c"}"#,
                    ]
                    let changes = ["a", "b", "c"].map {
                        phone.change(entity: "note", key: $0, body: bodies[$0] ?? "")
                    }
                    let outcomes = try await phone.send(phone.request(changes: changes)).outcomes
                    #expect(outcomes == ["accepted", "accepted", "accepted"])
                    try await database.sql("update public.note set color = 'green' where id <> 'c'")
                    let present = try UserDatabase.schemas([
                        "note": Self.note(#", "color": { "type": "string" }"#)
                    ])
                    for _ in 0..<2 { try await database.apply(present, isExisting: true) }
                    #expect(
                        try await database.sql("select string_agg(color, ' ') from public.note")
                            == "green green"
                    )
                    // Devices are told, once, and the one that had sent another value decides.
                    let told = try await database.device(2, entities: "note").changes()
                        .sorted { $0.key.text < $1.key.text }
                    #expect(
                        told.map { String(decoding: $0.body, as: UTF8.self).contains("green") } == [
                            true, true, false,
                        ]
                    )
                    let devices = told.map { $0.metadata?.vector.entries.map(\.device.bits) ?? [] }
                    #expect(devices.map { $0.contains(1) } == [false, true, true])
                    #expect(devices.map(\.count) == [1, 2, 1])
                }
            }

            /// An entity that was left out, because its column did not fit, is filled once it is taken in.
            @Test func anEntityThatWasLeftOutIsFilledLater() async throws {
                try await UserDatabase.run { database in
                    try await database.sql(
                        "create table public.note (id text, owner_id uuid, title text, primary key (owner_id, id))"
                    )
                    try await database.apply(UserDatabase.schemas(["note": Self.note("")]), isExisting: true)
                    let phone = try database.device(1, entities: "note")
                    let change = phone.change(entity: "note", key: "a", body: #"{"id":"a","color":"red"}"#)
                    #expect(try await phone.send(phone.request(changes: [change])).outcomes == ["accepted"])
                    let present = try UserDatabase.schemas([
                        "note": Self.note(#", "color": { "type": "string" }"#)
                    ])
                    try await database.sql("alter table public.note add column color point")
                    try await database.apply(present, isExisting: true)
                    #expect(try await database.sql("select entitysync.known_entities()") == "{}")
                    try await database.sql("alter table public.note drop column color")
                    try await database.apply(present, isExisting: true)
                    #expect(try await database.sql("select color from public.note") == "red")
                }
            }

            /// Who wrote into a column that has another name since, or none, wrote into none that is new.
            @Test func theLogNamesNoColumnThatIsNew() async throws {
                try await UserDatabase.run { database in
                    try await database.apply(UserDatabase.schemas(["note": Self.note("")]))
                    func moved(_ mask: String, renamed: String = "[]") async throws -> String? {
                        try await database.sql(
                            """
                            select entitysync.moved_mask(
                              \(mask), '[["id"],["title"],["zip"]]', '[["id"],["body"],["code"],["title"]]', '\(renamed)'
                            )
                            """
                        )
                    }
                    #expect(try await moved("2") == "8")
                    #expect(try await moved("4") == "9", "all that is left")
                    #expect(try await moved("4", renamed: #"[[["zip"],["code"]]]"#) == "4")
                    #expect(try await moved("-1", renamed: #"[[["zip"],["code"]]]"#) == "13")
                }
            }
        }
    }
#endif
