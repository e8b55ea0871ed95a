#if Server
    import Foundation
    import PostgresCluster
    import SyncChecks
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

            private static let teamAlone = """
                create policy "of the team" on public.note as restrictive for select to authenticated
                using (\(isOfTeam));
                """

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
                    #expect(push.outcomes == ["row-level-security"])
                    // Nor the last value of a deleted one.
                    try await database.sql("delete from public.note")
                    for change in try await eve.changes() {
                        #expect(String(decoding: change.body, as: UTF8.self) == "{}")
                    }
                }
            }

            @Test func aRestrictivePolicyHidesAlsoWhatBelongsToTheReader() async throws {
                try await Self.run(owner: .user, policies: Self.teamAlone) { database in
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

            @Test(arguments: [1, 3])
            func aColumnThatIsNoFieldHidesAndShowsToo(rows: Int) async throws {
                let policies = """
                    alter table public.note add hidden boolean not null default false;
                    create policy open on public.note as restrictive for select to authenticated using (not hidden);
                    """
                try await Self.run(owner: .user, policies: policies) { database in
                    let phone = try database.device(1, entities: "note")
                    let keys = (1...rows).map { "n\($0)" }
                    let new = keys.map {
                        phone.change(entity: "note", key: $0, body: Self.body($0, team: "red", text: "mine"))
                    }
                    try await phone.send(phone.request(changes: new))
                    #expect(try await phone.pull() == [])
                    for isHidden in [true, false] {
                        try await database.sql("update public.note set hidden = \(isHidden)")
                        let changes = try await phone.changes()
                        #expect(changes.map(\.key.text).sorted() == keys)
                        #expect(changes.allSatisfy { ($0.header.kind == .outOfScope) == isHidden })
                    }
                    try await database.sql("update public.note set hidden = hidden")
                    #expect(try await phone.pull() == [])
                }
            }

            /// There is nothing that the device could merge with, and it would try for ever.
            @Test func anEditOfAnOlderVersionOfAHiddenRecordIsRefused() async throws {
                try await Self.run(owner: .user, policies: Self.teamAlone) { database in
                    let (phone, tablet) = (
                        try database.device(1, entities: "note"), try database.device(2, entities: "note")
                    )
                    let first = phone.change(
                        entity: "note",
                        key: "a",
                        body: Self.body("a", team: "red", text: "1")
                    )
                    try await phone.send(phone.request(changes: [first]))
                    let seen = try #require(try await tablet.changes().first)
                    try await database.sql(
                        "update public.note set text = 'secret'; delete from public.member"
                    )
                    let changes = [
                        tablet.change(
                            entity: "note",
                            key: "a",
                            body: Self.body("a", team: "red", text: "2"),
                            on: seen
                        ),
                        tablet.change(entity: "note", key: "b", body: Self.body("b", team: "red", text: "2")),
                    ]
                    let answer = try await tablet.send(tablet.request(changes: changes))
                    #expect(answer.outcomes == ["row-level-security", "row-level-security"])
                    #expect(try await database.sql("select text from public.note") == "secret")
                }
            }

            @Test func anEditOfAnotherAccountsRowIsStoredOnTopOfAllThatProgramsWroteThere() async throws {
                let policies = """
                    create policy "team reads" on public.note for select to authenticated using (\(Self.isOfTeam));
                    create policy "team writes" on public.note for update to authenticated using (\(Self.isOfTeam));
                    update public.member set team = 'red';
                    """
                try await Self.run(owner: .user, policies: policies) { database in
                    let (ada, eve) = (UserDatabase.ada, UserDatabase.eve)
                    try await database.sql(
                        "insert into public.note (id, team, text, owner_id) values ('k', 'red', 'first', '\(eve.id)')"
                    )
                    let phone = try database.device(1, of: ada, entities: "note")
                    let first = try #require(await phone.changes().last)
                    // More than one exchange takes in, and the row that Ada edits comes last.
                    try await database.sql(
                        """
                        insert into public.note (id, team, text, owner_id)
                        select 'n' || i, 'blue', 'many', '\(eve.id)' from generate_series(1, 25000) as i;
                        update public.note set text = 'of the web app' where id = 'k'
                        """
                    )
                    let body = Self.body("k", team: "red", text: "of Ada")
                    let change = phone.change(entity: "note", key: "k", body: body, on: first)
                    let request = phone.request(changes: [change])
                    let error = await #expect(throws: WireError.self) { try await phone.send(request) }
                    #expect(error?.code == .unavailable)
                    let stored = try await database.sql("select text from public.note where id = 'k'")
                    #expect(stored == "of the web app")
                    // What was taken in stays so: the second time is enough.
                    let refused = try await phone.send(request)
                    #expect(refused.outcomes == ["conflict"])
                    let seen = try #require(refused.changes.last)
                    #expect(String(decoding: seen.body, as: UTF8.self).contains("of the web app"))
                    let again = phone.change(entity: "note", key: "k", body: body, on: seen)
                    let answer = try await phone.send(phone.request(changes: [again]))
                    #expect(answer.outcomes == ["accepted"])
                }
            }

            /// What a device holds, by key.
            private static func take(_ device: DatabaseDevice, into held: inout [String: String]) async throws
            {
                for change in try await device.changes() {
                    let isGone = change.header.kind != .upsert
                    held[change.key.text] = isGone ? nil : String(decoding: change.body, as: UTF8.self)
                }
            }

            private static func held(_ rows: [(key: String, team: String, text: String)]) -> [String: String]
            {
                Dictionary(
                    uniqueKeysWithValues: rows.map { ($0.key, body($0.key, team: $0.team, text: $0.text)) }
                )
            }

            @Test(arguments: PostgresOptions.Owner.allCases)
            func aRowThatLeavesTheViewLeavesTheDeviceAndComesBackWhole(owner: PostgresOptions.Owner)
                async throws
            {
                let policies = """
                    drop policy "entitysync: read" on public.note;
                    create policy "of the team" on public.note for select to authenticated using (\(Self.isOfTeam));
                    """
                try await Self.run(owner: owner, policies: policies) { database in
                    let ada = try database.device(1, entities: "note")
                    let eve = try database.device(2, of: UserDatabase.eve, entities: "note")
                    let change = ada.change(
                        entity: "note",
                        key: "a",
                        body: Self.body("a", team: "red", text: "ours")
                    )
                    try await ada.send(ada.request(changes: [change]))
                    var (hers, others) = ([String: String](), [String: String]())
                    try await Self.take(ada, into: &hers)
                    try await Self.take(eve, into: &others)
                    #expect(others.isEmpty)
                    // The row moves to the other team, and back.
                    try await database.sql("update public.note set team = 'blue'")
                    let left = try await ada.changes()
                    #expect(left.map(\.header.kind) == [.outOfScope])
                    #expect(left.map(\.key.text) == ["a"])
                    try await Self.take(eve, into: &others)
                    let blue = Self.held([("a", "blue", "ours")])
                    #expect(others == blue)
                    try await database.sql("update public.note set team = 'red', text = 'changed'")
                    try await Self.take(ada, into: &hers)
                    try await Self.take(eve, into: &others)
                    let red = Self.held([("a", "red", "changed")])
                    #expect(hers == red)
                    #expect(others.isEmpty)
                    // What no write of the row tells is seen for another token.
                    try await database.sql("update public.member set team = 'blue'")
                    let claims = try database.device(1, entities: "note", claim: "promoted")
                    claims.takeOver(ada)
                    let gone = try await claims.changes()
                    #expect(gone.map(\.header.kind) == [.outOfScope])
                }
            }

            @Test(arguments: PostgresOptions.Owner.allCases, [1, 2, 3, 4] as [UInt64])
            func eachDeviceHoldsWhatItsAccountMaySelect(owner: PostgresOptions.Owner, seed: UInt64)
                async throws
            {
                let policies = """
                    drop policy "entitysync: read" on public.note;
                    drop policy "entitysync: change" on public.note;
                    drop policy "entitysync: add" on public.note;
                    drop policy "entitysync: remove" on public.note;
                    create policy "of the team" on public.note to authenticated using (\(Self.isOfTeam));
                    create policy "not a secret" on public.note as restrictive for select to authenticated
                    using (text not like 'secret%');
                    """
                // In some worlds one exchange compares only a few records.
                let piece =
                    seed.isMultiple(of: 2)
                    ? "create or replace function entitysync.view_piece() returns integer language sql return 2;"
                    : ""
                try await Self.run(owner: owner, policies: policies + piece) { database in
                    var random = Seed(seed)
                    var devices: [(device: DatabaseDevice, user: Account, held: [String: String])] = []
                    for (number, user) in [UserDatabase.ada, UserDatabase.ada, UserDatabase.eve].enumerated()
                    {
                        devices.append(
                            (try database.device(UInt64(number + 1), of: user, entities: "note"), user, [:])
                        )
                    }
                    for round in 0..<25 {
                        let story = "seed \(seed), round \(round)"
                        for _ in 0..<Int.random(in: 1...3, using: &random) {
                            try await Self.write(in: database, round: round, using: &random)
                        }
                        for index in devices.indices where Int.random(in: 0..<3, using: &random) > 0 {
                            try await Self.take(devices[index].device, into: &devices[index].held)
                            let rows = try await database.sql(
                                "select coalesce(json_object_agg(id, team || ' ' || text order by id), '{}') from public.note",
                                as: devices[index].user
                            )
                            let present = try JSONDecoder().decode(
                                [String: String].self,
                                from: Data(rows.utf8)
                            )
                            let expected = Self.held(
                                present.map { key, value in
                                    let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
                                    return (key, parts[0], parts[1])
                                }
                            )
                            let held = devices[index].held
                            #expect(held == expected, "\(story), device \(index)")
                        }
                    }
                }
            }

            private static func write(
                in database: UserDatabase,
                round: Int,
                using random: inout Seed
            ) async throws {
                let key = "k\(Int.random(in: 0..<6, using: &random))"
                let team = ["red", "blue"].randomElement(using: &random) ?? "red"
                let text = (Bool.random(using: &random) ? "secret" : "open") + " \(round)"
                let user = Bool.random(using: &random) ? UserDatabase.ada : UserDatabase.eve
                switch Int.random(in: 0..<7, using: &random) {
                case 0, 1:
                    let columns = try await database.sql(
                        "select count(*) from pg_attribute where attrelid = 'public.note'::regclass and attname = 'owner_id'"
                    )
                    let hasOwner = columns == "1"
                    try await database.sql(
                        """
                        insert into public.note (id, team, text\(hasOwner ? ", owner_id" : ""))
                        select '\(key)', '\(team)', '\(text)'\(hasOwner ? ", '\(user.id)'" : "")
                        where not exists (select from public.note where id = '\(key)')
                        """
                    )
                case 2: try await database.sql("update public.note set team = '\(team)' where id = '\(key)'")
                case 3: try await database.sql("update public.note set text = '\(text)' where id = '\(key)'")
                case 4: try await database.sql("delete from public.note where id = '\(key)'")
                // What no write of a row tells is seen once a day.
                case 5:
                    try await database.sql(
                        """
                        update public.member set team = '\(team)' where account = '\(user.id)';
                        update entitysync.viewer set compared_at = now() - interval '2 days'
                        """
                    )
                default: try await database.sql("update public.note set text = '\(text)'", as: user)
                }
            }
        }
    }
#endif
