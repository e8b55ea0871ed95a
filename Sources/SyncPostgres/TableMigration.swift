import SyncSchema

/// What a table needs so that it fits a newer schema.
///
/// No column and no row is removed. A value that no longer has a column stays in the record's body, so that apps with
/// the older schema keep it.
struct TableMigration {
    /// The table as it is.
    let old: PostgresTable
    /// The table as it will be.
    let new: PostgresTable

    /// One step, with the sentence that explains it.
    struct Step {
        var comment: String
        var statement: String

        var text: String { "-- \(comment)\n\(statement)" }
    }

    /// The steps in the order in which they are taken; empty if the table fits already.
    var steps: [Step] {
        [
            tableRename.map { [$0] } ?? [], keptBodies.map { [$0] } ?? [], renames, additions, types, nulls,
            defaults, checks, departures, indexes,
        ].flatMap { $0 }
    }

    /// Whether records would have other keys.
    var changesKey: Bool {
        new.keyColumns.map { former(of: $0)?.property.name ?? "" } != old.keyColumns.map(\.property.name)
    }

    /// A column before and after the change.
    private struct Pair {
        var old: Column
        var new: Column
    }

    private var pairs: [Pair] {
        new.columns.compactMap { column in former(of: column).map { Pair(old: $0, new: column) } }
    }

    private func former(of column: Column) -> Column? {
        old.columns.first { $0.property.name == column.property.name }
            ?? column.property.formerNames.lazy.compactMap { former in
                old.columns.first { $0.property.name == former }
            }.first
    }

    private var gone: [Column] {
        let kept = Set(pairs.map(\.old.property.name))
        return old.columns.filter { !kept.contains($0.property.name) }
    }

    private func alter(column: Column, _ change: String) -> String {
        "alter table \(new.table) alter column \(SQLText.name(column.name)) \(change);"
    }

    // MARK: Steps

    private var tableRename: Step? {
        guard old.table != new.table else { return nil }
        let move =
            old.schemaName == new.schemaName
            ? "" : "\n  alter table \(old.table) set schema \(new.schemaName);"
        let moved = "\(new.schemaName).\(SQLText.name(old.name))"
        let rename =
            old.name == new.name ? "" : "\n  alter table \(moved) rename to \(SQLText.name(new.name));"
        let isThere = "to_regclass(\(SQLText.literal(old.table))) is not null"
        let isFree = "to_regclass(\(SQLText.literal(new.table))) is null"
        return Step(
            comment: "The table has another name.",
            statement: block(
                "if \(isThere) and \(isFree) then\(SQLText.indented(move + rename, by: 2))\n  end if;"
            )
        )
    }

    /// Before the function that makes JSON of rows changes: what it says now stays in the records' bodies.
    private var keptBodies: Step? {
        let hasChanged = pairs.contains { $0.old.path != $0.new.path || $0.old.type != $0.new.type }
        guard hasChanged || !gone.isEmpty else { return nil }
        let row = old.rowAlias
        return Step(
            comment: "Values that change their place or leave the schema stay in the records' bodies.",
            statement: """
                update entitysync.state as s set body = \(old.function(purpose: "json"))(\(row))::json
                from \(new.table) as \(row)
                where s.entity = \(new.entity) and s.body is null and not s.is_deleted
                  and s.id = entitysync.record_id(\(old.space(of: row)), s.entity, \(old.function(purpose: "key"))(\(row)));
                """
        )
    }

    private var renames: [Step] {
        pairs.flatMap { pair -> [Step] in
            var steps: [Step] = []
            if pair.old.name != pair.new.name {
                let (before, after) = (SQLText.name(pair.old.name), SQLText.name(pair.new.name))
                let isThere = hasColumn(pair.old.name) + " and not " + hasColumn(pair.new.name)
                let rename = "alter table \(new.table) rename column \(before) to \(after);"
                steps.append(
                    Step(
                        comment: "The column has another name.",
                        statement: block("if \(isThere) then\n    \(rename)\n  end if;")
                    )
                )
            }
            if pair.old.path != pair.new.path { steps.append(movedMember(pair)) }
            return steps
        }
    }

    /// Bodies that hold the value under its former name get it under the new one.
    private func movedMember(_ pair: Pair) -> Step {
        let (before, after) = (SQLText.array(pair.old.path), SQLText.array(pair.new.path))
        return Step(
            comment: "Records whose body has the value under its former name.",
            statement: """
                update entitysync.state as s
                set body = jsonb_set(s.body::jsonb #- \(before), \(after), s.body::jsonb #> \(before))::text::json
                where s.entity = \(new.entity) and s.body::jsonb #> \(before) is not null
                  and s.body::jsonb #> \(after) is null;
                """
        )
    }

