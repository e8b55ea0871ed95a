import SyncSchema

/// The table itself: columns, indexes, policies and rights.
extension EntityTable {
    /// Statements that make the table, or add what an existing one lacks.
    func definition(isExisting: Bool) -> String {
        var parts: [String] = []
        parts.append(isExisting ? additions() : creation)
        parts += indexes
        parts += policies
        if !schema.summary.isEmpty {
            parts.append("comment on table \(table) is \(SQLText.literal(schema.summary));")
        }
        for column in columns where !column.property.summary.isEmpty {
            let text = SQLText.literal(column.property.summary)
            parts.append("comment on column \(table).\(SQLText.name(column.name)) is \(text);")
        }
        return parts.joined(separator: "\n")
    }

    private var creation: String {
        var lines = columns.map { "  " + declaration(of: $0) }
        // NB: owner_id comes first in every key, so that rows can be partitioned by account, and nobody learns from a
        // clash that another account has a key.
        var key = keyColumns.map { SQLText.name($0.name) }
        if let ownerName {
            lines.append("  \(ownerName) uuid not null default auth.uid()")
            key.insert(ownerName, at: 0)
        }
        lines.append("  primary key (\(key.joined(separator: ", ")))")
        return "create table if not exists \(table) (\n\(lines.joined(separator: ",\n"))\n);"
    }

    /// A statement that adds the columns that a table lacks.
    func additions(ifTableExists: Bool = false) -> String {
        var lines = columns.map { "  add column if not exists " + declaration(of: $0, isAdded: true) }
        if let ownerName {
            lines.append("  add column if not exists \(ownerName) uuid default auth.uid()")
        }
        return "alter table \(ifTableExists ? "if exists " : "")\(table)\n\(lines.joined(separator: ",\n"));"
    }

    /// A column's line. A column that is added to rows that are there cannot demand a value of them.
    private func declaration(of column: Column, isAdded: Bool = false) -> String {
        var text = "\(SQLText.name(column.name)) \(column.type)"
        let field = column.property
        let initial = column.initialValue ?? generatedValue(of: column)
        if field.isRequired, !field.isNullable, !isAdded || initial != nil { text += " not null" }
        if let initial { text += " default \(initial)" }
        let checks = column.checks
        if !checks.isEmpty { text += " check (\(checks.joined(separator: " and ")))" }
        return text
    }

    /// What the database fills in for a program that gives no value.
    private func generatedValue(of column: Column) -> String? {
        let name = column.property.name
        if name == schema.created || name == schema.updated, case .moment = column.kind { return "now()" }
        if schema.key == [name], case .uuid = column.kind { return "gen_random_uuid()" }
        return nil
    }

    private var indexes: [String] {
        let references = schema.references.map { [$0.field] }
        var seen: Set<[String]> = []
        return (schema.unique + schema.indexes + references).compactMap { fields in
            guard seen.insert(fields).inserted else { return nil }
            let columns = fields.compactMap { column(of: $0) }
            guard columns.count == fields.count else { return nil }
            let names = ([ownerName].compactMap { $0 } + columns.map { SQLText.name($0.name) })
            let index = SQLText.name(parts: name, columns.map(\.name).joined(separator: "_"), "sync")
            return "create index if not exists \(index) on \(table) (\(names.joined(separator: ", ")));"
        }
    }

    private var policies: [String] {
        let condition = ownerName.map { "\($0) = (select auth.uid())" } ?? "true"
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

extension Column {
    /// Conditions of the schema that the table checks, so that programs that write rows without EntitySync keep them,
    /// too. Patterns are checked by devices only: the two languages of patterns differ.
    var checks: [String] {
        let name = SQLText.name(self.name)
        switch property.type {
        case .string(let minLength, let maxLength, _):
            return [
                minLength.map { "char_length(\(name)) >= \($0)" },
                maxLength.map { "char_length(\(name)) <= \($0)" },
            ].compactMap { $0 }
        case .uri(let maxLength): return [maxLength.map { "char_length(\(name)) <= \($0)" }].compactMap { $0 }
        case .integer(let minimum, let maximum):
            return [minimum.map { "\(name) >= \($0)" }, maximum.map { "\(name) <= \($0)" }].compactMap { $0 }
        case .number(let minimum, let maximum):
            return [minimum.map { "\(name) >= \($0)" }, maximum.map { "\(name) <= \($0)" }].compactMap { $0 }
        case .array(_, _, let minItems, let maxItems):
            let count = "jsonb_array_length(\(name))"
            let isArray = "jsonb_typeof(\(name)) = 'array'"
            let bounds = [minItems.map { "\(count) >= \($0)" }, maxItems.map { "\(count) <= \($0)" }]
            // CASE, because AND may count the elements of something else.
            let limits = bounds.compactMap { $0 }.joined(separator: " and ")
            return [limits.isEmpty ? isArray : "case when \(isArray) then \(limits) else \(name) is null end"]
        case .object: return ["jsonb_typeof(\(name)) = 'object'"]
        case .boolean, .uuid, .dateTime, .date, .decimal, .data, .enumeration: return []
        }
    }
}
