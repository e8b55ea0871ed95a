import SyncCore
import SyncSQLite

/// The store's own record of which tables it has.
struct Catalogue {
    let connection: Connection

    /// The shape of an entity's table; nil when there is none.
    func shape(name: String) throws -> TableShape? {
        let statement = try connection.cached(sql: "SELECT shape FROM sync_entity WHERE name = ?1")
        try statement.bind(name, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        do {
            return try TableShape(json: statement.string(at: 0))
        } catch is JSONError {
            throw SyncError.damagedStore(detail: "the catalogue entry of \(name) cannot be read")
        }
    }

    /// Writes the shape of an entity's table.
    func save(_ name: String, shape: TableShape) throws {
        let statement = try connection.cached(
            sql: """
                INSERT INTO sync_entity (name, version, shape) VALUES (?1, ?2, ?3) \
                ON CONFLICT (name) DO UPDATE SET version = excluded.version, shape = excluded.shape
                """
        )
        try statement.bind(name, at: 1)
        try statement.bind(shape.version, at: 2)
        try statement.bind(shape.json, at: 3)
        try statement.run()
    }

    /// The tables of entities whose shapes are up to date.
    func tables(entities: [EntityDescriptor]) throws -> [EntityTable] {
        let store = try storeID()
        return try entities.map { descriptor in
            guard let shape = try shape(name: descriptor.name) else {
                throw SyncError.damagedStore(detail: "the catalogue entry of \(descriptor.name) is missing")
            }
            return try EntityTable(descriptor: descriptor, shape: shape, store: store)
        }
    }

    /// Another process has changed a table since.
    struct Moved: Error {}

    /// Throws `Moved` if tables have other shapes by now.
    func check(_ tables: [EntityTable]) throws {
        for table in tables where try shape(name: table.descriptor.name) != table.shape { throw Moved() }
    }

    /// The store's identity, from the UUID that was drawn when it was made.
    private func storeID() throws -> StoreID {
        let statement = try connection.cached(sql: "SELECT value FROM sync_value WHERE name = 'created'")
        defer { statement.reset() }
        guard try statement.step(), let store = StoreID(uuid: statement.string(at: 0)) else {
            throw SyncError.damagedStore(detail: "it has no identity")
        }
        return store
    }
}
