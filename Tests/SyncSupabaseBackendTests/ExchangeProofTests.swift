#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// What one exchange promises, whatever came before it.
        @Suite struct Exchanges {
            @Test func anEditOfThePresentVersionIsStoredAndIsNoEcho() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    _ = try await phone.push(
                        phone.change("bookmark", key: Body.key(1), body: Body.bookmark(1))
                    )
                    let present = try await WireDevice(project, number: 9).pullOne()
                    let body = Body.bookmark(1, notes: "from the app")
                    let edit = phone.change("bookmark", key: Body.key(1), body: body, on: present)
                    let request = phone.request(changes: [edit])
                    let answer = try await phone.send(request)
                    #expect(answer["results"]?.elements.first?["status"]?.text == "accepted")
                    #expect(answer["changes"]?.elements.isEmpty == true, "the own edit is no news")
                    #expect(
                        try await project.admin.value("select notes from public.bookmarks") == "from the app"
                    )
                    #expect(
                        try await phone.send(request)["results"] == answer["results"],
                        "the same again is the same"
                    )
                    #expect(try await phone.pull().isEmpty)
                }
            }

            @Test func anEditOfAPastVersionIsAConflictThatCarriesThePresentOne() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    let past = try await phone.pullOne()
                    try await web.run("update public.bookmarks set notes = 'of the web'")
                    let body = Body.bookmark(1, notes: "of the phone")
                    let result = try #require(
                        try await phone.push(phone.change("bookmark", key: Body.key(1), body: body, on: past))
                            .first
                    )
                    #expect(result["status"]?.text == "conflict")
                    #expect(result["current"]?[body: "notes"]?.text == "of the web")
                    #expect(try await web.value("select notes from public.bookmarks") == "of the web")
                }
            }

            @Test(arguments: [#","x-far":1e200000"#, #","x-none":"\u0000""#])
            func whatPostgreSQLCannotReadIsRefusedAlone(members: String) async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let results = try await phone.push(
                        phone.change("bookmark", key: Body.key(1), body: Body.bookmark(1)),
                        phone.change(
                            "bookmark",
                            key: Body.key(2),
                            body: Body.bookmark(2, verse: "2", more: members)
                        ),
                        phone.change("bookmark", key: Body.key(3), body: Body.bookmark(3, verse: "3"))
                    )
                    #expect(results.map { $0["status"]?.text } == ["accepted", "refused", "accepted"])
                    #expect(results.dropFirst().first?["rule"]?.text == "json")
                }
            }

            @Test func anIdleExchangeWritesNothingAndKeepsItsCursor() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    try await project.session(.ada).run(Body.insertBookmark(1))
                    _ = try await phone.pull()
                    let cursor = phone.cursor
                    try await phone.connection.run("begin")
                    _ = try await phone.pull()
                    let xid = try await phone.connection.value("select pg_current_xact_id_if_assigned()")
                    try await phone.connection.run("commit")
                    #expect(xid == nil, "a transaction that writes has an id")
                    #expect(phone.cursor == cursor)
                }
            }

            @Test func aBadRecordIsRefusedAloneAndTheRestIsStored() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let bodies = [
                        Body.bookmark(1), Body.bookmark(2, notes: #"nul\u0000"#),
                        Body.bookmark(3).replacing(#""surah_number":2"#, with: #""surah_number":115"#),
                        Body.bookmark(4, verse: "2.5"), Body.bookmark(5),
                    ]
                    let changes = bodies.enumerated().map {
                        phone.change("bookmark", key: Body.key($0.offset + 1), body: $0.element)
                    }
                    let answer = try await phone.send(phone.request(changes: changes))
                    let statuses = answer["results"]?.elements.map { $0["status"]?.text }
                    #expect(statuses == ["accepted", "refused", "refused", "refused", "accepted"])
                    #expect(try await project.admin.value("select count(*) from public.bookmarks") == "2")
                    #expect(try await WireDevice(project, number: 2).pull().count == 2)
                }
            }

            @Test func aPurgedTombstoneExpiresOlderCursorsAndNoOthers() async throws {
                try await SupabaseProject.runAlone { project in
                    let (phone, laptop) = try await (
                        WireDevice(project, number: 1), WireDevice(project, number: 2)
                    )
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    try await web.run(Body.insertBookmark(2))
                    _ = try await phone.pull()
                    try await web.run("delete from public.bookmarks where id = $1", Body.key(1))
                    _ = try await laptop.pull()
                    let purge = "select entitysync.purge('infinity', $1)"
                    #expect(try await project.admin.value(purge, User.eve.id) == "0")
                    #expect(try await project.admin.value(purge, User.ada.id) == "1")
                    let expired = await #expect(throws: WireDeviceError.self) { try await phone.pull() }
                    #expect(expired?.code == "cursor-expired")
                    phone.cursor = nil
                    let answer = try await phone.send(phone.request())
                    #expect(answer["snapshot"] == .boolean(true), "so that the phone notices what is gone")
                    #expect(answer["changes"]?.elements.count == 1)
                    #expect(try await laptop.pull().isEmpty, "who had seen the tombstone goes on")
                }
            }

            @Test func aDatabasePutBackFromABackupIsNoticed() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    _ = try await phone.push(
                        phone.change("bookmark", key: Body.key(1), body: Body.bookmark(1))
                    )
                    let admin = project.admin
                    for table in ["state", "device", "space", "installation"] {
                        try await admin.run(
                            "create table public.backup_\(table) as table entitysync.\(table)"
                        )
                    }
                    _ = try await phone.push(
                        phone.change("bookmark", key: Body.key(2), body: Body.bookmark(2))
                    )
                    try await admin.run("truncate entitysync.state, entitysync.space cascade")
                    for table in ["space", "device", "state"] {
                        try await admin.run("insert into entitysync.\(table) table public.backup_\(table)")
                    }
                    let error = await #expect(throws: WireDeviceError.self) { try await phone.pull() }
                    #expect(error?.code == "history-changed")
                }
            }

            @Test func anUpgradeOfTheDatabaseKeepsCursors() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    _ = try await phone.pull()
                    try await project.admin.run("update entitysync.installation set cluster = 1")
                    #expect(try await phone.pull().isEmpty)
                    try await web.run(Body.insertBookmark(2))
                    #expect(try await phone.pull().count == 1)
                }
            }

            @Test func aDumpInANewClusterIsPulledAgainAndLosesNothing() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let web = try await project.session(.ada)
                    for number in 1...3 { try await web.run(Body.insertBookmark(number)) }
                    _ = try await phone.pull()
                    try await web.run("delete from public.bookmarks where id = $1", Body.key(3))
                    _ = try await phone.pull()
                    // As if the old cluster had counted far more transactions.
                    try await project.admin.run("update entitysync.state set xid = '99999999999'")
                    try await project.admin.run("update entitysync.installation set cluster = 1")
                    let error = await #expect(throws: WireDeviceError.self) { try await phone.pull() }
                    #expect(error?.code == "cursor-expired")
                    phone.cursor = nil
                    #expect(try await phone.pull().count == 3)
                    try await web.run(Body.insertBookmark(4))
                    #expect(try await phone.pull().count == 1)
                }
            }

            @Test func theSQLMayBeAppliedAgainOnLiveData() async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let web = try await project.session(.ada)
                    try await web.run(Body.insertBookmark(1))
                    _ = try await phone.pull()
                    try await project.applySQL()
                    #expect(try await phone.pull().isEmpty)
                    try await web.run("update public.bookmarks set notes = 'after'")
                    #expect(try await phone.pullOne()[body: "notes"]?.text == "after")
                }
            }
        }
    }
#endif
