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
        }
    }
#endif
