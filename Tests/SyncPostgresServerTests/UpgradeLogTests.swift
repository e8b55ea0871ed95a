#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    import Testing

    extension DatabaseTests {
        /// What other programs write just before a database gets newer schemas.
        @Suite struct UpgradeLog {
            private static func note(_ fields: String) -> String {
                """
                {
                  "title": "Note", "type": "object",
                  "properties": { "id": { "type": "string" }, \(fields) "title": { "type": "string" } },
                  "required": ["id"], "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """
            }

            /// The new field stands before the changed one, and devices know it already.
            @Test(arguments: [true, false])
            func anEditThatWaitsIsOneOfTheSameFieldAfterwards(isMigrated: Bool) async throws {
                try await UserDatabase.run { database in
                    let former = try UserDatabase.schemas(["note": Self.note("")])
                    try await database.apply(former)
                    let phone = try database.device(1, entities: "note")
                    let body = #"{"id":"n","title":"of the device","color":"red"}"#
                    let change = phone.change(entity: "note", key: "n", body: body)
                    #expect(try await phone.send(phone.request(changes: [change])).outcomes == ["accepted"])
                    try await database.sql("update public.note set title = 'of a program'")
                    let color = #""color": { "type": "string" },"#
                    let present = try UserDatabase.schemas(["note": Self.note(color)])
                    if !isMigrated {
                        // As the server does at its start.
                        let added = PostgresGenerator.addedColumns(for: present)
                        try await database.cluster.script(added, database: database.database)
                    }
                    try await database.apply(present, from: isMigrated ? former : nil)
                    let found = try #require(try await database.device(2, entities: "note").changes().first)
                    let members = try JSONSerialization.jsonObject(with: Data(found.body)) as? [String: Any]
                    #expect(members?["title"] as? String == "of a program")
                    #expect(members?["color"] as? String == "red")
                }
            }

            /// The program writes after the log was taken in, and before the triggers know the new places.
            @Test func anEditDuringTheUpgradeIsOneOfTheSameFieldAfterwards() async throws {
                try await UserDatabase.run { database in
                    try await database.apply(UserDatabase.schemas(["note": Self.note("")]))
                    let phone = try database.device(1, entities: "note")
                    let body = #"{"id":"n","title":"of the device","color":"red"}"#
                    let change = phone.change(entity: "note", key: "n", body: body)
                    #expect(try await phone.send(phone.request(changes: [change])).outcomes == ["accepted"])
                    let present = try UserDatabase.schemas([
                        "note": Self.note(#""color": { "type": "string" },"#)
                    ])
                    let files = try PostgresGenerator.files(for: present, options: PostgresOptions())
                    func run(_ text: some StringProtocol) async throws {
                        try await database.cluster.script(String(text), database: database.database)
                    }
                    try await run(PostgresGenerator.addedColumns(for: present))
                    try await run(try #require(files.first { $0.name.hasPrefix("10-") }).contents)
                    let entities = try #require(files.first { $0.name == PostgresGenerator.entitiesFile })
                        .contents
                    let section = try #require(entities.range(of: "\nbegin;\n")).lowerBound
                    try await run(entities[..<section])
                    try await database.sql("update public.note set title = 'of a program'")
                    try await run(entities[section...])
                    #expect(try await database.sql("select count(*) from entitysync.log") == "1")
                    let found = try #require(try await database.device(2, entities: "note").changes().first)
                    let members = try JSONSerialization.jsonObject(with: Data(found.body)) as? [String: Any]
                    #expect(members?["title"] as? String == "of a program")
                    #expect(members?["color"] as? String == "red")
                }
            }
        }
    }
#endif
