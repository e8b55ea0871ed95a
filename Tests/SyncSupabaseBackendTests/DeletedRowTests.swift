#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// What a program writes into the row of a record that is deleted.
        @Suite struct DeletedRows {
            private static let delete = "update public.projects set deleted_at = now()"
            private static let write = "update public.projects set title = 'of the web'"

            private static let project = #"{"id":"p","companyId":"c","title":"t","status":"rfq"}"#
            private static let again = #"{"id":"p","companyId":"c","title":"of the phone","status":"rfq"}"#

            private static let policy =
                "create policy mine on public.projects for select to authenticated using (owner_id = auth.uid())"

            /// Runs a test with a device that has synced the project, and a session of the web app.
            private static func run(
                policy: String? = nil,
                _ body: (SupabaseProject, SupabaseDevice, SQLConnection) async throws -> Void
            ) async throws {
                try await SupabaseProject.run { project in
                    if let policy { try await project.admin.script(policy) }
                    let phone = try SupabaseDevice(project, seed: 1)
                    try phone.put("project", json: Self.project)
                    try await phone.syncToRest()
                    try await body(project, phone, try await project.session(.ada))
                }
            }

            /// The titles that a device shows or has in its journal.
            private func titles(_ device: SupabaseDevice) throws -> [String] {
                let layout = try ShippedSchemas.entity("project").layout
                let lost = try device.journal().compactMap { entry -> String? in
                    guard
                        case .text(let text)? = layout.position(of: "title").flatMap({
                            entry.lost.record.values[$0]
                        })
                    else { return nil }
                    return text
                }
                return try [device.text("project", key: "p", field: "title")].compactMap { $0 } + lost
            }

            @Test(
                arguments: [[delete, write], [delete + ", title = 'of the web'"], [write, delete]],
                [false, true]
            )
            func areInTheJournalOfADeviceThatHadNotSeenThemAndBringsTheRecordBack(
                statements: [String],
                hasPolicy: Bool
            ) async throws {
                try await Self.run(policy: hasPolicy ? Self.policy : nil) { _, phone, web in
                    for statement in statements { try await web.run(statement) }
                    try phone.put("project", json: #"{"id":"p","title":"of the phone"}"#)
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the phone", "of the web"])
                    #expect(
                        try phone.journal().allSatisfy { !$0.lost.isDeleted },
                        "lists show the words, not a delete"
                    )
                    #expect(try await web.value("select title from public.projects") == "of the phone")
                }
            }

            /// Nobody says what the row had. Whoever brings the record back needs it.
            @Test(arguments: [false, true])
            func theLastValueOfARowThatIsGoneStaysOnDevices(hasPolicy: Bool) async throws {
                let policy =
                    "create policy mine on public.bookmarks for select to authenticated using (owner_id = auth.uid())"
                try await Self.run(policy: hasPolicy ? policy : nil) { _, phone, web in
                    let key = "b0000000-0000-4000-8000-000000000001"
                    try phone.putBookmark(key: key, notes: "precious")
                    try await phone.syncToRest()
                    try await web.run("delete from public.bookmarks")
                    try await phone.syncToRest()
                    let local = try #require(try phone.local("bookmark", key: key))
                    #expect(local.visibility == .deleted)
                    let position = try #require(
                        try ShippedSchemas.entity("bookmark").layout.position(of: "notes")
                    )
                    #expect(local.version.record.values[position] == .text("precious"))
                }
            }

            @Test func areInTheJournalOfADeviceThatKnewOfTheDeleteAlone() async throws {
                try await Self.run { project, phone, web in
                    try await web.run(Self.delete)
                    try await phone.syncToRest()
                    try await web.run(Self.write)
                    try phone.put("project", json: Self.again)
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the phone", "of the web"])
                }
            }

            @Test(arguments: [false, true])
            func areInTheJournalBeforeThePersonMakesTheRecordAnew(hasPolicy: Bool) async throws {
                try await Self.run(policy: hasPolicy ? Self.policy : nil) { _, phone, web in
                    try await web.run(Self.delete)
                    try await phone.syncToRest()
                    #expect(try phone.journal().isEmpty, "a delete alone loses nothing")
                    try await web.run(Self.write)
                    try await phone.syncToRest()
                    try phone.put("project", json: Self.again)
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the phone", "of the web"])
                    #expect(
                        try phone.journal().count == 1 && phone.journal().allSatisfy { !$0.lost.isDeleted }
                    )
                    #expect(try await web.value("select title from public.projects") == "of the phone")
                }
            }

            @Test(arguments: [false, true])
            func areInTheJournalOfWhoeverHearsOfThemWithTheDelete(hasPolicy: Bool) async throws {
                try await Self.run(policy: hasPolicy ? Self.policy : nil) { project, phone, web in
                    try await web.run(Self.delete)
                    try await web.run(Self.write)
                    let tablet = try SupabaseDevice(project, seed: 2)
                    for device in [tablet, phone] { try await device.syncToRest() }
                    try tablet.put("project", json: Self.again)
                    try await tablet.syncToRest()
                    #expect(try titles(tablet) == ["of the phone", "of the web"])
                    #expect(try titles(phone) == ["of the web"])
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the phone", "of the web"])
                }
            }

            @Test(arguments: [false, true])
            func areInTheJournalOfADeviceThatMakesTheRecordOfARowThatWasNeverAny(hasPolicy: Bool) async throws
            {
                try await Self.run(policy: hasPolicy ? Self.policy : nil) { project, phone, web in
                    try await web.run(
                        "insert into public.projects (id, company_id, title, status) values ('q', 'c', 'first', 'rfq')"
                    )
                    try await web.run(Self.delete)
                    try await web.run(Self.write)
                    try phone.put("project", json: Self.again.replacing(#""p""#, with: #""q""#))
                    try await phone.syncToRest()
                    #expect(try phone.text("project", key: "q", field: "title") == "of the phone")
                    #expect(try titles(phone).contains("of the web"))
                }
            }

            @Test(arguments: [[delete, write], [delete + ", title = 'of the web'"], [write, delete]])
            func areInTheJournalAlsoIfADeleteOfTheDeviceWaits(statements: [String]) async throws {
                try await Self.run { _, phone, web in
                    try phone.delete("project", key: "p")
                    for statement in statements { try await web.run(statement) }
                    try await phone.syncToRest()
                    try phone.put("project", json: Self.again)
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the phone", "of the web"])
                }
            }

            /// Who makes a record live again adds its elements anew, whatever a device did that knew of the deletion.
            @Test(arguments: [
                [
                    "delete from public.projects",
                    """
                    insert into public.projects (id, company_id, title, status, team_member_ids)
                    values ('p', 'c', 'of the web', 'rfq', '["bea"]')
                    """,
                ],
                [
                    "update public.projects set team_member_ids = '[\"bea\"]', deleted_at = now()",
                    "update public.projects set deleted_at = null, title = 'of the web'",
                ],
            ])
            func keepTheirElementsIfTheyComeBackBesideOneThatADeviceMakesAnew(statements: [String])
                async throws
            {
                try await Self.run { _, phone, web in
                    try await web.run(statements[0])
                    try await phone.syncToRest()
                    try phone.put("project", json: Self.again)
                    try await web.run(statements[1])
                    try await phone.syncToRest()
                    #expect(
                        try await web.value("select team_member_ids::text from public.projects")
                            == #"["bea"]"#
                    )
                    #expect(try Set(titles(phone)).isSuperset(of: ["of the phone", "of the web"]))
                }
            }

            /// Others have seen the edit, and a program has deleted the record since.
            @Test func ofTheLastVersionAreInTheJournalOfADeviceThatBringsTheRecordBack() async throws {
                try await Self.run { project, phone, web in
                    try await web.run(Self.write)
                    let tablet = try SupabaseDevice(project, seed: 2)
                    try await tablet.syncToRest()
                    try await web.run(Self.delete)
                    try await tablet.syncToRest()
                    #expect(try tablet.journal().isEmpty, "a delete alone loses nothing")
                    try phone.put("project", json: #"{"id":"p","title":"of the phone"}"#)
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the phone", "of the web"])
                }
            }

            @Test func areInTheJournalAlsoIfAPersonWroteThemByTheDelete() async throws {
                try await Self.run { _, phone, web in
                    try phone.put(
                        "project",
                        json: #"{"id":"p","title":"of the phone","deletedAt":"2026-01-01T00:00:00Z"}"#
                    )
                    try await web.run(Self.write)
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the web", "of the phone"])
                    #expect(try phone.journal().allSatisfy { !$0.lost.isDeleted })
                }
            }

            @Test func areNoLaterDelete() async throws {
                try await Self.run { project, phone, web in
                    try await web.run(Self.delete)
                    try phone.put("project", json: #"{"id":"p","title":"of the phone"}"#)
                    try await web.run(Self.write)
                    try await phone.syncToRest()
                    #expect(try titles(phone) == ["of the phone", "of the web"])
                    let tablet = try SupabaseDevice(project, seed: 2)
                    try await tablet.syncToRest()
                    #expect(try titles(tablet) == ["of the phone"])
                }
            }

            @Test func areNoEditIfTheyChangeNothing() async throws {
                try await Self.run { project, phone, web in
                    try await web.run(Self.delete)
                    try await phone.syncToRest()
                    let cursor = try await project.admin.value("select max(number) from entitysync.state")
                    try await web.run(Self.delete + ", title = title")
                    try await phone.syncToRest()
                    #expect(
                        try await project.admin.value("select max(number) from entitysync.state") == cursor
                    )
                }
            }
        }
    }
#endif
