import SyncCore
import SyncSQLite

/// Migrates an entity's table to its planned shape, inside the caller's transaction: an interrupted migration leaves
/// the table unchanged.
struct StoreMigration {
    let connection: Connection
    let descriptor: EntityDescriptor
    let plan: TablePlan

    /// Creates or changes the table, and writes the catalogue.
    func run() throws {
        let ddl = TableDDL(descriptor: descriptor)
        let indexes = try ddl.indexes(shape: plan.shape)
        if plan.isNew {
            // Another entity's view may have the table's name.
            try connection.execute("DROP VIEW IF EXISTS \(try ddl.table)")
            try connection.execute(try ddl.createTable())
            for index in indexes { try connection.execute(index.sql) }
            for statement in try ddl.elementTables(shape: plan.shape) { try connection.execute(statement) }
            try createSearch()
            try Catalogue(connection: connection).save(descriptor.name, shape: plan.shape)
            return
        }
        // It names columns that may go. It is made anew when all tables have their shape.
        try connection.execute(try LiveView.drop(descriptor: descriptor))
        // The content of a record may differ afterwards.
        let forget = try connection.cached(sql: "DELETE FROM sync_sum WHERE entity = ?1")
        try forget.bind(descriptor.name, at: 1)
        try forget.run()
        try dropIndexes(startingWith: ddl.indexPrefix, except: keptIndexes(ddl: ddl))
        try dropElementTables(startingWith: ddl.indexPrefix + ElementTable.infix)
        if plan.changesSearch {
            let search = try SearchTable(descriptor: descriptor, fields: plan.shape.search)
            for statement in try search.drop { try connection.execute(statement) }
        }
        for (from, to) in plan.renamed {
            let names = "\(try SQL.identifier(name: from)) TO \(try SQL.identifier(name: to))"
            try connection.execute("ALTER TABLE \(try ddl.table) RENAME COLUMN \(names)")
        }
        for column in plan.widened { try widen(column: column, ddl: ddl) }
        try addColumns(ddl)
        try Catalogue(connection: connection).save(descriptor.name, shape: plan.shape)
        try RowMigration(connection: connection, descriptor: descriptor, plan: plan).run()
        try MarkMigration(connection: connection, descriptor: descriptor, plan: plan).run()
        for column in plan.removed {
            let name = try SQL.identifier(name: column.name)
            try connection.execute("ALTER TABLE \(try ddl.table) DROP COLUMN \(name)")
        }
        for index in indexes where try !exists(index: index.name) { try connection.execute(index.sql) }
        for statement in try ddl.elementTables(shape: plan.shape) { try connection.execute(statement) }
        if plan.changesSearch { try createSearch() }
    }

    /// Creates the full-text index, if the schema asks for one.
    private func createSearch() throws {
        guard !plan.shape.search.isEmpty else { return }
        let search = try SearchTable(descriptor: descriptor, fields: plan.shape.search)
        for statement in try search.create { try connection.execute(statement) }
    }

    /// Drops the indexes of elements. They are made anew after each change of the table.
    private func dropElementTables(startingWith prefix: String) throws {
        // Triggers first: they name the tables.
        for (type, keyword) in [("trigger", "TRIGGER"), ("table", "TABLE")] {
            for name in try names(of: type, startingWith: prefix) {
                try connection.execute("DROP \(keyword) \(try SQL.identifier(name: name))")
            }
        }
    }

    /// Indexes that may stay while columns change, except those over a column that is recreated.
    private func keptIndexes(ddl: TableDDL) throws -> [String] {
        var shape = plan.shape
        shape.indexes.removeAll { list in
            plan.widened.contains { column in list.contains { $0.hasSameBytes(as: column.name) } }
        }
        return try ddl.indexes(shape: shape).map(\.name)
    }

    /// Changes a column of integers to one of numbers. In a STRICT table this needs a new column.
    private func widen(column: TableShape.Column, ddl: TableDDL) throws {
        let (table, name) = (try ddl.table, try SQL.identifier(name: column.name))
        // Beyond this, a double cannot represent every integer, and a value would change.
        let exact = "BETWEEN -9007199254740992 AND 9007199254740992"
        let sql = "SELECT count(*) FROM \(table) WHERE \(name) NOT \(exact)"
        guard try connection.integer(sql: sql) == 0 else {
            throw descriptor.refusal(
                reason: "field '\(column.name)' holds integers that are too large for a number."
            )
        }
        try connection.execute("ALTER TABLE \(table) ADD COLUMN sync_widened REAL")
        try connection.execute("UPDATE \(table) SET sync_widened = \(name)")
        try connection.execute("ALTER TABLE \(table) DROP COLUMN \(name)")
        try connection.execute("ALTER TABLE \(table) RENAME COLUMN sync_widened TO \(name)")
    }

    private func addColumns(_ ddl: TableDDL) throws {
        for column in plan.added {
            guard let position = descriptor.layout.position(of: column.name) else { continue }
            try connection.execute(try ddl.addColumn(descriptor.fields[position]))
        }
        let lastSlot = plan.shape.columns.map(\.slot).max() ?? 0
        for number in 0...lastSlot / EntityTable.slotsPerColumn {
            let column = EntityTable.nullColumn(number: number)
            let statement = try connection.cached(sql: "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2")
            try statement.bind(descriptor.table, at: 1)
            try statement.bind(column, at: 2)
            var isThere = false
            try statement.forEachRow { _ in isThere = true }
            if isThere { continue }
            try connection.execute(
                "ALTER TABLE \(try ddl.table) ADD COLUMN \(TableDDL.nullColumn(number: number))"
            )
        }
    }

    private func dropIndexes(startingWith prefix: String, except kept: [String]) throws {
        for name in try names(of: "index", startingWith: prefix) {
            if kept.contains(where: { $0.hasSameBytes(as: name) }) { continue }
            try connection.execute("DROP INDEX \(try SQL.identifier(name: name))")
        }
    }

    /// The names of what the file has of a type: tables, indexes or triggers.
    private func names(of type: String, startingWith prefix: String) throws -> [String] {
        let statement = try connection.cached(sql: "SELECT name FROM sqlite_schema WHERE type = ?1")
        try statement.bind(type, at: 1)
        var names: [String] = []
        try statement.forEachRow { names.append($0.string(at: 0)) }
        return names.filter { $0.utf8.starts(with: prefix.utf8) }
    }

    private func exists(index name: String) throws -> Bool {
        let statement = try connection.cached(
            sql: "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1"
        )
        try statement.bind(name, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }
}
