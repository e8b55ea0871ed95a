import SyncModel
public import SyncSchema

/// One file of generated SQL.
public struct SQLFile: Sendable, Hashable {
    /// The file's name; the number in front says in which order to apply the files.
    public var name: String
    /// UTF-8 text that ends in a line feed.
    public var contents: String
}

/// Turns checked schemas into SQL for PostgreSQL. Equal schemas and options give equal bytes.
public struct PostgresGenerator {
    /// The version of the runtime's SQL. It rises with each release that changes its tables or functions: an older
    /// program never applies its own text over a newer one's.
    public static let sqlVersion = 3

    /// The file with what Supabase already has.
    public static let rolesFile = "00-roles.sql"

    /// The file with the tables of the entities, and what keeps them in sync.
    public static let entitiesFile = "20-entities.sql"

    private let tables: [PostgresTable]
    private let options: PostgresOptions

    /// The files, in the order in which they are applied. The schemas are one checked set.
    public static func files(for schemas: [Schema], options: PostgresOptions) throws(SQLNameError)
        -> [SQLFile]
    {
        let generator = PostgresGenerator(schemas, options: options)
        try checkNames(generator.tables)
        var files = [
            SQLFile(name: "10-entitysync.sql", contents: generator.runtime),
            SQLFile(name: entitiesFile, contents: generator.entities),
        ]
        if options.isStandAlone {
            files.insert(SQLFile(name: rolesFile, contents: text(PackageResources.roles_sql)), at: 0)
        }
        return files
    }

    /// The files that bring a database with the tables of older schemas to the present ones. Both are checked sets.
    /// Throws `SQLNameError` or `SQLMigrationError`.
    public static func files(for schemas: [Schema], from former: [Schema], options: PostgresOptions) throws
        -> [SQLFile]
    {
        let (old, new) = (
            PostgresGenerator(former, options: options), PostgresGenerator(schemas, options: options)
        )
        try checkNames(new.tables)
        let migration = try Migration(old: old.tables, new: new.tables)
        let text = new.migration(migration)
        return try files(for: schemas, options: options).map { file in
            file.name == entitiesFile ? SQLFile(name: "20-migration.sql", contents: text) : file
        }
    }

