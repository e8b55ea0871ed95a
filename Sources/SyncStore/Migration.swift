import SyncCore
import SyncSQLite

/// Brings an entity's table into the shape of its plan, inside the caller's transaction: an interrupted migration
/// leaves the table as it was.
struct Migration {
    let connection: Connection
    let descriptor: EntityDescriptor
    let plan: TablePlan

    /// Makes or changes the table and writes the catalogue.
    func run() throws {
        let ddl = TableDDL(descriptor: descriptor)
        let indexes = try ddl.indexes(plan.shape)
        if plan.isNew {
            try connection.execute(try ddl.createTable())
            for index in indexes { try connection.execute(index.sql) }
            try Catalogue(connection: connection).save(descriptor.name, plan.shape)
            return
        }
        try dropIndexes(startingWith: ddl.indexPrefix, except: indexes.map(\.name))
        for (from, to) in plan.renamed {
            let names = "\(try SQL.identifier(from)) TO \(try SQL.identifier(to))"
            try connection.execute("ALTER TABLE \(try ddl.table) RENAME COLUMN \(names)")
        }
        try addColumns(ddl)
        try Catalogue(connection: connection).save(descriptor.name, plan.shape)
        try RowMigration(connection: connection, descriptor: descriptor, plan: plan).run()
        for column in plan.removed {
            let name = try SQL.identifier(column.name)
            try connection.execute("ALTER TABLE \(try ddl.table) DROP COLUMN \(name)")
        }
        for index in indexes where try !exists(index: index.name) { try connection.execute(index.sql) }
    }

    private func addColumns(_ ddl: TableDDL) throws {
        for column in plan.added {
            guard let position = descriptor.layout.position(of: column.name) else { continue }
            try connection.execute(try ddl.addColumn(descriptor.fields[position]))
        }
        let lastSlot = plan.shape.columns.map(\.slot).max() ?? 0
        for number in 0...lastSlot / EntityTable.slotsPerColumn {
            let column = EntityTable.nullColumn(number)
            let statement = try connection.cached("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2")
            try statement.bind(descriptor.table, at: 1)
            try statement.bind(column, at: 2)
            var isThere = false
            try statement.forEachRow { _ in isThere = true }
            if isThere { continue }
            try connection.execute("ALTER TABLE \(try ddl.table) ADD COLUMN \(TableDDL.nullColumn(number))")
        }
    }

    private func dropIndexes(startingWith prefix: String, except kept: [String]) throws {
        let statement = try connection.cached("SELECT name FROM sqlite_schema WHERE type = 'index'")
        var names: [String] = []
        try statement.forEachRow { names.append($0.string(at: 0)) }
        for name in names where name.utf8.starts(with: prefix.utf8) {
            if kept.contains(where: { $0.hasSameBytes(as: name) }) { continue }
            try connection.execute("DROP INDEX \(try SQL.identifier(name))")
        }
    }

    private func exists(index name: String) throws -> Bool {
        let statement = try connection.cached(
            "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1"
        )
        try statement.bind(name, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }
}
