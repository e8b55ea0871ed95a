#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    /// Attacks of a user, Eve, on another user's records, and looks into the catalogue. Each returns what is open, as
    /// sentences; nothing if the database is safe.
    struct SecurityProbe {
        let project: SupabaseProject
        /// A text that only Ada's records hold.
        static let secret = "only for Ada"
        /// A name that only a fingerprint of Ada's device has.
        static let fingerprint = "only-of-ada"
        /// A device of Ada.
        let phone: WireDevice
        /// The version of Ada's bookmark, as her devices get it.
        let version: JSONTree

        /// Gives Ada a bookmark, a tombstone, and two devices that differ.
        init(_ project: SupabaseProject) async throws {
            self.project = project
            phone = try await WireDevice(project, number: 1)
            _ = try await phone.push(
                phone.change("bookmark", key: Body.key(1), body: Body.bookmark(1, notes: Self.secret)),
                phone.change("project", key: "p", body: Body.project("p", title: Self.secret))
            )
            try await project.session(.ada).run("delete from public.projects")
            let tablet = try await WireDevice(project, number: 9, entities: ["bookmark"])
            version = try await tablet.pullOne()
            for (device, digest) in [(phone.id, "one"), (tablet.id, "other")] {
                try await project.admin.run(
                    """
                    insert into entitysync.fingerprint (space, device, name, digest, seen)
                    values ($1, $2, '\(Self.fingerprint) all', $3, '1:99999999999:')
                    """,
                    User.ada.id,
                    device,
                    digest
                )
            }
        }

        /// All of Ada's, as the superuser sees it.
        func adas() async throws -> [[String?]] {
            try await project.admin.run(
                """
                select to_jsonb(s)::text from entitysync.state as s where space = $1
                union all select to_jsonb(d)::text from entitysync.device as d where space = $1
                union all select to_jsonb(f)::text from entitysync.fingerprint as f where space = $1
                union all select to_jsonb(b)::text from public.bookmarks as b where owner_id = $1
                order by 1
                """,
                User.ada.id
            )
        }

        /// Runs an attack, and tells if anything of Ada's is different afterwards.
        private func unchanged(by name: String, _ attack: () async throws -> [String]) async throws
            -> [String]
        {
            let before = try await adas()
            let findings = try await attack()
            return try await adas() == before ? findings : findings + ["\(name) changed what is Ada's."]
        }

        /// A finding if a statement is not refused for want of rights.
        private func allowed(_ session: SQLConnection, _ statement: String) async -> [String] {
            do {
                try await session.run(statement)
                return ["Allowed: \(statement)"]
            } catch let error as SQLError where error.sqlstate == "42501" {
                return []
            } catch { return ["Not refused, but failed: \(statement): \(error)"] }
        }

        /// Reads of tables.
        func reads() async throws -> [String] {
            let eve = try await project.session(.eve)
            var findings: [String] = []
            for table in ["public.bookmarks", "public.projects"] {
                for statement in [
                    "select t::text from \(table) as t limit 1", "select nullif(count(*), 0) from \(table)",
                    "select t::text from \(table) as t where t::text like '%\(Self.secret)%' or true",
                    "select string_agg(t::text, '') from \(table) as t",
                ] where try await eve.value(statement) != nil {
                    findings.append("Eve reads by: \(statement)")
                }
            }
            return findings
        }

        /// Tables that nobody reads or writes directly.
        func privateTables() async throws -> [String] {
            var findings: [String] = []
            for role in ["anon", "authenticated", "service_role"] {
                let session = try await project.session(role == "anon" ? nil : .eve, role: role)
                var statements: [String] = []
                for table in ["state", "device", "space", "fingerprint", "installation", "scratch", "purged"]
                {
                    statements += [
                        "select * from entitysync.\(table)", "delete from entitysync.\(table)",
                        "truncate entitysync.\(table)",
                    ]
                }
                statements += [
                    "update entitysync.state set body = '{}'",
                    "insert into entitysync.space (id) values (gen_random_uuid())",
                    "select last_value from entitysync.numbers", "select nextval('entitysync.numbers')",
                ]
                if role != "authenticated" {
                    statements.append("select public.entitysync_exchange('{}')")
                }
                if role == "anon" { statements.append("select * from public.bookmarks") }
                for statement in statements {
                    findings += await allowed(session, statement).map { "\(role): \($0)" }
                }
            }
            return try await findings + tableRights()
        }

        /// Writes of Eve to Ada's rows.
        func writes() async throws -> [String] {
            try await unchanged(by: "A write of Eve") {
                let eve = try await project.session(.eve)
                var findings: [String] = []
                // NB: a statement that returns or filters needs the right to read, too; one that does neither is only
                // held back by the policy of its own command.
                for statement in [
                    "update public.bookmarks set notes = 'stolen'", "delete from public.bookmarks",
                    "update public.bookmarks set owner_id = '\(User.eve.id)'",
                    "update public.bookmarks set notes = 'stolen' where owner_id = '\(User.ada.id)'",
                    "update public.bookmarks set owner_id = '\(User.eve.id)' where true",
                    "delete from public.bookmarks where owner_id = '\(User.ada.id)'",
                ] {
                    for ending in ["", " returning 1"] {
                        do {
                            let rows = try await eve.run(statement + ending)
                            if !rows.isEmpty { findings.append("Eve writes by: \(statement + ending)") }
                        } catch { findings.append("Eve reaches a row by: \(statement + ending): \(error)") }
                    }
                }
                return findings
            }
        }

        /// Rows of Eve with Ada as their owner; and Eve's own, which must be possible.
        func forgedOwners() async throws -> [String] {
            try await unchanged(by: "A forged owner") {
                let eve = try await project.session(.eve)
                let forged = Body.insertBookmark(7).replacing("(id,", with: "(owner_id, id,")
                    .replacing("values (", with: "values ('\(User.ada.id)', ")
                var findings = await allowed(eve, forged)
                // Upserts onto her key, with her as the owner.
                let onto = forged.replacing(Body.key(7), with: Body.key(1))
                findings += await allowed(
                    eve,
                    onto + " on conflict (owner_id, id) do update set notes = 'stolen'"
                )
                findings += await allowed(eve, onto + " on conflict do nothing")
                do { try await eve.run(Body.insertBookmark(1, notes: "of Eve")) } catch {
                    return findings + ["Eve cannot add a row of her own: \(error)"]
                }
                findings += await allowed(eve, "update public.bookmarks set owner_id = '\(User.ada.id)'")
                let owner = try await project.admin.value(
                    "select string_agg(owner_id::text, ' ') from public.bookmarks where notes = 'of Eve'"
                )
                if owner != User.eve.id { findings.append("Eve's row belongs to \(owner ?? "nobody").") }
                let tablet = try await WireDevice(project, user: .eve, number: 2)
                let bodies = try await tablet.pull()
                if bodies.map({ $0[body: "notes"]?.text }) != ["of Eve"] {
                    findings.append("Eve's device gets \(bodies.count) records in place of her own one.")
                }
                return findings
            }
        }

        /// Pushes onto Ada's key, revision and owner.
        func pushes() async throws -> [String] {
            try await unchanged(by: "A push of Eve") {
                let tablet = try await WireDevice(project, user: .eve, number: 3)
                let body = Body.bookmark(1, notes: "of Eve")
                let edit = tablet.change("bookmark", key: Body.key(1), body: body, on: version)
                let result = try await tablet.push(edit).first
                var findings: [String] = []
                if result?["status"]?.text != "conflict" || result?["current"] != nil {
                    findings.append(
                        "A push onto Ada's revision is answered: \(result?["status"]?.text ?? "")"
                    )
                }
                let owner = body.replacing("{\"id\"", with: #"{"owner_id":"\#(User.ada.id)","id""#)
                _ = try await tablet.push(tablet.change("bookmark", key: Body.key(1), body: owner))
                let bodies = try await tablet.pull()
                if bodies.contains(where: { $0[body: "notes"]?.text != "of Eve" }) {
                    findings.append("Eve's device gets a record that is not hers.")
                }
                return findings
            }
        }

        /// Ada's cursor in Eve's hands, and Eve's own with other contents.
        func cursors() async throws -> [String] {
            var findings: [String] = []
            let tablet = try await WireDevice(project, user: .eve, number: 4)
            func expect(_ code: String, cursor: String) async throws {
                tablet.cursor = cursor
                do {
                    findings.append("The cursor '\(cursor)' gives \(try await tablet.pull().count) records.")
                } catch let error as WireDeviceError where error.code == code {}
            }
            try await expect("history-changed", cursor: phone.cursor ?? "")
            // Ada's cursor with the epoch and the serial of an own one.
            tablet.cursor = nil
            try await project.session(.eve).run(Body.insertBookmark(2, notes: "of Eve"))
            _ = try await tablet.pull()
            let own = try SecurityCursor.decode(tablet.cursor ?? "")
            for cursor in [
                own.replacing(
                    #""seen":"#,
                    with: #""space":"\#(User.ada.id)","account":"\#(User.ada.id)","seen":"#
                ),
                SecurityCursor.replacingSeen(of: own, with: "1:1:"),
                SecurityCursor.replacingSeen(of: own, with: "1:99999999999:"),
            ] {
                tablet.cursor = SecurityCursor.encode(cursor)
                if try await tablet.pull().contains(where: { $0[body: "notes"]?.text != "of Eve" }) {
                    findings.append("The cursor '\(cursor)' gives a record that is not Eve's.")
                }
            }
            for cursor in [
                "", "x", "e30", SecurityCursor.encode("[]"), SecurityCursor.encode(#"{"epoch":1}"#),
                "'; drop table x; --",
            ] { try await expect("cursor-expired", cursor: cursor) }
            return findings
        }

        /// Functions for operators, called by users.
        func operatorFunctions() async throws -> [String] {
            try await unchanged(by: "A function for operators") {
                var findings: [String] = []
                for role in ["anon", "authenticated", "service_role"] {
                    let session = try await project.session(role == "anon" ? nil : .eve, role: role)
                    for call in [
                        "purge('infinity')", "purge('infinity', '\(User.ada.id)')", "erase('\(User.ada.id)')",
                        "empty('\(User.ada.id)')", "purge_older('{}', 0, null, 9)", "renumber()",
                        "bookmark_adopt('(0,0)', '(9,0)')", "adopt_rows('bookmark', '(0,0)', '(9,0)')",
                        "adopt_piece(9)", "adopt_again('bookmark', 'public.bookmarks')",
                        "run_in_moments('select 1')",
                        "ensure_table('bookmark', 'public.bookmarks', 'select 1')",
                        "bookmark_compare()", "doctor()",
                        "open_scratch('\(User.ada.id)', '\(User.ada.id)')",
                        "remove_scratch('\(User.ada.id)')",
                        "note_edit('\(User.ada.id)', 'bookmark', 'k', null, null, true, null, null, null)",
                    ] {
                        findings += await allowed(session, "select entitysync.\(call)").map {
                            "\(role): \($0)"
                        }
                    }
                }
                return findings
            }
        }
    }

    /// The text of a cursor.
    enum SecurityCursor {
        static func decode(_ cursor: String) throws -> String {
            var text = cursor.replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self)
        }

        static func encode(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }

        static func replacingSeen(of cursor: String, with snapshot: String) -> String {
            cursor.replacing(/"[0-9]+:[0-9]+:[0-9,]*"/, with: "\"\(snapshot)\"")
        }
    }
#endif
