#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore

    /// A table, and the columns that the worlds write. A field has the column's name in camel case.
    struct WorldTable {
        let entity: String
        let name: String
        /// The columns of free texts: each one that is written has a word that nobody else writes.
        let texts: [String]
        /// The column that says which team the record belongs to.
        let team: String
        /// A column of a few values, which a world may let only one row have.
        var choice: String?
        /// A column of a set, whose elements are words.
        var set: String?
        /// What a new record has besides, as JSON.
        var more: [String: String]
        var key = "id"
        var owner = "owner_id"

        var columns: [String] { texts + [team] + [choice, set].compactMap { $0 } }

        static func field(_ column: String) -> String {
            let words = column.split(separator: "_")
            return words.dropFirst().reduce(String(words[0])) { $0 + $1.capitalized }
        }

        static let all = [
            WorldTable(
                entity: "bookmark",
                name: "bookmarks",
                texts: ["notes", "verse_text"],
                team: "user_id",
                choice: "surah_name",
                set: "tags",
                more: ["surah_number": "1", "verse_number": "1"]
            ),
            WorldTable(
                entity: "project",
                name: "projects",
                texts: ["title", "notes"],
                team: "company_id",
                choice: "client_id",
                set: "team_member_ids",
                more: ["status": "\"rfq\""]
            ),
            WorldTable(
                entity: "read-status",
                name: "read_statuses",
                texts: ["title"],
                team: "feed",
                more: ["is_read": "false"],
                key: "link"
            ),
            WorldTable(
                entity: "transaction",
                name: "transactions",
                texts: ["payee", "note"],
                team: "owner_id",
                choice: "category",
                more: ["amount": "\"1\"", "currency": "\"EUR\"", "date": "\"2026-01-01\""],
                owner: "entitysync_owner_id"
            ),
        ]
    }

    /// The team's SQL, and what programs do.
    extension PolicyWorld {
        /// The team's own SQL.
        func settings() -> String {
            let ofEve = draw("red", "blue")
            var sql = """
                create table public.member (account uuid not null, team text not null);
                grant select on public.member to authenticated;
                insert into public.member values ('\(User.ada.id)', 'red'), ('\(User.eve.id)', '\(ofEve)');
                create or replace function entitysync.patience() returns interval language sql return interval '20 ms';
                """
            let piece = draw(20000, 20000, 2)
            sql +=
                "create or replace function entitysync.view_piece() returns integer language sql return \(piece);"
            let (trigger, isUnique) = (draw("", "", "cut", "refuse"), isDrawn(0.3))
            story.append(
                "\(policy), Eve is \(ofEve), pieces of \(piece), \(trigger) \(isUnique ? "unique" : "")"
            )
            for table in tables {
                let (name, text) = ("public.\(table.name)", table.texts[0])
                switch policy {
                case "hidden":
                    sql += """
                        alter table \(name) add hidden boolean not null default false;
                        create policy open on \(name) as restrictive for select to authenticated using (not hidden);
                        """
                case "secret":
                    sql += """
                        create policy open on \(name) as restrictive for select to authenticated
                        using (coalesce(\(text), '') not like 'secret%');
                        """
                case "team besides", "team alone":
                    for action in policy == "team alone" ? ["read", "add", "change", "remove"] : [] {
                        sql += "drop policy \"entitysync: \(action)\" on \(name);"
                    }
                    sql += """
                        create policy team on \(name) to authenticated using (
                          \(table.team) in (select team from public.member where account = (select auth.uid()))
                        );
                        """
                default: break
                }
                let refusal = "if new.\(text) like 'refuse%' then raise exception 'Not this one.'; end if;"
                if !trigger.isEmpty {
                    sql += """
                        create function public.judge_\(table.name)() returns trigger language plpgsql as $$
                        begin
                          \(trigger == "cut" ? "new.\(text) := left(new.\(text), 16);" : refusal)
                          return new;
                        end $$;
                        create trigger judge before insert or update on \(name)
                          for each row execute function public.judge_\(table.name)();
                        """
                }
                if isUnique, let choice = table.choice {
                    sql += "create unique index on \(name) (\(choice));"
                }
            }
            return sql
        }
        /// Runs a statement. Returns nothing if it is refused.
        private func run(_ statement: String, _ parameters: String..., on connection: SQLConnection)
            async throws
            -> [[String?]]
        {
            let isAdmin = connection === project.admin
            story.append("\(isAdmin ? "a program" : connection === holder ? "Ada's holder" : "a web app"): ")
            story[story.count - 1] += "\(statement) \(parameters)"
            do {
                let rows = try await connection.run(statement, parameters: parameters)
                story[story.count - 1] += " -> \(rows.count) rows"
                return rows
            } catch let error as SQLError {
                story[story.count - 1] += " -> \(error.message)"
                return []
            }
        }

        /// The texts of the rows with a key, by their owners.
        private func texts(of place: Place, column: String) async throws -> [String: String] {
            let table = place.table
            let statement =
                "select \(table.owner), \(column)::text from public.\(table.name) as t where \(table.key)::text = $1"
            let rows = try await project.admin.run(statement, place.key)
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] ?? "", $0[1] ?? "") })
        }

        func write(on web: SQLConnection, user: User, place: Place, word: String) async throws {
            let table = place.table
            let name = "public.\(table.name)"
            var before = try await texts(of: place, column: table.key)
            var column = table.texts[0]
            var rows: [[String?]] = []
            if before.isEmpty {
                guard web === project.admin || user.id == place.owner.id else { return }
                var values = new(place, word: word)
                values[table.owner] = Self.json(place.owner.id)
                let columns = values.keys.sorted()
                let list = columns.compactMap { values[$0]?.replacing("\"", with: "'") }.joined(
                    separator: ", "
                )
                rows = try await run(
                    """
                    insert into \(name) (\(columns.joined(separator: ", "))) values (\(list))
                    returning \(table.owner), \(column)
                    """,
                    on: web
                )
            } else {
                let value: String
                (column, value) = edit(of: table, word: word, showing: [:])
                before = try await texts(of: place, column: column)
                var text = column == table.set ? value : String(value.dropFirst().dropLast())
                var given = "$2"
                if column == table.set {
                    given = isDrawn(0.5) ? "$2::jsonb" : "coalesce(\(column), '[]') || $2::jsonb"
                    text = "[\"\(word)\"]"
                }
                rows = try await run(
                    """
                    update \(name) set \(column) = \(given) where \(table.key)::text = $1
                    returning \(table.owner), \(column)::text
                    """,
                    place.key,
                    text,
                    on: web
                )
            }
            for row in rows {
                if row[1]?.contains(word) == true { written[word] = "a web app" }
                giveUp(before[row[0] ?? ""] ?? "", for: row[1] ?? "")
            }
        }

        func delete(on web: SQLConnection, place: Place) async throws {
            let table = place.table
            let isSoft = table.entity == "project" && isDrawn(0.7)
            let before = try await texts(of: place, column: "t")
            let rows = try await run(
                (isSoft
                    ? "update public.\(table.name) set deleted_at = now()"
                    : "delete from public.\(table.name)")
                    + " where \(table.key)::text = $1 returning \(table.owner)",
                place.key,
                on: web
            )
            for row in rows { giveUp(before[row[0] ?? ""] ?? "") }
        }

        /// Somebody changes what accounts may read, or brings back what is deleted.
        func rule(place: Place) async throws {
            let (table, team) = (place.table, draw("red", "blue"))
            var change = "deleted_at = null"
            if policy == "hidden" { change = "hidden = \(isDrawn(0.5))" }
            if policy.hasPrefix("team") {
                change = "\(table.team) = '\(team)'"
                if isDrawn(0.5) {
                    let account = draw(User.ada, .eve).id
                    _ = try await run(
                        "update public.member set team = '\(team)' where account = '\(account)'",
                        on: project.admin
                    )
                    // What no write of a row tells is seen once a day.
                    try await project.admin.run(
                        "update entitysync.viewer set compared_at = now() - interval '2 days'"
                    )
                    return
                }
            }
            guard change != "deleted_at = null" || table.entity == "project" else { return }
            let rows = isDrawn(0.7) ? " where \(table.key)::text = '\(place.key)'" : ""
            _ = try await run("update public.\(table.name) set \(change)\(rows)", on: project.admin)
        }

        /// A device syncs while the web app has rows in hand, with or without a write that is not committed yet.
        func hold(_ person: Person, place: Place, word: String) async throws {
            let known = (written, givenUp)
            let end = draw("commit", "commit", "rollback")
            try await holder.run("begin")
            if isDrawn(0.6) {
                try await write(on: holder, user: .ada, place: place, word: word)
            } else {
                _ = try await run("select from public.\(place.table.name) for update", on: holder)
            }
            _ = try await sync(person, isHeld: true)
            _ = try await run(end, on: holder)
            if end == "rollback" { (written, givenUp) = known }
        }
    }
#endif
