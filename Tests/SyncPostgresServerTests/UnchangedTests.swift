#if Server
    import Foundation
    import SyncChecks
    import SyncCore
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A request without news has a short way through the exchange.
        @Suite struct Unchanged {
            private static func schema(title: String) -> String {
                """
                {
                  "title": "\(title)", "type": "object",
                  "properties": { "id": { "type": "string" }, "text": { "type": "string" } }, "required": ["id"],
                  "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """
            }

            /// What may happen between two requests of a device, as SQL of the superuser.
            private static func event(using seed: inout Seed) -> String {
                let key = "k\(Int.random(in: 0..<4, using: &seed))"
                let (ada, eve) = (UserDatabase.ada.id, UserDatabase.eve.id)
                let owner = Bool.random(using: &seed) ? ada : eve
                let place = Bool.random(using: &seed) ? "public.note" : "public.tag"
                return [
                    "insert into \(place) (id, text, owner_id) values ('\(key)', 'new', '\(owner)') on conflict do nothing",
                    "update \(place) set text = text || '.' where id = '\(key)'",
                    "delete from \(place) where id = '\(key)'",
                    "select entitysync.fold_all()",
                    "select entitysync.fold_all(); select entitysync.purge(now())",
                    "create policy other on \(place) for select using (owner_id = auth.uid() and text <> 'new.')",
                    "drop policy if exists other on public.note; drop policy if exists other on public.tag",
                    "update entitysync.space set epoch = md5(random()::text) where id = '\(ada)'",
                    "update entitysync.installation set cluster = cluster + 1",
                    "insert into entitysync.fingerprint (space, device, name, digest, seen) select '\(ada)', "
                        + "'000000000000000\(Int.random(in: 1...2, using: &seed))', 'note', "
                        + "'\(Int.random(in: 0..<2, using: &seed))', pg_current_snapshot() on conflict do nothing",
                    "select 1", "select 1", "select 1",
                ].randomElement(using: &seed) ?? ""
            }

            /// Has an exchange look closer, whatever the short way finds.
            private static let long = """
                create or replace function entitysync.unchanged(
                  my_space uuid, p_device text, entities text[], cursor jsonb, out epoch text, out batch text
                ) language plpgsql as $$ begin end $$;
                """

            /// The answer to a request, without what differs for each transaction, also one that is rolled back.
            private static func answer(
                to request: String,
                in database: UserDatabase,
                after preparation: String = "",
                end: String = "rollback"
            ) async throws -> String {
                let claims = #"{"sub":"\#(UserDatabase.ada.id)","role":"authenticated"}"#
                return try await database.sql(
                    """
                    select set_config('request.jwt.claims', '\(claims)', false);
                    begin;
                    \(preparation)
                    select a.value - '{time,epoch,cursor}'::text[] || jsonb_build_object(
                      'changes', array(
                        select c.value - '{mark,vector,revision,detail}'::text[] from jsonb_array_elements(a.value -> 'changes') as c
                      ),
                      'stays', strpos('\(request)', a.value ->> 'cursor') > 0, 'cursor', \(end == "commit" ? "a.value -> 'cursor'" : "null")
                    )
                    from (select public.entitysync_exchange('\(request)'::json)::jsonb as value offset 0) as a;
                    \(end);
                    """
                )
            }

            @Test(arguments: 1...6 as ClosedRange<UInt64>)
            func theShortWayAnswersAsTheLongOne(number: UInt64) async throws {
                let schemas = try UserDatabase.schemas([
                    "note": Self.schema(title: "Note"), "tag": Self.schema(title: "Tag"),
                ])
                var seed = Seed(number)
                try await UserDatabase.run { database in
                    try await database.apply(schemas)
                    var cursor: String?
                    var (unchanged, changed) = (0, 0)
                    for step in 0..<60 {
                        let event = Self.event(using: &seed)
                        _ = try? await database.sql(event)
                        let entities =
                            [#""note""#, #""note","tag""#, #""tag","nothing""#]
                            .randomElement(using: &seed) ?? ""
                        let more = cursor.map { #","cursor":"\#($0)""# } ?? ""
                        let start = #"{"device":"0000000000000001","entities":[\#(entities)]\#(more)"#
                        let short = try await Self.answer(to: start + "}", in: database)
                        let long = try await Self.answer(to: start + "}", in: database, after: Self.long)
                        #expect(short == long, "seed \(number), step \(step): \(event); \(start)")
                        if short.contains(#""stays": true"#) { unchanged += 1 } else { changed += 1 }
                        guard Int.random(in: 0..<3, using: &seed) > 0 else { continue }
                        let kept = try await Self.answer(to: start + "}", in: database, end: "commit")
                        let parts = kept.components(separatedBy: #""cursor": ""#)
                        cursor = parts.count > 1 ? String(parts[1].prefix { $0 != "\"" }) : nil
                    }
                    #expect(unchanged > 5 && changed > 5)
                }
            }
        }
    }
#endif