    private func hasColumn(_ name: String, condition: String = "") -> String {
        """
        exists (
            select from pg_catalog.pg_attribute where attrelid = \(SQLText.literal(new.table))::regclass
              and attname = \(SQLText.literal(name)) and not attisdropped\(condition)
          )
        """
    }

    private var additions: [Step] {
        new.columns.filter { former(of: $0) == nil }.map { column in
            let line = new.declaration(of: column, isAdded: true)
            return Step(
                comment: "A new field.",
                statement: "alter table \(new.table) add column if not exists \(line);"
            )
        }
    }

    private var types: [Step] {
        pairs.filter { $0.old.type != $0.new.type }.map { pair in
            let name = SQLText.name(pair.new.name)
            let value = pair.new.conversion(of: name, from: pair.old)
            var steps = """
                alter table \(new.table) drop constraint if exists \(new.checkName(of: pair.new));
                    alter table \(new.table) alter column \(name) drop default, alter column \(name)
                      type \(pair.new.type.declaration) using \(value);
                """
            if pair.old.type.cast != pair.new.type.cast {
                let type = SQLText.literal(pair.new.type.cast)
                let isOther = hasColumn(pair.new.name, condition: " and atttypid <> \(type)::regtype")
                steps = "if \(isOther) then\n    \(steps)\n  end if;"
            }
            return Step(
                comment: "Another type. If a value cannot be converted, nothing of this file is applied.",
                statement: block(steps)
            )
        }
    }

    private var nulls: [Step] {
        pairs.compactMap { pair in
            let (before, after) = (old.isNotNull(pair.old), new.isNotNull(pair.new))
            guard before != after, !pair.new.isKey else { return nil }
            guard after else {
                return Step(
                    comment: "The field may be missing or null now.",
                    statement: alter(column: pair.new, "drop not null")
                )
            }
            let name = SQLText.name(pair.new.name)
            let isMissing = "exists (select from \(new.table) where \(name) is null)"
            let statement = alter(column: pair.new, "set not null")
            return Step(
                comment:
                    "The field is required now; rows that lack it stay, and then the column stays as it is.",
                statement: block("if not \(isMissing) then\n    \(statement)\n  end if;")
            )
        }
    }

    private var defaults: [Step] {
        pairs.compactMap { pair in
            let (before, after) = (old.initial(of: pair.old), new.initial(of: pair.new))
            guard before != after || (pair.old.type != pair.new.type && after != nil) else { return nil }
            return Step(
                comment: "The value that the column has where a program gives none.",
                statement: alter(column: pair.new, after.map { "set default \($0)" } ?? "drop default")
            )
        }
    }

    private var checks: [Step] {
        pairs.compactMap { pair in
            let (before, after) = (pair.old.checks, pair.new.checks)
            let isRenamed = pair.old.name != pair.new.name
            guard before != after || isRenamed || pair.old.type != pair.new.type,
                !after.isEmpty || (!before.isEmpty && pair.old.type == pair.new.type)
            else { return nil }
            var lines = [old.checkName(of: pair.old), new.checkName(of: pair.new)]
                .map { "alter table \(new.table) drop constraint if exists \($0);" }
            if lines[0] == lines[1] { lines.removeLast() }
            if let check = new.check(of: pair.new) {
                lines.append("alter table \(new.table) add \(check) not valid;")
            }
            return Step(
                comment: "Other limits. Rows that are there need not keep them.",
                statement: lines.joined(separator: "\n")
            )
        }
    }

    private var departures: [Step] {
        gone.filter { old.isNotNull($0) && !$0.isKey }.map { column in
            Step(
                comment: "The field has left the schema; its column stays, and need not have a value.",
                statement: alter(column: column, "drop not null")
            )
        }
    }

    private var indexes: [Step] {
        let (before, after) = (old.indexNames, new.indexNames)
        let left = before.filter { !after.contains($0) }.map {
            Step(
                comment: "Nothing is searched by these fields any more.",
                statement: "drop index if exists \(new.schemaName).\($0);"
            )
        }
        return left
            + zip(after, new.indexes).filter { !before.contains($0.0) }.map {
                Step(comment: "Searched by these fields now.", statement: $0.1)
            }
    }

    private func block(_ text: String) -> String { "do \(SQLText.body("begin\n  \(text)\nend"));" }
}
