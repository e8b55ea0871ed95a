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

            @Test func oneRecordIsFoundByItsKeyInASessionThatPushedOneByOneFromTheFirst() async throws {
                let schemas = try UserDatabase.schemas(["note": Self.schema])
                try await UserDatabase.run { database in
                    try await database.apply(schemas)
                    for table in ["public.note", "entitysync.state"] {
                        try await database.sql("alter table \(table) set (autovacuum_enabled = off)")
                    }
                    let ada = UserDatabase.ada.id
                    let looked = try await database.sql(
                        """
                        select set_config('request.jwt.claims', '{"sub":"\(ada)","role":"authenticated"}', false);
                        create function pg_temp.push(number integer) returns json language sql
                        return public.entitysync_exchange(
                          json_build_object(
                            'device', '0000000000000001', 'entities', array['note'], 'limit', 1, 'batch', 'b' || number,
                            'previous', nullif('b' || number - 1, 'b0'), 'changes', json_build_array(
                              json_build_object(
                                'entity', 'note', 'key', 'n' || number, 'mark', '1790000000000000.0000000000000001.' || number,
                                'body', json_build_object('id', 'n' || number, 'text', 'words')
                              )
                            )
                          )
                        );
                        do $$ begin
                          for number in 1..1200 loop
                            perform pg_temp.push(number);
                          end loop;
                        end $$;
                        create function pg_temp.looked() returns bigint language sql return (
                          select sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) from pg_index as i
                          where i.indrelid in ('public.note'::regclass, 'entitysync.state'::regclass)
                        );
                        select -pg_temp.looked();
                        select pg_temp.push(1201) -> 'results' -> 0 ->> 'status';
                        select pg_temp.looked();
                        """
                    )
                    let lines = looked.split(separator: "\n").suffix(3)
                    let entries = lines.compactMap { Int($0) }.reduce(0, +)
                    #expect(lines.contains("accepted") && entries > 0 && entries < 40, "\(lines)")
                }
            }
        }
    }
#endif
