#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// Whatever a program writes by plain SQL is a version like any other.
        @Suite struct ForeignWrites {
            /// Whether a vector includes all of another one.
            private func covers(_ vector: JSONTree?, other: JSONTree?, in project: SupabaseProject)
                async throws -> Bool
            {
                try await project.admin.value(
                    "select entitysync.covers($1, $2)",
                    vector?.text,
                    other?.text
                ) == "t"
            }

            @Test func anInsertIsPulledWithATimestampOfTheServer() async throws {
                try await SupabaseProject.run { project in
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    let pulled = try await WireDevice(project, number: 1).pullOne()
                    let author = try await project.admin.value(
                        "select entitysync.server_device($1)",
                        User.ada.id
                    )
                    #expect(pulled.author == author && pulled[body: "notes"]?.text == "n")
                    #expect(pulled[body: "tags"]?.elements.map(\.text) == ["x", "y"])
                }
            }

            @Test func anUpsertIsOneVersionOnTopOfWhatItReplaces() async throws {
                try await SupabaseProject.run { project in
                    let web = try await project.session(.ada)
                    let phone = try await WireDevice(project, number: 1)
                    let upsert =
                        Body.insertBookmark(1, notes: "upserted")
                        + " on conflict (owner_id, id) do update set notes = excluded.notes"
                    try await web.run(upsert.replacing("upserted", with: "first"))
                    let first = try await phone.pullOne()
                    try await web.run(upsert)
                    let second = try await phone.pullOne()
                    #expect(second[body: "notes"]?.text == "upserted")
                    #expect(try await covers(second["vector"], other: first["vector"], in: project))
                    #expect(first["vector"] != second["vector"])
                    try await web.run(upsert)
                    #expect(try await phone.pull().isEmpty, "an upsert that changes nothing is no edit")
                }
            }

            @Test func anEditOfOneColumnKeepsAllElse() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    let first = try await phone.pullOne()
                    let body = Body.bookmark(
                        1,
                        notes: "of the phone",
                        more: #","tags":["x","y"],"x-unknown":1.50,"x-deep":{"a":[1e2]}"#
                    )
                    #expect(
                        try await phone.push(
                            phone.change("bookmark", key: Body.key(1), body: body, on: first)
                        )
                        .first?["status"]?.text == "accepted"
                    )
                    let before = try await WireDevice(project, number: 9).pullOne()
                    try await web.run(#"update public.bookmarks set tags = '["y","z"]'"#)
                    let edited = try await phone.pullOne()
                    #expect(try await covers(edited["vector"], other: before["vector"], in: project))
                    let elements = edited["detail"]?["elements"]?["tags"]
                    #expect(elements?["\"z\""]?.elements.first == edited["mark"], "the added element is new")
                    #expect(elements?["\"y\""] == nil, "the kept element is not touched")
                    #expect(edited[body: "tags"]?.elements.map(\.text) == ["y", "z"])
                    #expect(edited["detail"]?["origin"] == before["mark"], "notes keep the phone's timestamp")
                    #expect(edited["detail"]?["units"] == nil)
                    #expect(edited[body: "notes"]?.text == "of the phone")
                    #expect(edited[body: "x-unknown"] == .number("1.50"), "unknown members stay, exactly")
                    #expect(
                        edited[body: "x-deep"]?["a"] == .array([.number("1e2")])
                            || edited[body: "x-deep"]?["a"] == .array([.number("100")])
                    )
                    let updated = "select updated_at > '2025-01-02' from public.bookmarks"
                    #expect(try await web.value(updated) == "t", "a forgotten updated_at is set")
                }
            }

            @Test func fieldsThatMergeByThemselvesGetTimestampsOfTheirOwn() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let body =
                        #"{"link":"https://a.example/1","is_read":false,"title":"t","feed":"f","read_at":null,"#
                        + #""created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z"}"#
                    let link = "https://a.example/1"
                    _ = try await phone.push(phone.change("read-status", key: link, body: body))
                    let before = try await WireDevice(project, number: 9).pullOne()
                    let web = try await project.session(.ada)
                    try await web.run("update public.read_statuses set is_read = true")
                    let edited = try await phone.pullOne()
                    let units = edited["detail"]?["units"]
                    #expect(units?["is_read"]?.elements.first?.elements.first == edited["mark"])
                    #expect(units?.members.map(\.name) == ["is_read"], "only what changed")
                    #expect(edited["detail"]?["origin"] == before["mark"])
                }
            }

            @Test func exactNumbersSurviveAnEditOfAnotherColumn() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let more = #","latitude":48.20849000,"longitude":1.637208e1"#
                    _ = try await phone.push(
                        phone.change("project", key: "p", body: Body.project("p", more: more))
                    )
                    let web = try await project.session(.ada)
                    let laptop = try await WireDevice(project, number: 2)
                    #expect(try await laptop.pullOne()[body: "latitude"] == .number("48.20849000"))
                    try await web.run("update public.projects set title = 'of the web'")
                    let edited = try await laptop.pullOne()
                    #expect(edited[body: "title"]?.text == "of the web")
                    #expect(edited[body: "latitude"] == .number("48.20849000"))
                }
            }

            @Test func anUpdateThatChangesNothingIsNoEdit() async throws {
                try await SupabaseProject.run { project in
                    let web = try await project.session(.ada)
                    let phone = try await WireDevice(project, number: 1)
                    try await web.run(Body.insertBookmark(1))
                    _ = try await phone.pull()
                    let cursor = phone.cursor
                    try await web.run("update public.bookmarks set notes = notes")
                    #expect(try await phone.pull().isEmpty)
                    #expect(phone.cursor == cursor)
                }
            }

            @Test func aDeleteLeavesATombstoneAndAnInsertAgainIsOnTopOfIt() async throws {
                try await SupabaseProject.run { project in
                    let web = try await project.session(.ada)
                    let phone = try await WireDevice(project, number: 1)
                    try await web.run(Body.insertBookmark(1))
                    _ = try await phone.pull()
                    try await web.run("delete from public.bookmarks")
                    let tombstone = try await phone.pullOne()
                    #expect(tombstone.isTombstone)
                    try await web.run(Body.insertBookmark(1, notes: "again"))
                    let again = try await phone.pullOne()
                    #expect(!again.isTombstone && again[body: "notes"]?.text == "again")
                    #expect(try await covers(again["vector"], other: tombstone["vector"], in: project))
                }
            }

            @Test func aSoftDeleteOfTheWebAppIsATombstoneAndItsRowStays() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    _ = try await phone.push(phone.change("project", key: "p", body: Body.project("p")))
                    let web = try await project.session(.ada)
                    try await web.run("update public.projects set deleted_at = now()")
                    #expect(try await phone.pullOne().isTombstone)
                    #expect(try await web.value("select count(*) from public.projects") == "1")
                    try await web.run("update public.projects set deleted_at = null")
                    #expect(try await !phone.pullOne().isTombstone, "clearing the column restores")
                }
            }

            @Test func aCascadeAndTriggersOfTheAppAreVersionsToo() async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(
                        """
                        alter table public.bookmarks add column project text,
                          add foreign key (owner_id, project) references public.projects on delete cascade;
                        create function public.welcome() returns trigger language plpgsql as $$
                        begin
                          insert into public.bookmarks (owner_id, user_id, surah_number, verse_number, notes, project)
                          values (new.owner_id, 'trigger', 1, 1, 'welcome', new.id);
                          return null;
                        end $$;
                        create trigger welcome after insert on public.projects for each row execute function public.welcome();
                        """
                    )
                    let phone = try await WireDevice(project, number: 1)
                    let create = phone.change("project", key: "p", body: Body.project("p"))
                    let answer = try await phone.send(phone.request(changes: [create]))
                    #expect(answer["results"]?.elements.first?["status"]?.text == "accepted")
                    let news = try await (answer["changes"]?.elements ?? []) + phone.pull()
                    #expect(news.map { $0["entity"]?.text } == ["bookmark"], "what the trigger made is news")
                    let laptop = try await WireDevice(project, number: 2)
                    let both = try await laptop.pull()
                    #expect(both.compactMap { $0["entity"]?.text }.sorted() == ["bookmark", "project"])
                    let web = try await project.session(.ada)
                    try await web.run("delete from public.projects")
                    let tombstones = try await laptop.pull()
                    #expect(tombstones.count == 2 && tombstones.allSatisfy(\.isTombstone))
                }
            }

            @Test func aCascadeOfADevicesOwnDeleteReachesThatDevice() async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(
                        """
                        alter table public.bookmarks add column link text,
                          add foreign key (owner_id, link) references public.read_statuses on delete cascade
                        """
                    )
                    let phone = try await WireDevice(project, number: 1)
                    let body =
                        #"{"link":"l","is_read":false,"title":"t","feed":"f","read_at":null,"#
                        + #""created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z"}"#
                    _ = try await phone.push(phone.change("read-status", key: "l", body: body))
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    try await web.run("update public.bookmarks set link = 'l'")
                    _ = try await phone.pull()
                    let parent = try await WireDevice(project, number: 9, entities: ["read-status"]).pullOne()
                    let delete = phone.change(
                        "read-status",
                        key: "l",
                        body: body,
                        on: parent,
                        isDeleted: true
                    )
                    let answer = try await phone.send(phone.request(changes: [delete]))
                    #expect(answer["results"]?.elements.first?["status"]?.text == "accepted")
                    let news = try await (answer["changes"]?.elements ?? []) + phone.pull()
                    #expect(news.map { $0["entity"]?.text } == ["bookmark"])
                    #expect(news.map(\.isTombstone) == [true])
                }
            }

            @Test func whatATriggerMakesOfAPushedRowIsToldToTheDevice() async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(
                        """
                        create function public.tidy() returns trigger language plpgsql as $$
                        begin new.notes := upper(new.notes); return new; end $$;
                        create trigger tidy before insert or update on public.bookmarks
                        for each row execute function public.tidy();
                        """
                    )
                    let phone = try await WireDevice(project, number: 1)
                    let sent = phone.change(
                        "bookmark",
                        key: Body.key(1),
                        body: Body.bookmark(1, notes: "loud")
                    )
                    let result = try #require(try await phone.push(sent).first)
                    #expect(result["status"]?.text == "accepted")
                    #expect(result["stored"]?[body: "notes"]?.text == "LOUD")
                    let laptop = try await WireDevice(project, number: 2)
                    #expect(try await laptop.pullOne()[body: "notes"]?.text == "LOUD")
                }
            }

            @Test func serviceRoleCopyReplicationAndTruncateAreInTheFeedOfTheOwner() async throws {
                try await SupabaseProject.run { project in
                    let values = "'\(User.eve.id)', 'x', 3, 3, now(), now())"
                    let insert = """
                        insert into public.bookmarks (owner_id, user_id, surah_number, verse_number, created_at, updated_at)
                        values (\(values)
                        """
                    let edge = try await project.session(nil, role: "service_role")
                    try await edge.run(insert)
                    let row = "\(User.eve.id)\tcopied\t4\t4\t2025-01-01\t2025-01-01"
                    try await project.psql(
                        """
                        copy public.bookmarks (owner_id, user_id, surah_number, verse_number, created_at, updated_at)
                        from program 'printf "\(row.replacing("\t", with: "\\t"))\\n"'
                        """
                    )
                    try await project.admin.run("set session_replication_role = replica")
                    try await project.admin.run(insert)
                    try await project.admin.run("set session_replication_role = origin")
                    let tablet = try await WireDevice(project, user: .eve, number: 2)
                    #expect(try await tablet.pull().count == 3)
                    try await project.admin.run("truncate public.bookmarks")
                    let tombstones = try await tablet.pull()
                    #expect(tombstones.count == 3 && tombstones.allSatisfy(\.isTombstone))
                    #expect(try await WireDevice(project, user: .ada, number: 1).pull().isEmpty)
                }
            }

            @Test func aTruncateThatReplicationAppliesLeavesTombstones() async throws {
                try await SupabaseProject.run { project in
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    let phone = try await WireDevice(project, number: 1)
                    _ = try await phone.pull()
                    try await project.admin.run("set session_replication_role = replica")
                    try await project.admin.run("truncate public.bookmarks")
                    #expect(try await phone.pull().map(\.isTombstone) == [true])
                }
            }

            @Test func rowsFromBeforeTheTriggersAreAdoptedOnce() async throws {
                try await SupabaseProject.run { project in
                    let table = "alter table public.bookmarks"
                    try await project.admin.run("\(table) disable trigger entitysync_inserted")
                    try await project.admin.run(
                        """
                        insert into public.bookmarks (owner_id, user_id, surah_number, verse_number, created_at, updated_at)
                        select $1, 'old', 1, i, now(), '2024-01-01' from generate_series(1, 200) as i
                        """,
                        User.ada.id
                    )
                    try await project.admin.run("\(table) enable trigger entitysync_inserted")
                    let phone = try await WireDevice(project, number: 1)
                    #expect(try await phone.pull().isEmpty)
                    let again = #"select entitysync.adopt_again('bookmark', '"public"."bookmarks"')"#
                    try await project.admin.run(again)
                    #expect(try await phone.pull().count == 200)
                    try await project.admin.run(again)
                    #expect(try await phone.pull().isEmpty)
                }
            }
        }
    }
#endif
