import SyncSchema

/// The table itself: columns, indexes, policies and rights.
extension PostgresTable {
    /// Statements that make the table, or add what an existing one lacks.
    func definition(isExisting: Bool) -> String {
        let first = isExisting ? additions : creation
        return ([first] + indexes + rules(isExisting: isExisting)).joined(separator: "\n")
    }

    /// Statements that give the table its policies and triggers. Nothing locks it if all of them are there.
    func ensuredStructure(isExisting: Bool) -> String {
        let parts =
            (isExisting ? [additions] : []) + rules(isExisting: isExisting)
            + ["\nselect entitysync.move_log(\(entity), \(paths), \(renamedPaths));", "\n\(tracking)"]
            + (isExisting ? ["\n\(defaults)"] : [])
        let statements = SQLText.body(parts.joined(separator: "\n"))
        let call = "entitysync.ensure_table(\(entity), \(SQLText.literal(table)), \(statements))"
        return "do \(SQLText.body("begin\n  perform \(call);\nend"));"
    }

    /// Statements that make the indexes; empty if there are none. While one is built, programs wait that write.
    var ensuredIndexes: String {
        guard !indexes.isEmpty else { return "" }
        let part = SQLText.literal("\(schema.name) indexes")
        let call =
            "entitysync.ensure(\(part), \(SQLText.literal(table)), true, \(SQLText.body(indexes.joined(separator: "\n"))))"
        return "do \(SQLText.body("begin\n  perform \(call);\nend"));"
    }

    /// Policies, rights and comments. What somebody wrote about a table of theirs stays.
    private func rules(isExisting: Bool) -> [String] {
        isExisting
            ? [missingPolicies]
            : [erasure].compactMap { $0 } + [ownPolicies] + comments
    }

    private var comments: [String] {
        var parts: [String] = []
        if !schema.summary.isEmpty {
            parts.append("comment on table \(table) is \(SQLText.literal(schema.summary));")
        }
        for column in columns where !column.property.summary.isEmpty {
            let text = SQLText.literal(column.property.summary)
            parts.append("comment on column \(table).\(SQLText.name(column.name)) is \(text);")
        }
        return parts
    }

    /// The statement that makes the table if it is not there.
    var creation: String {
        var lines = columns.map { "  " + declaration(of: $0) }
        // NB: owner_id comes first in every key, so that rows can be partitioned by account, and nobody learns from a
        // clash that another account has a key.
        var key = keyColumns.map { SQLText.name($0.name) }
        if let ownerName {
            if ownerField == nil { lines.append("  \(ownerName) uuid not null default auth.uid()") }
            key.removeAll { $0 == ownerName }
            key.insert(ownerName, at: 0)
        }
        lines.append("  primary key (\(key.joined(separator: ", ")))")
        return "create table if not exists \(table) (\n\(lines.joined(separator: ",\n"))\n);"
    }

    /// Rows of a user who is erased go, too. Only a Supabase project has the table of users.
    private var erasure: String? {
        guard let ownerName, ownerField?.type.isText != true else { return nil }
        let constraint = SQLText.name(parts: name, "owner", "sync")
        let exists =
            "conrelid = \(SQLText.literal(table))::regclass and confrelid = to_regclass('auth.users')"
        return """
            -- In a Supabase project, the rows of a user who is erased go, too.
            do \(SQLText.body("""
                begin
                  if to_regclass('auth.users') is not null and not exists (
                    select from pg_catalog.pg_constraint where \(exists)
                  ) then
                    alter table \(table) add constraint \(constraint)
                      foreign key (\(ownerName)) references auth.users (id) on delete cascade;
                  end if;
                end
                """));
            """
    }

    /// A statement that adds the columns that a table lacks.
    private var additions: String {
        let lines = addedColumns.map { "  add column if not exists \($0.declaration)" }
        return "alter table \(table)\n\(lines.joined(separator: ",\n"));"
    }

    /// The same for a table that may not be there; nothing locks it if it has all of them.
    var missingColumns: String {
        let names = SQLText.array(addedColumns.map(\.name))
        return """
            do \(SQLText.body("""
                begin
                  if exists (
                    select from unnest(\(names)) as c (name)
                    where to_regclass(\(SQLText.literal(table))) is not null and not exists (
                      select from pg_catalog.pg_attribute as a
                      where a.attrelid = to_regclass(\(SQLText.literal(table)))
                        and a.attname = c.name and not a.attisdropped
                    )
                  ) then
                    perform entitysync.run_in_moments(\(SQLText.body(additions)));
                  end if;
                end
                """));
            """
    }

    private var addedColumns: [(name: String, declaration: String)] {
        var added = columns.map { ($0.name, declaration(of: $0, isAdded: true)) }
        if let owner, let ownerName, ownerField == nil {
            added.append((owner, "\(ownerName) uuid default auth.uid()"))
        }
        return added
    }

    /// Policies for a table that may have its own: a further one would allow what those do not.
    private var missingPolicies: String {
        let own = "polrelid = \(SQLText.literal(table))::regclass and polname not like 'entitysync: %'"
        return """
            -- A table with policies of its own keeps them as they are.
            do \(SQLText.body("""
                begin
                  if not exists (select from pg_catalog.pg_policy where \(own)) then
                \(SQLText.indented(policies.joined(separator: "\n"), by: 4))
                  end if;
                end
                """));
            """
    }

    /// Policies for a table that is ours, unless somebody gave it policies in place of them.
    private var ownPolicies: String {
        let of = "polrelid = \(SQLText.literal(table))::regclass and polname"
        return """
            -- A table that has policies of its own, and none of these, keeps them as they are.
            do \(SQLText.body("""
                begin
                  if exists (select from pg_catalog.pg_policy where \(of) like 'entitysync: %')
                    or not exists (select from pg_catalog.pg_policy where \(of) not like 'entitysync: %')
                  then
                \(SQLText.indented(policies.joined(separator: "\n"), by: 4))
                  end if;
                end
                """));
            """
    }

    private var policies: [String] {
        let condition = ownerName.map { "\($0) = \(caller)" } ?? "true"
        func policy(name: String, command: String, role: String = "authenticated", checks: String) -> [String]
        {
            [
                "drop policy if exists \(SQLText.name("entitysync: \(name)")) on \(table);",
                "create policy \(SQLText.name("entitysync: \(name)")) on \(table) for \(command) to \(role)",
                "  \(checks);",
            ]
        }
        return ["alter table \(table) enable row level security;"]
            + policy(name: "read", command: "select", checks: "using (\(condition))")
            + policy(name: "add", command: "insert", checks: "with check (\(condition))")
            + policy(
                name: "change",
                command: "update",
                checks: "using (\(condition)) with check (\(condition))"
            )
            + policy(name: "remove", command: "delete", checks: "using (\(condition))")
            + policy(
                name: "service",
                command: "all",
                role: "service_role",
                checks: "using (true) with check (true)"
            )
            + ["grant select, insert, update, delete on \(table) to authenticated, service_role;"]
    }
}
