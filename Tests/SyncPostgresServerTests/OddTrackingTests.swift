#if Server
    import SyncCore
    import SyncPostgres
    import Testing

    extension DatabaseTests {
        /// Writes of other programs that are easily overlooked.
        @Suite struct OddTracking {
            private static func schema(_ title: String) -> String {
                """
                {
                  "title": "\(title)", "type": "object",
                  "properties": { "id": { "type": "string" }, "title": { "type": "string" } },
                  "required": ["id"], "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """
            }

            /// A rule turns a device's write into one of another table, too.
            @Test func whatARuleWritesIsAVersion() async throws {
                try await UserDatabase.run { database in
                    let schemas = ["note": Self.schema("Note"), "copy": Self.schema("Copy")]
                    try await database.apply(UserDatabase.schemas(schemas))
                    try await database.sql(
                        """
                        create rule copied as on update to public.note do also
                          update public.copy set title = new.title where copy.id = new.id and copy.owner_id = new.owner_id;
                        """
                    )
                    let phone = try database.device(1, entities: "copy", "note")
                    let new = ["copy", "note"].map {
                        phone.change(entity: $0, key: "n", body: #"{"id":"n","title":"first"}"#)
                    }
                    #expect(
                        try await phone.send(phone.request(changes: new)).outcomes == [
                            "accepted", "accepted",
                        ]
                    )
                    let laptop = try database.device(2, entities: "copy", "note")
                    let note = try #require(try await laptop.changes().first { $0.entity == "note" })
                    let edit = laptop.change(
                        entity: "note",
                        key: "n",
                        body: #"{"id":"n","title":"second"}"#,
                        on: note
                    )
                    #expect(try await laptop.send(laptop.request(changes: [edit])).outcomes == ["accepted"])
                    let copies = try await database.sql("select title from public.copy")
                    #expect(copies == "second")
                    let told = try await phone.changes().filter { $0.entity == "copy" }
                    #expect(
                        told.map { String(decoding: $0.body, as: UTF8.self) } == [
                            #"{"id":"n","title":"second"}"#
                        ]
                    )
                }
            }

            /// The column takes texts for one that differ in the case of letters alone.
            @Test func aChangeOfCaseIsAVersion() async throws {
                try await UserDatabase.run { database in
                    try await database.sql(
                        """
                        create collation public.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
                        create table public.note (
                          id text primary key, owner_id uuid not null default auth.uid(), title text collate public.caseless
                        );
                        """
                    )
                    let schemas = try UserDatabase.schemas(["note": Self.schema("Note")])
                    try await database.apply(schemas, isExisting: true)
                    let phone = try database.device(1, entities: "note")
                    let new = phone.change(entity: "note", key: "n", body: #"{"id":"n","title":"ada"}"#)
                    #expect(try await phone.send(phone.request(changes: [new])).outcomes == ["accepted"])
                    try await phone.pull()
                    try await database.sql("update public.note set title = 'Ada'")
                    let told = try await phone.changes()
                    #expect(
                        told.map { String(decoding: $0.body, as: UTF8.self) } == [
                            #"{"id":"n","title":"Ada"}"#
                        ]
                    )
                    // A device that changes the case alone is understood, too.
                    let edit = phone.change(
                        entity: "note",
                        key: "n",
                        body: #"{"id":"n","title":"ADA"}"#,
                        on: told[0]
                    )
                    #expect(try await phone.send(phone.request(changes: [edit])).outcomes == ["accepted"])
                    #expect(try await database.sql("select title from public.note") == "ADA")
                }
            }
        }
    }
#endif
