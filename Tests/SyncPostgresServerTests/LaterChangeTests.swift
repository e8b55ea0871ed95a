#if Server
    import SyncCore
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// What changes in the database while devices have records.
        @Suite struct LaterChanges {
            private static func schema(title: String) -> String {
                """
                {
                  "title": "\(title)", "type": "object",
                  "properties": { "id": { "type": "string" }, "text": { "type": "string" } }, "required": ["id"],
                  "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """
            }

            private static func hideSecrets(of table: String) -> String {
                """
                create policy "no secrets" on public.\(table) as restrictive for select to authenticated
                using (text <> 'secret')
                """
            }

            @Test(arguments: [
                "revoke select on public.note from authenticated, entitysync",
                "alter table public.note rename column text to words",
            ])
            func whatIsWrongWithOneTableStopsNoOtherEntity(change: String) async throws {
                let schemas = try UserDatabase.schemas([
                    "note": Self.schema(title: "Note"), "tag": Self.schema(title: "Tag"),
                ])
                try await UserDatabase.run { database in
                    try await database.apply(schemas)
                    let phone = try database.device(1, of: UserDatabase.ada, entities: ["note", "tag"])
                    for entity in ["note", "tag"] {
                        let new = phone.change(entity: entity, key: "a", body: #"{"id":"a","text":"x"}"#)
                        try await phone.send(phone.request(changes: [new]))
                    }
                    try await database.sql(change)
                    let tablet = try database.device(2, of: UserDatabase.ada, entities: ["tag"])
                    #expect(try await tablet.pull() == ["a"])
                    let new = tablet.change(entity: "tag", key: "b", body: #"{"id":"b","text":"x"}"#)
                    let answer = try await tablet.send(tablet.request(changes: [new]))
                    #expect(answer.outcomes == ["accepted"])
                }
            }

            @Test func aPolicyThatComesLaterIsToldToADeviceThatHasWhatItHidesWhoeverAsksFirst() async throws {
                let schemas = try UserDatabase.schemas([
                    "note": Self.schema(title: "Note"), "tag": Self.schema(title: "Tag"),
                ])
                try await UserDatabase.run { database in
                    try await database.apply(schemas)
                    let entities = ["note", "tag"]
                    let phone = try database.device(1, of: UserDatabase.ada, entities: entities)
                    let answer = try await phone.send(
                        phone.request(
                            changes: entities.map {
                                phone.change(entity: $0, key: "a", body: #"{"id":"a","text":"secret"}"#)
                            }
                        )
                    )
                    #expect(answer.outcomes == ["accepted", "accepted"])
                    for (entity, number) in zip(entities, [2, 3] as [UInt64]) {
                        try await database.sql(Self.hideSecrets(of: entity))
                        let tablet = try database.device(number, of: UserDatabase.ada, entities: entities)
                        let seen = try await tablet.changes()
                        #expect(!seen.contains { $0.header.entity == entity })
                        let gone = try await phone.changes()
                        #expect(gone.map(\.header.entity) == [entity] && gone.map(\.key.text) == ["a"])
                        #expect(gone.map(\.header.kind) == [.outOfScope])
                    }
                }
            }
        }
    }
#endif