    /// What a change of schemas needs as SQL, without the functions that every migration writes anew; empty if that is
    /// nothing.
    public static func changes(for schemas: [Schema], from former: [Schema], options: PostgresOptions) throws
        -> String
    {
        let (old, new) = (
            PostgresGenerator(former, options: options), PostgresGenerator(schemas, options: options)
        )
        let migration = try Migration(old: old.tables, new: new.tables)
        return ([migration.text] + migration.additions(isExisting: options.isExisting))
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private init(_ schemas: [Schema], options: PostgresOptions) {
        let ordered = EntityOrder.parentsFirst(
            schemas,
            name: \.name,
            parents: { $0.references.map(\.entity) }
        )
        tables = ordered.map { PostgresTable($0, owner: options.owner) }
        self.options = options
    }

    /// The columns that devices may write, by entity, with their types.
    public static func columnTypes(of schemas: [Schema]) -> [String: [String: String]] {
        let pairs = schemas.map { schema in
            let columns = PostgresTable(schema, owner: .user).columns.map { ($0.name, $0.type.declaration) }
            return (schema.name, Dictionary(columns, uniquingKeysWith: { first, _ in first }))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// What `entitysync.expected()` says in a database with the SQL of these schemas.
    public static func expected(of schemas: [Schema], options: PostgresOptions) -> String {
        PostgresGenerator(schemas, options: options).dispatch.expected
    }

    /// Statements that add the columns of newer schemas to tables that are there; to be run before the entities' file.
    public static func addedColumns(for schemas: [Schema]) -> String {
        let parts = schemas.map { PostgresTable($0, owner: .user).missingColumns }
        return transaction(parts.joined(separator: "\n"))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The runtime: all that does not depend on the schemas.
    private var runtime: String {
        let parts = [
            Self.text(PackageResources.schema_sql), mySpace, Self.text(PackageResources.metadata_sql),
            Self.text(PackageResources.log_sql), Self.text(PackageResources.apply_sql),
            Self.text(PackageResources.check_sql),
            Self.text(PackageResources.push_sql), Self.text(PackageResources.push_one_sql),
            Self.text(PackageResources.view_sql), Self.text(PackageResources.page_sql),
            Self.text(PackageResources.exchange_sql),
            Self.text(PackageResources.operate_sql), Self.text(PackageResources.erase_sql),
            Self.text(PackageResources.tables_sql), Self.text(PackageResources.fill_sql),
            Self.text(PackageResources.admit_sql),
            Self.text(PackageResources.doctor_sql),
            Self.text(PackageResources.rights_sql),
        ]
        return Self.transaction(parts.joined(separator: "\n"))
    }

    /// Statements that are applied all or none.
    private static func transaction(_ text: String) -> String {
        "begin;\nset local check_function_bodies = off;\nset local client_min_messages = warning;\n\n\(text)\ncommit;\n"
    }

    private var mySpace: String {
        let comment =
            switch options.owner {
            case .user: "-- The space of the caller: the user that the request's token names."
            case .none: "-- The one space that all users share."
            }
        let value =
            switch options.owner {
            case .user: "auth.uid()"
            case .none: "'00000000-0000-0000-0000-000000000000'::uuid"
            }
        return """
            \(comment)
            create or replace function entitysync.my_space() returns uuid
            language sql stable
            return \(value);

            -- The account that reads: what it was shown is told apart from what others were.
            create or replace function entitysync.reader() returns uuid
            language sql stable
            return \(options.owner == .user ? "entitysync.my_space()" : "auth.uid()");

            """
    }

    private var entities: String {
        let head = """
            -- EntitySync: the tables of your entities, and what keeps them in sync.
            --
            -- Generated from the schemas; apply after 10-entitysync.sql. Applying it again changes nothing, and locks
            -- no table. Each entity is a transaction of its own, which is applied whole or not at all: if one fails,
            -- mend what the message says and apply the file again.

            """
        return ([head, formerLog] + tables.map { section($0) } + [conclusion]).joined(separator: "\n")
    }

    /// Takes in what waits in the log, if an entity's columns have other places in it from now on.
    private var formerLog: String {
        let paths = tables.map { "(\($0.entity), \($0.paths))" }.joined(separator: ",\n        ")
        guard !tables.isEmpty else { return "" }
        return """
            -- What other programs wrote waits in a log, which names columns by their places in the former schema.
            do \(SQLText.body("""
                begin
                  if to_regprocedure('entitysync.paths(text)') is null
                    or to_regprocedure('entitysync.fold_all()') is null
                  then
                    return;
                  end if;
                  if exists (
                    select from (values
                        \(paths)
                      ) as e (name, paths)
                    where entitysync.paths(e.name) <> e.paths
                  ) then
                    perform entitysync.fold_all();
                  end if;
                end
                """));

            """
    }

    private func migration(_ migration: Migration) -> String {
        let head = """
            -- EntitySync: from the tables of older schemas to the present ones.
            --
            -- Generated from both; apply after 10-entitysync.sql, once. No column and no row is removed.

            """
        let steps = migration.text
        return
            ([head, formerLog] + (steps.isEmpty ? [] : [Self.transaction(Self.inMoments(steps))])
            + tables.map { section($0, isThere: migration.isKept($0)) }
            + [conclusion])
            .joined(separator: "\n")
    }

    /// Statements that lock tables, all or none.
    private static func inMoments(_ statements: String) -> String {
        "do \(SQLText.body("begin\n  perform entitysync.run_in_moments(\(SQLText.body(statements)));\nend"));\n"
    }

    /// The part of one entity: its table and its functions, and then its indexes. A table that others made is looked at
    /// first.
    private func section(_ table: PostgresTable, isThere: Bool = false) -> String {
        let isExisting = options.isExisting
        let text = "\(functions(of: table))\n\n\(table.ensuredStructure(isExisting: isExisting))\n"
        let creation = isThere ? "" : "\(table.creation)\n\n"
        let whole = isExisting ? table.admitted(text) + "\n" : creation + text
        let indexes = isExisting ? table.admittedIndexes : table.ensuredIndexes
        return "\(Self.heading(table))\n\n\(Self.transaction(whole))"
            + (indexes.isEmpty ? "" : "\n" + Self.transaction(indexes + "\n"))
    }

    /// What is about all entities, and the adoption of small tables. Exchanges adopt the rows of large ones.
    private var conclusion: String {
        let adoption = """
            do $$
            begin
              for piece in 1..20 loop
                exit when not entitysync.adopt_piece(100);
              end loop;
            end
            $$;
            """
        let rights = Self.text(PackageResources.rights_sql)
        return Self.transaction("\(formerColumns)\n\(dispatch.text)\n\(filling)\n\(rights)\n\(adoption)\n")
    }

    /// Remembers which members had columns, until all entities have their new ones.
    private var formerColumns: String {
        let names = SQLText.array(tables.map(\.schema.name))
        return """
            -- The columns that each entity had until now.
            do $$
            begin
              perform set_config('entitysync.former_paths', '{}', true);
              if to_regprocedure('entitysync.paths(text)') is not null then
                perform set_config(
                  'entitysync.former_paths', jsonb_object_agg(e.name, entitysync.paths(e.name))::text, true
                )
                from unnest(\(names)) as e (name) having count(*) > 0;
              end if;
            end
            $$;

            """
    }

    /// Gives new columns what devices have sent before.
    private var filling: String {
        let defaults = tables.compactMap { table -> String? in
            let values = table.columns.map { $0.property.defaultJSON ?? "null" }
            guard values.contains(where: { $0 != "null" }) else { return nil }
            return "\(JSONString(table.schema.name)):[\(values.joined(separator: ","))]"
        }
        let renamed = tables.compactMap { table -> String? in
            let pairs = table.renamedPairs
            return pairs.isEmpty ? nil : "\(JSONString(table.schema.name)):[\(pairs.joined(separator: ","))]"
        }
        func literal(_ members: [String]) -> String { SQLText.literal("{\(members.joined(separator: ","))}") }
        return """
            -- What devices sent before there was a column for it, and what others wrote before there was a member.
            do \(SQLText.body("""
                begin
                  perform entitysync.run_in_moments(format(
                    'select entitysync.fill_columns(%L, %L, %L, %L)',
                    e.name, f.paths -> e.name,
                    \(literal(defaults))::jsonb -> e.name,
                    \(literal(renamed))::jsonb -> e.name
                  ))
                  from unnest(entitysync.known_entities()) as e (name)
                  cross join (select current_setting('entitysync.former_paths')::jsonb as paths) as f
                  where not exists (
                    select from entitysync.applied as a
                    where a.part = e.name || ' filled' and a.given = entitysync.paths(e.name)::text
                  );
                end
                """));

            """
    }

    private var dispatch: EntityDispatch { EntityDispatch(tables: tables, isExisting: options.isExisting) }

    /// A line with the entity's name, and what only devices and `syncserver` check.
    private static func heading(_ table: PostgresTable) -> String {
        let line =
            "-- \(table.schema.name) \(String(repeating: "-", count: max(3, 116 - table.schema.name.count)))"
        let rules = uncheckedRules(of: table.schema)
        guard !rules.isEmpty else { return line }
        let head =
            "-- Checked by devices and syncserver, and not by this SQL alone; devices set such a record aside:"
        return ([line, head] + rules).joined(separator: "\n")
    }

    private func functions(of table: PostgresTable) -> String {
        [
            table.valueFunctions, table.misfitsFunction, table.foldingFunctions, table.writingFunctions,
            table.adoption, table.comparison,
        ]
        .joined(separator: "\n\n")
    }
}
