#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncRuntime
    import Testing

    extension SupabaseTests {
        /// A phone, a laptop, a web app and an edge function work on the same records of one user.
        @Suite struct Stories {
            @Test func everybodyWritesAndNothingIsLost() async throws {
                try await SupabaseProject.run { project in
                    let story = try await FamilyStory(project)
                    try await story.writeOffline()
                    try await story.tagFromAllSides()
                    try await story.editTheSameNote()
                    try await story.deleteFromTheWebAndUndelete()
                    try await story.softDeleteAndRestore()
                    try await story.checkThatAllShowTheSame()
                    try await story.checkThatAStrangerSeesNothing()
                }
            }
        }
    }

    /// The acts of the story, in their order. The devices are offline except while they sync.
    private final class FamilyStory {
        private let project: SupabaseProject
        private let phone: SupabaseDevice
        private let laptop: SupabaseDevice
        /// A web app: plain SQL as the user, under the policies.
        private let web: SQLConnection
        /// An edge function: plain SQL for everybody.
        private let edge: SQLConnection

        init(_ project: SupabaseProject) async throws {
            self.project = project
            phone = try SupabaseDevice(project, seed: 1)
            laptop = try SupabaseDevice(project, seed: 2)
            web = try await project.session(.ada)
            edge = try await project.session(nil, role: "service_role")
        }

        /// Syncs both devices until neither has news.
        private func syncAll() async throws {
            for _ in 0..<3 {
                try await phone.syncToRest()
                try await laptop.syncToRest()
            }
        }

        private func notes(_ number: Int) async throws -> String? {
            try await web.value("select notes from public.bookmarks where id = $1", Body.key(number))
        }

        func writeOffline() async throws {
            try phone.putBookmark(key: Body.key(1), verse: 1, notes: "one", tags: ["red"])
            try phone.putBookmark(key: Body.key(2), verse: 2, notes: "two")
            try laptop.putBookmark(key: Body.key(3), verse: 3, notes: "three")
            try await web.run(Body.insertBookmark(4, notes: "four"))
            for owner in [User.ada, .eve] {
                try await edge.run(
                    """
                    insert into public.projects (owner_id, id, company_id, title, status)
                    values ($1, 'p', 'c', 'of the edge function', 'rfq')
                    """,
                    owner.id
                )
            }
            try await syncAll()
            #expect(try phone.export("bookmark").count == 4 && phone.export("project").count == 1)
            #expect(try laptop.export("bookmark") == phone.export("bookmark"))
            #expect(try await web.value("select count(*) from public.bookmarks") == "4")
        }

        func tagFromAllSides() async throws {
            try phone.put("bookmark", json: #"{"id":"\#(Body.key(1))","tags":["red","phone"]}"#)
            try laptop.put("bookmark", json: #"{"id":"\#(Body.key(1))","tags":["red","laptop"]}"#)
            let add = "update public.bookmarks set tags = tags || $2::jsonb where id = $1"
            try await web.run(add, Body.key(1), #"["web"]"#)
            try await edge.run("\(add) and owner_id = $3", Body.key(1), #"["edge"]"#, User.ada.id)
            try await syncAll()
            let tags = try await web.value(
                """
                select string_agg(t, ' ' order by t) from public.bookmarks, jsonb_array_elements_text(tags) as t
                where id = $1
                """,
                Body.key(1)
            )
            #expect(tags == "edge laptop phone red web")
            #expect(try phone.keys("bookmark", in: .conflict).isEmpty)
        }

        func editTheSameNote() async throws {
            try phone.put("bookmark", json: #"{"id":"\#(Body.key(2))","notes":"of the phone"}"#)
            try await web.run("update public.bookmarks set notes = 'of the web' where id = $1", Body.key(2))
            try await syncAll()
            #expect(try phone.keys("bookmark", in: .conflict) == [Body.key(2)])
            #expect(
                try phone.notes(key: Body.key(2)) == "of the phone",
                "nobody's words are overwritten unseen"
            )
            #expect(try laptop.notes(key: Body.key(2)) == "of the web")
            #expect(try await notes(2) == "of the web")
            try phone.resolve("bookmark", key: Body.key(2), with: .local)
            try await syncAll()
            #expect(try await notes(2) == "of the phone")
            #expect(try laptop.notes(key: Body.key(2)) == "of the phone")
        }

        func deleteFromTheWebAndUndelete() async throws {
            try laptop.put("bookmark", json: #"{"id":"\#(Body.key(3))","notes":"still needed"}"#)
            try await web.run(
                "delete from public.bookmarks where id = any (array[$1, $2]::uuid[])",
                Body.key(3),
                Body.key(4)
            )
            try await phone.syncToRest()
            #expect(try phone.local("bookmark", key: Body.key(4))?.visibility != .live)
            try await syncAll()
            #expect(try laptop.notes(key: Body.key(3)) == "still needed", "an edit is not deleted unseen")
            if try laptop.keys("bookmark", in: .conflict).contains(Body.key(3)) {
                try laptop.resolve("bookmark", key: Body.key(3), with: .local)
            }
            // The web app puts the other one back under the same key.
            try await web.run(Body.insertBookmark(4, notes: "four again"))
            try await syncAll()
            #expect(try await notes(3) == "still needed")
            for device in [phone, laptop] {
                #expect(try device.notes(key: Body.key(3)) == "still needed")
                #expect(try device.notes(key: Body.key(4)) == "four again")
            }
        }

        func softDeleteAndRestore() async throws {
            try await edge.run(
                "update public.projects set deleted_at = now() where owner_id = $1",
                User.ada.id
            )
            try await syncAll()
            #expect(try phone.export("project").isEmpty && laptop.export("project").isEmpty)
            try await edge.run(
                "update public.projects set deleted_at = null where owner_id = $1",
                User.ada.id
            )
            try await syncAll()
            #expect(try phone.text("project", key: "p", field: "title") == "of the edge function")
            try phone.delete("project", key: "p")
            try await syncAll()
            #expect(try laptop.export("project").isEmpty)
            #expect(
                try await web.value("select count(*) from public.projects where deleted_at is null") == "0"
            )
        }

        func checkThatAllShowTheSame() async throws {
            for entity in ["bookmark", "project", "read-status", "transaction"] {
                #expect(try phone.export(entity) == laptop.export(entity))
                for device in [phone, laptop] {
                    #expect(try device.keys(entity, in: .pending).isEmpty)
                    #expect(try device.keys(entity, in: .conflict).isEmpty)
                }
            }
            let rows = try await web.run("select id, notes from public.bookmarks order by id")
            #expect(
                rows == [
                    [Body.key(1), "one"], [Body.key(2), "of the phone"], [Body.key(3), "still needed"],
                    [Body.key(4), "four again"],
                ]
            )
        }

        func checkThatAStrangerSeesNothing() async throws {
            let eve = try await project.session(.eve)
            #expect(try await eve.value("select count(*) from public.bookmarks") == "0")
            let tablet = try SupabaseDevice(project, user: .eve, seed: 3)
            try await tablet.syncToRest()
            #expect(try tablet.export("bookmark").isEmpty && tablet.export("project").count == 1)
            let open = "select count(*) from pg_tables where schemaname = 'public' and not rowsecurity"
            #expect(try await project.admin.value(open) == "0")
        }
    }
#endif
