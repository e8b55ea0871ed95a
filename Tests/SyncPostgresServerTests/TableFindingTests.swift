#if Server
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Tables that others made, with one fault each: what is refused, what is told, and what works.
        @Suite struct TableFindings {
            private static func schema(_ title: String) -> String {
                """
                {"title": "\(title)", "type": "object",
                 "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "rank": {"type": "integer"}},
                 "required": ["id", "title"], "sync": {"key": "id", "strategy": "last-write-wins"}}
                """
            }

            /// A table without a fault.
            private static func sound(_ name: String) -> String {
                """
                create table public.\(name) (
                  id text primary key, owner_id uuid not null default auth.uid(), title text not null, rank bigint
                );
                """
            }

            private static let own = """
                alter table public.note enable row level security;
                create policy own on public.note to authenticated
                  using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()));
                """

            private static func schemas() throws -> [Schema] {
                try UserDatabase.schemas(["note": schema("Note"), "label": schema("Label")])
            }

            /// Runs a test with a table `label` without a fault and what `table` makes.
            private static func run(
                _ table: String,
                _ body: (UserDatabase) async throws -> Void
            ) async throws {
                try await UserDatabase.run { database in
                    try await database.sql(sound("label") + table)
                    for _ in 0..<2 { try await database.apply(schemas(), isExisting: true) }
                    try await body(database)
                }
            }

            private static func body(_ key: String, more: String = "") -> String {
                #"{"id":"\#(key)","title":"t"\#(more)}"#
            }

            private static func findings(_ database: UserDatabase, entity: String = "note") async throws
                -> String
            {
                try await database.sql(
                    "select severity, finding from entitysync.doctor() where entity = '\(entity)'"
                )
            }

            private static let columns = "owner_id uuid not null default auth.uid(), title text not null"

            @Test(arguments: [
                (
                    "create table public.note (id text, rev int, \(columns), rank bigint, primary key (id, rev))",
                    "The key (id) is not unique"
                ),
                (
                    "create table public.note (id text, \(columns), rank bigint);"
                        + "create unique index one on public.note (id) where rank > 0",
                    "The key (id) is not unique"
                ),
                (
                    "create table public.note (id text primary key, \(columns), rank bigint, place text not null)",
                    "The column place must have a value"
                ),
                (
                    "create table public.note (id text primary key, \(columns), rank bigint generated always as (1) stored)",
                    "The database makes the values of the column rank"
                ),
                (
                    "create table public.note (id text primary key, \(columns), rank bigint generated always as identity)",
                    "The database makes the values of the column rank"
                ),
                (
                    "create table public.note (id uuid primary key, \(columns), rank bigint)",
                    "The column id is uuid, and the schema expects text"
                ),
                (
                    "create table public.note (id text primary key, owner_id text, title text not null, rank bigint)",
                    "The column owner_id is text, and the schema expects uuid"
                ),
                (
                    "create table public.note (id character(8) primary key, \(columns), rank bigint)",
                    "The column id is character"
                ),
                (
                    "create collation public.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
                        + "create table public.note (id text collate public.caseless primary key, \(columns), rank bigint)",
                    "The key column id takes different texts for one"
                ),
                (
                    "create table public.note (id text primary key, \(columns), rank money)",
                    "The column rank is money"
                ),
                (
                    sound("note") + "create table public.child () inherits (public.note)",
                    "Other tables inherit"
                ),
                (
                    sound("base") + "create table public.note (primary key (id)) inherits (public.base)",
                    "The table inherits"
                ),
                (
                    "create table public.base (id text primary key, \(columns), rank bigint) partition by hash (id);"
                        + "create table public.note partition of public.base for values with (modulus 1, remainder 0)",
                    "The table is a partition of"
                ),
                (sound("base") + "create view public.note as select * from public.base", "is no table"),
                (
                    "create table public.note (id text primary key, title text not null, rank bigint);"
                        + "insert into public.note values ('a', 't', 1)",
                    "The table has rows and no column owner_id"
                ), ("", "is not there"),
            ])
            func whatCannotWorkIsRefusedAndTheOtherEntitiesAreSynced(table: String, reason: String)
                async throws
            {
                try await Self.run(table) { database in
                    let refused = try await database.sql(
                        "select entity, reason from entitysync.refused_entity"
                    )
                    #expect(refused.hasPrefix("note|") && refused.contains(reason), "\(refused)")
                    let triggers = try await database.sql(
                        "select count(*) from pg_trigger where tgname like 'entitysync%' and tgrelid = to_regclass('public.note')"
                    )
                    #expect(triggers == "0")
                    let told = try await Self.findings(database)
                    #expect(told.contains("error|") && told.contains(reason), "\(told)")
                    let phone = try database.device(1, entities: "label", "note")
                    let changes = ["label", "note"].map {
                        phone.change(entity: $0, key: "a", body: Self.body("a"))
                    }
                    let answer = try await phone.send(phone.request(changes: changes))
                    #expect(answer.outcomes == ["accepted", "unknown-entity"])
                    let tablet = try database.device(2, entities: "label", "note")
                    #expect(try await tablet.pull() == ["a"])
                    let labels = try await Self.findings(database, entity: "label")
                    #expect(labels.isEmpty, "\(labels)")
                }
            }

            @Test func theWarningSaysWhyAnEntityIsLeftOutAndWhatToDo() async throws {
                try await UserDatabase.run { database in
                    try await database.sql(Self.sound("label"))
                    let options = PostgresOptions(isExisting: true)
                    let files = try PostgresGenerator.files(for: Self.schemas(), options: options)
                    try await database.cluster.script(files[0].contents, database: database.database)
                    let told = try await database.cluster.notices(
                        files[1].contents,
                        database: database.database
                    )
                    #expect(told.contains("WARNING:  The entity note is left out. The table "), "\(told)")
                    #expect(told.contains("HINT:  Make it"), "\(told)")
                    #expect(!told.contains("label"), "\(told)")
                }
            }

            @Test func aMigrationLeavesOutANewEntityWhoseTableIsMissing() async throws {
                try await UserDatabase.run { database in
                    try await database.sql(Self.sound("label"))
                    let label = try UserDatabase.schemas(["label": Self.schema("Label")])
                    try await database.apply(label, isExisting: true)
                    try await database.apply(Self.schemas(), from: label, isExisting: true)
                    let known = try await database.sql("select entitysync.known_entities()")
                    #expect(known == "{label}")
                    let phone = try database.device(1, entities: "label", "note")
                    let change = phone.change(entity: "label", key: "a", body: Self.body("a"))
                    let answer = try await phone.send(phone.request(changes: [change]))
                    #expect(answer.outcomes == ["accepted"])
                }
            }

            @Test func aTableThatIsMadeLaterIsSyncedWhenTheSQLIsAppliedAgain() async throws {
                try await Self.run("") { database in
                    try await database.sql(
                        Self.sound("note") + "insert into public.note values "
                            + "('x', '\(UserDatabase.ada.id)', 't', 1)"
                    )
                    let told = try await Self.findings(database)
                    #expect(told.contains("left out when the SQL was applied"), "\(told)")
                    try await database.apply(Self.schemas(), isExisting: true)
                    #expect(try await Self.findings(database) == "")
                    #expect(try await database.device(1, entities: "note").pull() == ["x"])
                    let left = "select count(*) from pg_class where relname like '%stand_in'"
                    #expect(try await database.sql(left) == "0")
                }
            }

            @Test(arguments: [
                (
                    "alter table public.note alter column title type varchar(20)",
                    "error|The column title is character"
                ),
                (
                    "create policy other on public.note for select to authenticated using (rank = 1)",
                    "warning|The policy other may show other rows"
                ),
                (
                    "create policy named on public.note for update using (current_user = 'authenticated')",
                    "error|The policy named reads the name of the role"
                ),
                (
                    """
                    create function public.sign() returns trigger language plpgsql
                    as $$ begin new.title := current_user; return new; end $$;
                    create trigger sign before update on public.note for each row execute function public.sign()
                    """,
                    "warning|The trigger sign reads the name of the role"
                ),
                (
                    """
                    alter table public.note add column secret text;
                    revoke select on public.note from authenticated;
                    grant select (id, owner_id, title, rank) on public.note to authenticated
                    """,
                    "error|The role authenticated may not select the column secret"
                ),
                ("alter table public.note disable row level security", "error|Row-level security is off"),
                (
                    "alter table public.note alter column rank set not null",
                    "error|The column rank must have a value"
                ),
            ])
            func whatMaySurpriseIsTold(fault: String, finding: String) async throws {
                try await Self.run(Self.sound("note") + Self.own) { database in
                    #expect(try await Self.findings(database) == "")
                    try await database.sql(fault)
                    let told = try await Self.findings(database)
                    #expect(told.contains(finding), "\(told)")
                    try await database.apply(Self.schemas(), isExisting: true)
                    #expect(try await database.sql("select count(*) from entitysync.refused_entity") == "0")
                }
            }

            /// Neither of them may become tombstones: what nobody may read is not deleted.
            @Test func aTableThatTheInstallerMayNotReadIsRefused() async throws {
                try await UserDatabase.run { database in
                    try await database.sql(Self.sound("label") + Self.sound("note") + Self.own)
                    try await database.apply(Self.schemas(), isExisting: true)
                    try await database.sql(
                        """
                        do $$ begin create role plain_installer nologin; exception when duplicate_object then null; end $$;
                        alter function entitysync.fold_piece(uuid, integer) owner to plain_installer
                        """
                    )
                    let foreign = try await Self.findings(database)
                    #expect(foreign.contains("error|The table belongs to postgres"), "\(foreign)")
                    try await database.sql(
                        """
                        alter table public.note owner to plain_installer;
                        alter table public.note force row level security
                        """
                    )
                    let forced = try await Self.findings(database)
                    #expect(forced.contains("error|Policies are forced on plain_installer"), "\(forced)")
                    try await database.apply(Self.schemas(), isExisting: true)
                    #expect(
                        try await database.sql("select entity from entitysync.refused_entity order by 1")
                            == "label\nnote"
                    )
                }
            }

            @Test(arguments: [
                "create table public.note (id text, \(columns), rank bigint, primary key (owner_id, id))",
                "create table public.note (id text, serial int primary key generated always as identity, \(columns), "
                    + "rank bigint, unique (id))",
                "create domain public.name as text check (value <> ''); create table public.note "
                    + "(id public.name primary key, owner_id uuid not null, title public.name not null, rank bigint)",
                "create table public.note (id text, \(columns), rank bigint, primary key (owner_id, id)) "
                    + "partition by hash (owner_id); create table public.note_0 partition of public.note "
                    + "for values with (modulus 1, remainder 0)",
                """
                create table public.note (id text primary key, \(columns), rank bigint, place text not null);
                create function public.fill() returns trigger language plpgsql
                as $$ begin new.place := 'here'; return new; end $$;
                create trigger fill before insert on public.note for each row execute function public.fill()
                """,
            ])
            func whatLooksUnusualAndWorksIsSynced(table: String) async throws {
                try await Self.run(table) { database in
                    let phone = try database.device(1, entities: "note")
                    let change = phone.change(
                        entity: "note",
                        key: "a",
                        body: Self.body("a", more: #","rank":1"#)
                    )
                    #expect(try await phone.send(phone.request(changes: [change])).outcomes == ["accepted"])
                    try await database.sql("update public.note set title = 'web'")
                    let changes = try await phone.changes()
                    #expect(
                        changes.map { String(decoding: $0.body, as: UTF8.self) }
                            == [#"{"id":"a","title":"web","rank":1}"#]
                    )
                    let told = try await Self.findings(database)
                    #expect(!told.contains("error|"), "\(told)")
                }
            }

            @Test func aColumnThatMustHaveAValueGetsItsDefaultWhereTheDeviceSendsNone() async throws {
                let table =
                    "create table public.note (id text primary key, \(Self.columns), rank bigint not null default 3 + 4)"
                try await Self.run(table) { database in
                    let phone = try database.device(1, entities: "note")
                    let tablet = try database.device(2, entities: "note")
                    let new = phone.request(changes: [
                        phone.change(entity: "note", key: "a", body: Self.body("a")),
                        phone.change(entity: "note", key: "b", body: Self.body("b", more: #","rank":1"#)),
                    ])
                    #expect(try await phone.send(new).outcomes == ["accepted", "accepted"])
                    let rows = "select id, rank from public.note order by id"
                    #expect(try await database.sql(rows) == "a|7\nb|1")
                    let known = try await tablet.changes()
                    let bodies = known.map { String(decoding: $0.body, as: UTF8.self) }
                    #expect(
                        bodies == [Self.body("a", more: #","rank":7"#), Self.body("b", more: #","rank":1"#)]
                    )
                    let edit = tablet.change(entity: "note", key: "b", body: Self.body("b"), on: known[1])
                    #expect(try await tablet.send(tablet.request(changes: [edit])).outcomes == ["accepted"])
                    #expect(try await database.sql(rows) == "a|7\nb|7")
                    // A column that may be empty again needs no trigger.
                    try await database.sql("alter table public.note alter column rank drop not null")
                    try await database.apply(Self.schemas(), isExisting: true)
                    let triggers = "select count(*) from pg_trigger where tgname = 'entitysync_defaults'"
                    #expect(try await database.sql(triggers) == "0")
                }
            }

            @Test func aTableWhoseFaultIsGoneIsSyncedAgainWithWhatWasWrittenMeanwhile() async throws {
                try await Self.run(Self.sound("note")) { database in
                    let phone = try database.device(1, entities: "note")
                    let change = phone.change(entity: "note", key: "a", body: Self.body("a"))
                    try await phone.send(phone.request(changes: [change]))
                    try await database.sql("alter table public.note drop constraint note_pkey")
                    let told = try await Self.findings(database)
                    #expect(told.contains("error|The key (id) is not unique"), "\(told)")
                    try await database.apply(Self.schemas(), isExisting: true)
                    try await database.sql("update public.note set title = 'web'")
                    #expect(try await phone.pull() == [])
                    try await database.sql("alter table public.note add primary key (id)")
                    try await database.apply(Self.schemas(), isExisting: true)
                    #expect(try await phone.pull() == ["a"])
                    #expect(try await Self.findings(database) == "")
                }
            }
        }
    }
#endif
