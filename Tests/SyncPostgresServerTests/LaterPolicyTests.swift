#if Server
    import SyncCore
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// Policies that come while devices have records.
        @Suite struct LaterPolicies {
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
