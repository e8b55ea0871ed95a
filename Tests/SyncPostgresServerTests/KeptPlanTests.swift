#if Server
    import SyncCore
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A session keeps the plans of its statements, also those from when the tables were empty.
        @Suite struct KeptPlans {
            private static let schema = """
                {
                  "title": "Note", "type": "object",
                  "properties": { "id": { "type": "string" }, "text": { "type": "string" } }, "required": ["id"],
                  "sync": { "key": "id", "strategy": "last-write-wins", "indexes": [["text"]] }
                }
                """
            private static let exchange =
                #"select from public.entitysync_exchange('{"device":"0000000000000001","entities":["note"]}'::json);"#

            @Test(arguments: [
                "", "create policy mine on public.note for select using (owner_id = auth.uid());",
            ])
            func manyRowsAtOnceAreFoundByTheirKeysAlsoInASessionThatKnewFew(policy: String) async throws {
                let schemas = try UserDatabase.schemas(["note": Self.schema])
                try await UserDatabase.run { database in
                    try await database.apply(schemas)
                    try await database.sql(
                        "alter table public.note set (autovacuum_enabled = off); \(policy)"
                    )
                    try await database.sql("alter table entitysync.state set (autovacuum_enabled = off)")
                    let ada = UserDatabase.ada.id
                    func insert(_ first: Int, _ last: Int) -> String {
                        """
                        insert into public.note (id, text, owner_id)
                        select 'n' || i, 'words', '\(ada)' from generate_series(\(first), \(last)) as i;
                        """
                    }
                    let few = (1...8).map { "\(insert($0, $0)) \(Self.exchange)" }.joined(separator: "\n")
                    let looked = try await database.sql(
                        """
                        select set_config('request.jwt.claims', '{"sub":"\(ada)","role":"authenticated"}', false);
                        \(few)
                        \(insert(11, 3010))
                        begin;
                        \(Self.exchange)
                        select sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) from pg_index as i
                        where i.indrelid in ('public.note'::regclass, 'entitysync.state'::regclass);
                        commit;
                        """
                    )
                    let entries = try #require(looked.split(separator: "\n").last.flatMap { Int($0) })
                    #expect(
                        entries > 3000 && entries < 100_000,
                        "entries of indexes for 3,000 rows: \(entries)"
                    )
                }
            }
        }
    }
#endif
