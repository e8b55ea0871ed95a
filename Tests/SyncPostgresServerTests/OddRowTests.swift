#if Server
    import Foundation
    import SyncCore
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Rows, keys and constraints that are legal, and that no schema would come up with.
        @Suite struct OddRows {
            private static let fields = """
                "id": { "type": "string" }, "text": { "type": "string" }, "folder": { "type": "string" },
                "updatedAt": { "type": "string", "format": "date-time" }
                """

            private static func schemas(
                fields: String = fields,
                sync: String = #", "updated": "updatedAt""#
            ) throws -> [Schema] {
                try UserDatabase.schemas([
                    "note": """
                    {
                      "title": "Note", "type": "object", "properties": { \(fields) }, "required": ["id"],
                      "sync": {
                        "key": "id", "strategy": "last-write-wins"\(sync),
                        "sql": { "table": "notes", "owner": "owner_id" }
                      }
                    }
                    """
                ])
            }

            private static func table(key: String = "text", more: String = "") -> String {
                """
                create table public.notes (
                  id \(key), owner_id uuid not null default auth.uid(), text text, folder text, updated_at timestamptz\(more),
                  primary key (owner_id, id)
                );
                grant all on public.notes to authenticated;
                """
            }

            private static func run(
                table: String,
                schemas: [Schema]? = nil,
                _ body: (UserDatabase, DatabaseDevice) async throws -> Void
            ) async throws {
                let schemas = try schemas ?? Self.schemas()
                try await UserDatabase.run { database in
                    try await database.sql(table)
                    try await database.apply(schemas, isExisting: true)
                    try await body(database, database.device(1, entities: "note"))
                }
            }

            private static let ada = UserDatabase.ada.id
            private static let eve = UserDatabase.eve.id

            @Test(arguments: ["infinity", "-infinity", "294276-01-01", "4713-01-01 BC"])
            func aTimeOfTheLastChangeThatIsNoneStopsNobody(time: String) async throws {
                try await Self.run(table: Self.table()) { database, phone in
                    try await database.sql(
                        "insert into public.notes (id, owner_id, updated_at) values ('odd', '\(Self.ada)', '\(time)')"
                    )
                    try await database.sql(
                        "insert into public.notes (id, owner_id) values ('even', '\(Self.ada)')"
                    )
                    #expect(try await phone.pull().contains("even"))
                    try await database.sql("update public.notes set text = 'more'")
                    #expect(try await phone.pull().contains("even"))
                }
            }

            @Test(arguments: ["de-x-icu", "POSIX", "C"])
            func aKeyOfAnyCollationIsRead(collation: String) async throws {
                let table = Self.table(key: #"text collate "\#(collation)""#)
                try await Self.run(table: table) { database, phone in
                    try await database.sql(
                        "insert into public.notes (id, owner_id) values ('ä', '\(Self.ada)')"
                    )
                    let seen = try #require(await phone.changes().last)
                    let edit = phone.change(
                        entity: "note",
                        key: "ä",
                        body: #"{"id":"ä","text":"mine"}"#,
                        on: seen
                    )
                    let answer = try await phone.send(phone.request(changes: [edit]))
                    #expect(answer.outcomes == ["accepted"])
                    #expect(try await database.sql("select text from public.notes") == "mine")
                }
            }

            @Test func aKeyAsLongAsTheTableTakesIsReadUnderPoliciesOfYourOwn() async throws {
                let policy = "create policy mine on public.notes for select using (owner_id = auth.uid())"
                try await Self.run(table: Self.table()) { database, phone in
                    try await database.sql(policy)
                    let key =
                        "left((select string_agg(md5(i::text), '') from generate_series(1, 100) as i), 2670)"
                    try await database.sql(
                        "insert into public.notes (id, owner_id) values (\(key), '\(Self.ada)'), ('short', '\(Self.ada)')"
                    )
                    #expect(try await phone.pull().count == 2)
                }
            }

            /// Policies show Ada two records with one key.
            @Test func ofTwoOwnersRecordsWithOneKeyADeviceHasItsOwn() async throws {
                let policy = """
                    create policy team on public.notes for select to authenticated using (text like 'shared%' or owner_id = auth.uid());
                    create policy edit on public.notes for update to authenticated using (text like 'shared%' or owner_id = auth.uid())
                    """
                try await Self.run(table: Self.table()) { database, phone in
                    try await database.sql(policy)
                    func push(_ device: DatabaseDevice, _ text: String, on seen: SyncCore.Change? = nil)
                        async throws
                    {
                        let body = #"{"id":"inbox","text":"\#(text)"}"#
                        let change = device.change(entity: "note", key: "inbox", body: body, on: seen)
                        let answer = try await device.send(device.request(changes: [change]))
                        #expect(answer.outcomes == ["accepted"])
                    }
                    let hers = try database.device(2, of: UserDatabase.eve, entities: "note")
                    try await push(phone, "of Ada")
                    try await push(hers, "of Eve")
                    #expect(try await phone.pull() == [])
                    try await database.sql(
                        "update public.notes set text = 'shared by Eve' where owner_id = '\(Self.eve)'"
                    )
                    #expect(try await phone.pull() == [], "she has one of this key")
                    let tablet = try database.device(3, entities: "note")
                    let seen = try #require(await tablet.changes().last)
                    #expect(String(decoding: seen.body, as: UTF8.self).contains("of Ada"))
                    try await push(tablet, "again of Ada", on: seen)
                    let rows = try await database.sql(
                        "select string_agg(text, ', ' order by text) from public.notes"
                    )
                    #expect(rows == "again of Ada, shared by Eve")
                }
            }

            @Test func whoPushesOntoADeletedRecordThatHeNeverSawIsNotToldWhenItWas() async throws {
                let policy =
                    "create policy open on public.notes as restrictive for select to authenticated using (text <> 'secret')"
                try await Self.run(table: Self.table()) { database, phone in
                    try await database.sql(policy)
                    try await database.sql("insert into public.notes values ('k', '\(Self.ada)', 'secret')")
                    let seen = try await phone.pull()
                    #expect(seen.isEmpty)
                    for event in ["select 1", "delete from public.notes"] {
                        try await database.sql(event)
                        let change = phone.change(
                            entity: "note",
                            key: "k",
                            body: #"{"id":"k","text":"mine"}"#
                        )
                        let answer = try await phone.send(phone.request(changes: [change]))
                        // One that he never saw while it lived is none.
                        #expect(answer.outcomes == [event == "select 1" ? "row-level-security" : "accepted"])
                    }
                }
            }

            @Test func anElementThatAProgramPutsIntoASetThatWasNullSurvivesEditsOfOtherFields() async throws {
                let schemas = try Self.schemas(
                    fields: Self.fields
                        + #", "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "sync": { "merge": "union" } }"#
                )
                try await Self.run(table: Self.table(more: ", tags jsonb"), schemas: schemas) {
                    database,
                    phone in
                    let new = phone.change(entity: "note", key: "k", body: #"{"id":"k","text":"one"}"#)
                    try await phone.send(phone.request(changes: [new]))
                    try await database.sql(#"update public.notes set tags = '["of the web"]'"#)
                    let change = try #require(try await phone.changes().last)
                    let elements = change.metadata?.detail?.elements["tags"]
                    #expect(elements?.count == 1, "an element without a mark of its own counts as removed")
                }
            }

            @Test func aRecordThatATriggerDeletesWhenItIsPushedIsATombstone() async throws {
                let schemas = try Self.schemas(
                    fields: Self.fields + #", "gone": { "type": "boolean" }"#,
                    sync: #", "updated": "updatedAt", "deleted": "gone""#
                )
                try await Self.run(table: Self.table(more: ", gone boolean"), schemas: schemas) {
                    database,
                    phone in
                    try await database.sql(
                        """
                        create function public.archive() returns trigger language plpgsql as $$
                        begin
                          new.gone := new.gone or new.text = 'archive';
                          return new;
                        end
                        $$;
                        create trigger archive before insert or update on public.notes
                          for each row execute function public.archive();
                        """
                    )
                    let changes = ["archive", "keep"].map {
                        phone.change(entity: "note", key: $0, body: #"{"id":"\#($0)","text":"\#($0)"}"#)
                    }
                    let answer = try await phone.send(phone.request(changes: changes))
                    #expect(answer.outcomes == ["accepted", "accepted"])
                    // The result itself shows what became of the record.
                    let stored = answer.results.compactMap { result in
                        if case .accepted(_, let stored?) = result { stored } else { nil }
                    }
                    let news = try await stored + answer.changes + phone.changes()
                    #expect(news.map(\.key.text) == ["archive"] && news.allSatisfy(\.isDeleted))
                    let tablet = try database.device(2, entities: "note")
                    #expect(try await tablet.pull().sorted() == ["-archive", "keep"])
                }
            }

            @Test func whatAPolicyShowedLeavesTheDeviceAfterTheLastPolicyWent() async throws {
                try await Self.run(table: Self.table()) { database, phone in
                    try await database.sql("create policy all_read on public.notes for select using (true)")
                    try await database.sql(
                        "insert into public.notes (id, owner_id) values ('hers', '\(Self.eve)')"
                    )
                    #expect(try await phone.pull() == ["hers"])
                    try await database.sql("drop policy all_read on public.notes")
                    // As after a day.
                    try await database.sql(
                        "update entitysync.viewer set compared_at = now() - interval '2 days'"
                    )
                    let gone = try await phone.changes()
                    #expect(gone.map(\.header.kind) == [.outOfScope])
                }
            }

            @Test func anEditOfOneOfManyColumnsLeavesTheOthersAsTheyAre() async throws {
                let names = (0..<70).map { "c\($0)" }
                let fields = names.map { #""\#($0)": { "type": "string", "format": "date" }"# }
                let schemas = try Self.schemas(
                    fields: (#""id": { "type": "string" }"# + "," + fields.joined(separator: ",")),
                    sync: ""
                )
                let columns = names.map { ", \($0) date" }.joined()
                try await Self.run(table: Self.table(more: columns), schemas: schemas) { database, phone in
                    try await database.sql(
                        """
                        insert into public.notes (id, owner_id, c3, c66, c67)
                        select k, '\(Self.ada)', 'infinity', 'infinity', '2024-01-01' from unnest(array['a', 'b']) as k
                        """
                    )
                    for keys in [["a"], ["a", "b"]] {
                        let seen = try await database.device(UInt64(keys.count + 1), entities: "note")
                            .changes()
                        let edits = keys.map { key in
                            phone.change(
                                entity: "note",
                                key: key,
                                body: #"{"id":"\#(key)","c67":"2025-0\#(keys.count)-01"}"#,
                                on: seen.last { $0.key.text == key }
                            )
                        }
                        let answer = try await phone.send(phone.request(changes: edits))
                        #expect(answer.outcomes.allSatisfy { $0 == "accepted" })
                    }
                    let rows = try await database.sql("select distinct c3, c66, c67 from public.notes")
                    #expect(rows == "infinity|infinity|2025-02-01")
                }
            }

            @Test func aConstraintThatWaitsForTheEndOfTheTransactionRefusesItsRecordAlone() async throws {
                let table =
                    "create table public.folders (name text primary key); insert into public.folders values ('there');"
                    + Self.table()
                        + """
                        alter table public.notes add constraint notes_folder foreign key (folder) references public.folders
                          deferrable initially deferred
                        """
                try await Self.run(table: table) { _, phone in
                    let changes = ["there", "nowhere", "there"].enumerated().map { index, folder in
                        phone.change(
                            entity: "note",
                            key: "\(index)",
                            body: #"{"id":"\#(index)","folder":"\#(folder)"}"#
                        )
                    }
                    let outcomes = try await phone.send(phone.request(changes: changes)).outcomes
                    #expect(outcomes == ["accepted", "reference", "accepted"])
                }
            }

            @Test func triggersAndPoliciesFindWhatTheyFindForPostgREST() async throws {
                let table =
                    Self.table() + """
                        create table public.audit (what text);
                        grant all on public.audit to authenticated, entitysync;
                        create function public.note_it() returns trigger language plpgsql as
                          'begin insert into audit values (tg_op); return null; end';
                        create trigger note_it after insert on public.notes for each row execute function note_it();
                        create function public.may_read(text) returns boolean language sql stable as
                          'select exists (select from audit) or $1 is null';
                        """
                try await Self.run(table: table) { database, phone in
                    try await database.sql(
                        "create policy helped on public.notes for select using (may_read(text))"
                    )
                    let change = phone.change(entity: "note", key: "a", body: #"{"id":"a","text":"x"}"#)
                    let outcomes = try await phone.send(phone.request(changes: [change])).outcomes
                    #expect(outcomes == ["accepted"])
                    #expect(try await database.device(2, entities: "note").pull() == ["a"])
                }
            }
        }
    }
#endif
