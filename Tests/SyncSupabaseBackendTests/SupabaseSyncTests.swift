#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import SyncRuntime
    import Testing

    extension SupabaseTests {
        /// What a device and a project exchange, and what becomes of tokens.
        @Suite struct Sync {
            private let key = "00000000-0000-4000-8000-0000000000b1"

            @Test func aSyncWithNothingToDoIsExactlyOneRequest() async throws {
                try await SupabaseProject.run { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    try phone.putBookmark(key: key, notes: "mine")
                    try await phone.syncToRest()
                    let before = project.rest.requests.count
                    #expect(try await phone.sync().requests == 1)
                    let sent = project.rest.requests.dropFirst(before)
                    #expect(sent.map(\.method) == ["POST"])
                    #expect(sent.map(\.url) == [PostgRESTServer.url + "/rest/v1/rpc/entitysync_exchange"])
                }
            }

            @Test func postgRESTWithoutAGatewayIsFoundAndRemembered() async throws {
                var settings = PostgRESTServer.Settings()
                (settings.hasGateway, settings.isBefore13) = (false, true)
                try await SupabaseProject.run(settings: settings) { project in
                    let session = SessionSource(User.ada.token())
                    let phone = try SupabaseDevice(
                        backend: project.backend(session: session, key: "", restPath: nil),
                        session: session,
                        seed: 1
                    )
                    try phone.putBookmark(key: key, notes: "mine")
                    try await phone.syncToRest()
                    let before = project.rest.requests.count
                    try await phone.sync()
                    #expect(
                        project.rest.requests.dropFirst(before).map(\.url) == [
                            PostgRESTServer.url + "/rpc/entitysync_exchange"
                        ]
                    )
                    #expect(try await project.admin.value("select notes from bookmarks") == "mine")
                }
            }

            @Test(arguments: [true, false])
            func anExpiredTokenIsRefreshedOnceAndTheSyncGoesOn(isBefore13: Bool) async throws {
                var settings = PostgRESTServer.Settings()
                settings.isBefore13 = isBefore13
                try await SupabaseProject.run(settings: settings) { project in
                    let session = SessionSource(
                        User.ada.token(secondsLeft: -60),
                        then: [User.ada.token()]
                    )
                    let phone = try SupabaseDevice(
                        backend: project.backend(session: session),
                        session: session,
                        seed: 1
                    )
                    try phone.putBookmark(key: key, notes: "mine")
                    try await phone.syncToRest()
                    #expect(session.refreshes == 1)
                    #expect(try await project.admin.value("select notes from bookmarks") == "mine")
                }
            }

            @Test func anAccountWithoutAValidTokenIsPausedUntilThereIsOne() async throws {
                try await SupabaseProject.run { project in
                    let session = SessionSource(
                        User.ada.token(secondsLeft: -60),
                        then: [User.ada.token(secondsLeft: -30)]
                    )
                    let phone = try SupabaseDevice(
                        backend: project.backend(session: session),
                        session: session,
                        seed: 1
                    )
                    try phone.putBookmark(key: key, notes: "mine")
                    let error = try await phone.syncError()
                    #expect(error.kind == .notPermitted && error.retry == .afterSignIn)
                    #expect(project.rest.requests.count == 2)
                    // Paused: nothing is sent with a token that was refused.
                    #expect(try await phone.syncError().retry == .afterSignIn)
                    #expect(project.rest.requests.count == 2 && session.refreshes == 1)
                    #expect(try phone.keys("bookmark", in: .pending) == [key])
                    session.signIn(User.ada.token())
                    try await phone.syncToRest()
                    #expect(try await project.admin.value("select notes from bookmarks") == "mine")
                }
            }

            @Test func aLostAnswerIsAskedForAgainAndStoredOnce() async throws {
                try await SupabaseProject.run { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    for verse in 1...9 {
                        let key = "00000000-0000-4000-8000-00000000000\(verse)"
                        try phone.putBookmark(key: key, verse: verse, notes: "note \(verse)")
                    }
                    project.rest.setFault { number, _ in number % 2 == 0 ? .loseAnswer : nil }
                    try await phone.syncToRest()
                    project.rest.setFault(nil)
                    let counts = "select count(*) || ' ' || count(distinct number) from entitysync.state"
                    #expect(try await project.admin.value(counts) == "9 9")
                    #expect(try await project.admin.value("select count(*) from bookmarks") == "9")
                    #expect(try phone.keys("bookmark", in: .conflict).isEmpty)
                }
            }

            /// A unique index that the schema does not know: of an expression, and not for all rows.
            @Test func aClashWithAUniqueIndexNamesTheOtherRecordAndEndsAsSoonAsThatOneChanges() async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.run(
                        "create unique index one_note on public.bookmarks (owner_id, lower(notes)) where notes <> ''"
                    )
                    let laptop = try SupabaseDevice(project, seed: 1)
                    let phone = try SupabaseDevice(project, seed: 2)
                    let other = "00000000-0000-4000-8000-0000000000b2"
                    try laptop.putBookmark(key: other, notes: "Mercy")
                    try await laptop.syncToRest()
                    try phone.putBookmark(key: key, verse: 2, notes: "mercy")
                    #expect(try await phone.sync().outcome == .partial)
                    #expect(try await phone.sync().outcome == .partial)
                    let clash = try #require(phone.rejections().first)
                    #expect(clash.key.text == key && clash.code == "unique" && clash.other == other)
                    #expect(try phone.notes(key: key) == "mercy")
                    try laptop.putBookmark(key: other, notes: "Justice")
                    try await laptop.syncToRest()
                    try await phone.syncToRest()
                    #expect(try phone.rejections().isEmpty)
                    let notes = "select string_agg(notes, ' ' order by notes) from public.bookmarks"
                    #expect(try await project.admin.value(notes) == "Justice mercy")
                }
            }

            @Test func aClashWithARecordOfAnotherUserNamesNothing() async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.run("create unique index one_note on public.bookmarks (notes)")
                    let eve = try SupabaseDevice(project, user: .eve, seed: 1)
                    let phone = try SupabaseDevice(project, seed: 2)
                    try eve.putBookmark(key: "00000000-0000-4000-8000-0000000000e1", notes: "mercy")
                    try await eve.syncToRest()
                    try phone.putBookmark(key: key, notes: "mercy")
                    try await phone.sync()
                    let clash = try #require(phone.rejections().first)
                    #expect(clash.code == "unique" && clash.other == nil)
                }
            }

            @Test func anotherUserNeverMeetsTheStore() async throws {
                try await SupabaseProject.run { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    try phone.putBookmark(key: key, notes: "of Ada")
                    try await phone.syncToRest()
                    try phone.putBookmark(key: key, notes: "of Ada, offline")
                    let eves = "00000000-0000-4000-8000-0000000000e1"
                    let eve = try SupabaseDevice(project, user: .eve, seed: 2)
                    try eve.putBookmark(key: eves, notes: "of Eve")
                    try await eve.syncToRest()
                    phone.session.signIn(User.eve.token())
                    let error = try await phone.syncError()
                    #expect(error.kind == .wrongRemote)
                    #expect(try phone.export("bookmark").count == 1)
                    #expect(try phone.notes(key: key) == "of Ada, offline")
                    #expect(
                        try await project.admin.value(
                            "select string_agg(notes, ',') from bookmarks where owner_id = $1",
                            User.eve.id
                        ) == "of Eve"
                    )
                    phone.session.signIn(User.ada.token())
                    try await phone.syncToRest()
                    #expect(
                        try await project.admin.value(
                            "select string_agg(notes, ',') from bookmarks where owner_id = $1",
                            User.ada.id
                        ) == "of Ada, offline"
                    )
                }
            }
        }
    }
#endif
