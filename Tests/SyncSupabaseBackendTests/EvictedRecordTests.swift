#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncRuntime
    import Testing

    extension SupabaseTests {
        /// Records that policies hide leave the device, and nothing else stops.
        @Suite struct EvictedRecords {
            private static let keys = (1...3).map { Body.key($0) }
            private static let policy = """
                alter table public.bookmarks add hidden boolean not null default false;
                create policy open on public.bookmarks as restrictive for select to authenticated using (not hidden);
                """

            private static func run(_ body: (SupabaseProject, SupabaseDevice) async throws -> Void)
                async throws
            {
                try await SupabaseProject.run { project in
                    try await project.admin.script(policy)
                    let phone = try SupabaseDevice(project, seed: 1)
                    for (index, key) in keys.enumerated() {
                        try phone.putBookmark(key: key, verse: index + 1, notes: "mine")
                    }
                    try await phone.syncToRest()
                    try await body(project, phone)
                }
            }

            private static func hide(_ isHidden: Bool, in project: SupabaseProject) async throws {
                try await project.admin.script(
                    "update public.bookmarks set hidden = \(isHidden) where id = '\(keys[0])'"
                )
            }

            @Test func aCleanOneLeavesAndComesBackWhole() async throws {
                try await Self.run { project, phone in
                    try await Self.hide(true, in: project)
                    try phone.putBookmark(key: Self.keys[1], verse: 2, notes: "later")
                    try await phone.syncToRest()
                    #expect(try phone.local("bookmark", key: Self.keys[0]) == nil)
                    #expect(try phone.notes(key: Self.keys[1]) == "later")
                    #expect(try phone.rejections().isEmpty && phone.journal().isEmpty)
                    try await Self.hide(false, in: project)
                    try await phone.syncToRest()
                    #expect(try phone.notes(key: Self.keys[0]) == "mine")
                    #expect(try phone.keys("bookmark", in: .synced).count == 3)
                }
            }

            @Test func oneWithAnEditStaysWithIt() async throws {
                try await Self.run { project, phone in
                    try await Self.hide(true, in: project)
                    try phone.putBookmark(key: Self.keys[0], verse: 1, notes: "unsent")
                    try phone.putBookmark(key: Self.keys[1], verse: 2, notes: "later")
                    try await phone.syncToRest()
                    #expect(try phone.notes(key: Self.keys[0]) == "unsent")
                    #expect(try phone.notes(key: Self.keys[1]) == "later")
                    #expect(try phone.rejections().map(\.key.text) == [Self.keys[0]])
                    let web = "select notes from public.bookmarks where id = '\(Self.keys[0])'"
                    #expect(try await project.admin.value(web) == "mine")
                    // Once it may be seen again, both sides are there to be decided about, or it is sent.
                    try await Self.hide(false, in: project)
                    try await phone.syncToRest()
                    #expect(try phone.notes(key: Self.keys[0]) == "unsent")
                }
            }

            @Test(arguments: [false, true])
            func oneThatIsMadeAnewUnseenIsNoEditOfWhatThereWas(writesTwice: Bool) async throws {
                try await Self.run { project, phone in
                    try await Self.hide(true, in: project)
                    try await phone.syncToRest()
                    try phone.putBookmark(key: Self.keys[0], verse: 1, notes: writesTwice ? "draft" : "anew")
                    if writesTwice { try phone.putBookmark(key: Self.keys[0], verse: 1, notes: "anew") }
                    try await Self.hide(false, in: project)
                    try await phone.syncToRest()
                    #expect(try phone.local("bookmark", key: Self.keys[0])?.state == .conflict)
                    #expect(try phone.notes(key: Self.keys[0]) == "anew")
                    let web = "select notes from public.bookmarks where id = '\(Self.keys[0])'"
                    #expect(try await project.admin.value(web) == "mine")
                }
            }

            @Test func oneWhoseRejectedEditIsGivenUpLeavesToo() async throws {
                try await Self.run { project, phone in
                    try await Self.hide(true, in: project)
                    try phone.putBookmark(key: Self.keys[0], verse: 1, notes: "unsent")
                    try await phone.syncToRest()
                    #expect(try phone.rejections().map(\.key.text) == [Self.keys[0]])
                    try phone.discard("bookmark", key: Self.keys[0])
                    try await phone.syncToRest()
                    #expect(try phone.local("bookmark", key: Self.keys[0]) == nil)
                    try await Self.hide(false, in: project)
                    try await phone.syncToRest()
                    #expect(try phone.notes(key: Self.keys[0]) == "mine")
                }
            }

            @Test func oneInConflictLeavesWhenItsDecisionIsGivenUp() async throws {
                try await Self.run { project, phone in
                    try phone.putBookmark(key: Self.keys[0], verse: 1, notes: "unsent")
                    try await project.admin.script(
                        "update public.bookmarks set notes = 'web' where id = '\(Self.keys[0])'"
                    )
                    try await phone.syncToRest()
                    #expect(try phone.local("bookmark", key: Self.keys[0])?.state == .conflict)
                    try await Self.hide(true, in: project)
                    try await phone.syncToRest()
                    try phone.resolve("bookmark", key: Self.keys[0], with: .local)
                    try await phone.syncToRest()
                    #expect(try phone.rejections().map(\.key.text) == [Self.keys[0]])
                    try phone.discard("bookmark", key: Self.keys[0])
                    try await phone.syncToRest()
                    #expect(try phone.local("bookmark", key: Self.keys[0]) == nil)
                }
            }

            @Test func oneThatCameBackStaysWhenALaterEditIsGivenUp() async throws {
                try await Self.run { project, phone in
                    try await project.admin.script("alter table public.bookmarks add check (notes <> 'no')")
                    try await Self.hide(true, in: project)
                    try phone.putBookmark(key: Self.keys[0], verse: 1, notes: "unsent")
                    try await phone.syncToRest()
                    try await Self.hide(false, in: project)
                    try await phone.syncToRest()
                    if try phone.local("bookmark", key: Self.keys[0])?.state == .conflict {
                        try phone.resolve("bookmark", key: Self.keys[0], with: .local)
                    }
                    try await phone.syncToRest()
                    let shown = try #require(try phone.notes(key: Self.keys[0]))
                    try phone.putBookmark(key: Self.keys[0], verse: 1, notes: "no")
                    try await phone.syncToRest()
                    #expect(try phone.rejections().map(\.key.text) == [Self.keys[0]])
                    try phone.discard("bookmark", key: Self.keys[0])
                    try await phone.syncToRest()
                    #expect(try phone.notes(key: Self.keys[0]) == shown)
                }
            }
        }
    }
#endif
