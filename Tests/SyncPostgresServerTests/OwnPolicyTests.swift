#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Tables whose policies are the team's own: they rule what the feed gives.
        @Suite struct OwnPolicies {
            private static let schema = """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "TeamNote", "type": "object",
                 "properties": {"id": {"type": "string"}, "team": {"type": "string"}, "text": {"type": "string"}},
                 "required": ["id", "team", "text"], "sync": {"key": "id", "strategy": "last-write-wins"}}
                """
            /// Ada is of the red team, Eve of the blue one.
            private static let teams = """
                create table public.member (account uuid not null, team text not null);
                grant select on public.member to authenticated;
                insert into public.member values ('\(UserDatabase.ada.id)', 'red'), ('\(UserDatabase.eve.id)', 'blue');
                """
            private static let isOfTeam =
                "team in (select m.team from public.member as m where m.account = (select auth.uid()))"

            private static func run(
                owner: PostgresOptions.Owner,
                policies: String,
                _ body: (UserDatabase) async throws -> Void
            ) async throws {
                let schemas = try UserDatabase.schemas(["note": schema])
                try await UserDatabase.run { database in
                    try await database.apply(schemas, owner: owner)
                    try await database.sql(teams + policies)
                    try await body(database)
                }
            }

            private static func body(_ key: String, team: String, text: String) -> String {
                #"{"id":"\#(key)","team":"\#(team)","text":"\#(text)"}"#
            }

            @Test func aRecordOfAnotherTeamIsNeverSent() async throws {
                let policies = """
                    drop policy "entitysync: read" on public.note;
                    create policy "of the team" on public.note for select to authenticated using (\(Self.isOfTeam));
                    """
                try await Self.run(owner: .none, policies: policies) { database in
                    let ada = try database.device(1, entities: "note")
                    let eve = try database.device(2, of: UserDatabase.eve, entities: "note")
                    let note = Self.body("a", team: "red", text: "ours")
                    // An exact text that the row cannot say keeps the whole body beside the row.
                    let more = #"{"id":"b","team":"red","text":"ours","more":1}"#
                    let answer = try await ada.send(
                        ada.request(changes: [
                            ada.change(entity: "note", key: "a", body: note),
                            ada.change(entity: "note", key: "b", body: more),
                        ])
                    )
                    #expect(answer.outcomes == ["accepted", "accepted"])
                    let rows = try await database.sql(
                        "select count(*) from public.note",
                        as: UserDatabase.eve
                    )
                    #expect(rows == "0")
                    #expect(try await eve.pull() == [])
                    // Nor by a push onto its key.
                    let onto = Self.body("b", team: "blue", text: "theirs")
                    let push = try await eve.insist(
                        eve.request(changes: [eve.change(entity: "note", key: "b", body: onto)])
                    )
                    let conflict = ExchangeResult.conflict(current: nil)
                    #expect(push.results == [conflict])
                    // Nor the last value of a deleted one.
                    try await database.sql("delete from public.note")
                    for change in try await eve.changes() {
                        #expect(String(decoding: change.body, as: UTF8.self) == "{}")
                    }
                }
            }

            @Test func aRestrictivePolicyHidesAlsoWhatBelongsToTheReader() async throws {
                let policies = """
                    create policy "of the team" on public.note as restrictive for select to authenticated
                    using (\(Self.isOfTeam));
                    """
                try await Self.run(owner: .user, policies: policies) { database in
                    let (phone, tablet) = (
                        try database.device(1, entities: "note"), try database.device(2, entities: "note")
                    )
                    let more = #"{"id":"b","team":"red","text":"mine","more":1}"#
                    try await phone.send(
                        phone.request(changes: [
                            phone.change(
                                entity: "note",
                                key: "a",
                                body: Self.body("a", team: "red", text: "mine")
                            ),
                            phone.change(entity: "note", key: "b", body: more),
                        ])
                    )
                    try await database.sql("delete from public.member")
                    #expect(
                        try await database.sql("select count(*) from public.note", as: UserDatabase.ada)
                            == "0"
                    )
                    #expect(try await tablet.pull() == [])
                }
            }
        }
    }
#endif
