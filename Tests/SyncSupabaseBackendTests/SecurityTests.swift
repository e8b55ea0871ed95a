#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// Nobody learns or changes anything of another account.
        @Suite struct Security {
            /// A text that only Ada's records hold.
            private static let secret = "only for Ada"

            /// A project in which Ada has a bookmark, a tombstone and a device. `body` gets that device.
            private func withAda(
                _ body: (SupabaseProject, WireDevice, _ version: JSONTree) async throws -> Void
            ) async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let body1 = Body.bookmark(1, notes: Self.secret)
                    _ = try await phone.push(
                        phone.change("bookmark", key: Body.key(1), body: body1),
                        phone.change("project", key: "p", body: Body.project("p", title: Self.secret))
                    )
                    try await project.session(.ada).run("delete from public.projects")
                    let version = try await WireDevice(project, number: 9, entities: ["bookmark"]).pullOne()
                    try await body(project, phone, version)
                }
            }

            /// All of Ada's, as the superuser sees it.
            private func adas(_ project: SupabaseProject) async throws -> [[String?]] {
                try await project.admin.run(
                    """
                    select to_jsonb(s)::text from entitysync.state as s where space = $1
                    union all select to_jsonb(d)::text from entitysync.device as d where space = $1
                    union all select to_jsonb(b)::text from public.bookmarks as b where owner_id = $1
                    order by 1
                    """,
                    User.ada.id
                )
            }

            @Test(arguments: ["select", "count", "filter", "aggregate"])
            func aSelectOfAnotherUserFindsNothing(kind: String) async throws {
                try await withAda { project, _, version in
                    let eve = try await project.session(.eve)
                    for table in [
                        "public.bookmarks", "public.projects", "entitysync.state", "entitysync.device",
                        "entitysync.space",
                    ] {
                        let statement =
                            switch kind {
                            case "select": "select t::text from \(table) as t limit 1"
                            case "count": "select nullif(count(*), 0) from \(table)"
                            case "filter":
                                "select t::text from \(table) as t where t::text like '%\(Self.secret)%' or true"
                            default: "select string_agg(t::text, '') from \(table) as t"
                            }
                        #expect(try await eve.value(statement) == nil, "\(table)")
                    }
                }
            }

            @Test func privateTablesAreClosedToEverybody() async throws {
                try await withAda { project, _, _ in
                    for role in ["anon", "authenticated", "service_role"] {
                        let session = try await project.session(role == "anon" ? nil : .eve, role: role)
                        for table in ["installation", "scratch", "fingerprint"] {
                            await expectNoRight(session, "select * from entitysync.\(table)")
                        }
                        for table in ["state", "device", "space", "fingerprint", "installation", "scratch"] {
                            await expectNoRight(session, "delete from entitysync.\(table)")
                            await expectNoRight(session, "truncate entitysync.\(table)")
                        }
                        await expectNoRight(session, "update entitysync.state set body = '{}'")
                        await expectNoRight(
                            session,
                            "insert into entitysync.space (id) values (gen_random_uuid())"
                        )
                        await expectNoRight(session, "select last_value from entitysync.numbers")
                        await expectNoRight(session, "select nextval('entitysync.numbers')")
                        if role != "authenticated" {
                            await expectNoRight(session, "select * from entitysync.state")
                        }
                    }
                    let anon = try await project.session(nil, role: "anon")
                    await expectNoRight(anon, "select * from public.bookmarks")
                    await expectNoRight(anon, "select public.entitysync_exchange('{}')")
                    let edge = try await project.session(nil, role: "service_role")
                    await expectNoRight(edge, "select public.entitysync_exchange('{}')")
                }
            }

            private func expectNoRight(_ session: SQLConnection, _ statement: String) async {
                let error = await #expect(throws: SQLError.self, "\(statement)") {
                    try await session.run(statement)
                }
                #expect(error?.sqlstate == "42501", "\(statement): \(error?.message ?? "")")
            }

            @Test func writesOfAnotherUserChangeNothing() async throws {
                try await withAda { project, _, _ in
                    let before = try await adas(project)
                    let eve = try await project.session(.eve)
                    for statement in [
                        "update public.bookmarks set notes = 'stolen' returning 1",
                        "delete from public.bookmarks returning 1",
                        "update public.bookmarks set notes = 'stolen' where owner_id = '\(User.ada.id)' returning 1",
                        "update public.bookmarks set owner_id = '\(User.eve.id)' returning 1",
                    ] {
                        #expect(try await eve.run(statement).isEmpty, "\(statement)")
                    }
                    #expect(try await adas(project) == before)
                }
            }

            @Test func aForgedOwnerIsRefused() async throws {
                try await withAda { project, _, _ in
                    let before = try await adas(project)
                    let eve = try await project.session(.eve)
                    let forged = Body.insertBookmark(7).replacing("(id,", with: "(owner_id, id,")
                        .replacing("values (", with: "values ('\(User.ada.id)', ")
                    await expectNoRight(eve, forged)
                    // Upserts onto her key, with her as the owner.
                    await expectNoRight(
                        eve,
                        forged.replacing(Body.key(7), with: Body.key(1))
                            + " on conflict (owner_id, id) do update set notes = 'stolen'"
                    )
                    await expectNoRight(
                        eve,
                        forged.replacing(Body.key(7), with: Body.key(1)) + " on conflict do nothing"
                    )
                    try await eve.run(Body.insertBookmark(1, notes: "of Eve"))
                    await expectNoRight(eve, "update public.bookmarks set owner_id = '\(User.ada.id)'")
                    #expect(try await adas(project) == before)
                    let tablet = try await WireDevice(project, user: .eve, number: 2)
                    #expect(
                        try await tablet.pullOne()[body: "notes"]?.text == "of Eve",
                        "the same key is her own"
                    )
                }
            }

            @Test func aPushOntoAnothersKeyAndRevisionShowsNothing() async throws {
                try await withAda { project, _, version in
                    let before = try await adas(project)
                    let tablet = try await WireDevice(project, user: .eve, number: 2)
                    let body = Body.bookmark(1, notes: "of Eve")
                    let edit = tablet.change("bookmark", key: Body.key(1), body: body, on: version)
                    let result = try #require(try await tablet.push(edit).first)
                    #expect(result["status"]?.text == "conflict" && result["current"] == nil)
                    let owner = body.replacing("{\"id\"", with: #"{"owner_id":"\#(User.ada.id)","id""#)
                    _ = try await tablet.push(tablet.change("bookmark", key: Body.key(1), body: owner))
                    #expect(try await adas(project) == before)
                    let bodies = try await tablet.pull()
                    #expect(bodies.allSatisfy { $0[body: "notes"]?.text == "of Eve" })
                }
            }

            @Test func aForgedOrStolenCursorShowsNothing() async throws {
                try await withAda { project, phone, _ in
                    let stolen = try #require(phone.cursor)
                    let tablet = try await WireDevice(project, user: .eve, number: 2)
                    tablet.cursor = stolen
                    await #expect(throws: WireDeviceError(code: "history-changed")) {
                        try await tablet.pull()
                    }
                    // Ada's cursor with the epoch and the serial of an own one.
                    tablet.cursor = nil
                    try await project.session(.eve).run(Body.insertBookmark(1, notes: "of Eve"))
                    _ = try await tablet.pull()
                    let own = try Self.decode(try #require(tablet.cursor))
                    for cursor in [
                        own.replacing(
                            #""seen":"#,
                            with: #""space":"\#(User.ada.id)","account":"\#(User.ada.id)","seen":"#
                        ),
                        Self.replacingSeen(of: own, with: "1:1:"),
                        Self.replacingSeen(of: own, with: "1:99999999999:"),
                    ] {
                        tablet.cursor = Self.encode(cursor)
                        let pulled = try await tablet.pull()
                        #expect(pulled.allSatisfy { $0[body: "notes"]?.text == "of Eve" }, "\(cursor)")
                    }
                    for cursor in [
                        "", "x", "e30", Self.encode("[]"), Self.encode(#"{"epoch":1}"#),
                        "'; drop table x; --",
                    ] {
                        tablet.cursor = cursor
                        await #expect(throws: WireDeviceError(code: "cursor-expired"), "\(cursor)") {
                            try await tablet.pull()
                        }
                    }
                }
            }

            private static func decode(_ cursor: String) throws -> String {
                var text = cursor.replacing("-", with: "+").replacing("_", with: "/")
                text += String(repeating: "=", count: (4 - text.count % 4) % 4)
                return String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self)
            }

            private static func encode(_ json: String) -> String {
                Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: "")
            }

            private static func replacingSeen(of cursor: String, with snapshot: String) -> String {
                cursor.replacing(/"[0-9]+:[0-9]+:[0-9,]*"/, with: "\"\(snapshot)\"")
            }

            @Test func anotherUsersErasureAndPurgeAreNotForUsers() async throws {
                try await withAda { project, _, _ in
                    let before = try await adas(project)
                    for role in ["anon", "authenticated", "service_role"] {
                        let session = try await project.session(role == "anon" ? nil : .eve, role: role)
                        for call in [
                            "purge('infinity')", "purge('infinity', '\(User.ada.id)')",
                            "erase('\(User.ada.id)')",
                            "empty('\(User.ada.id)')", "purge_older('{}', 0, null, 9)", "renumber()",
                            "bookmark_adopt()", "bookmark_compare()", "doctor()",
                            "open_scratch('\(User.ada.id)', '\(User.ada.id)')",
                            "remove_scratch('\(User.ada.id)')",
                            "note_edit('\(User.ada.id)', 'bookmark', 'k', null, null, true, null, null, null)",
                        ] {
                            await expectNoRight(session, "select entitysync.\(call)")
                        }
                    }
                    #expect(try await adas(project) == before)
                }
            }
        }
    }
#endif
