import SyncCore
import SyncSQLite

/// One connection with the statements of each entity, for transactions and snapshots.
///
/// Not `Sendable`. It serves one transaction at a time, and nothing outside of one.
final class StoreSession: StoreTransaction {
    let connection: Connection
    /// By entity name.
    private let entities: [String: EntitySession]
    let tables: [EntityTable]
    let storeID: StoreID
    /// The statement of `unclean`, after first use.
    var uncleanSQL: String?
    /// Whether a transaction is running.
    private(set) var isActive = false
    /// Rows that reads have left out of their results.
    var unreadable: [UnreadableRow] = []
    /// SQLite's schema version, which changes with any table, column or index of the file.
    private var schemaNumber: Int64?
    var hasTakenSequence = false
    /// The entities whose records this transaction has touched.
    private(set) var touched: Set<String> = []
    private var lastTouched: EntitySession?
    /// How many rows the last transaction changed.
    private(set) var changedRows = 0
    /// Whether it changed any.
    var hasChanged: Bool { changedRows > 0 }
    /// The file's `dataVersion` when all commits were flushed; nil if some may not be.
    private var flushedVersion: Int64?
    /// Whether there may be rejections; nil until this transaction has checked.
    var hasRejections: Bool?

    init(connection: Connection, tables: [EntityTable]) {
        self.connection = connection
        self.tables = tables
        storeID = tables.first?.store ?? .none
        entities = Dictionary(
            uniqueKeysWithValues: tables.map {
                ($0.descriptor.name, EntitySession(table: $0, connection: connection))
            }
        )
    }

    /// Runs `body` in a transaction that takes the write lock at its start.
    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    {
        try enter()
        defer { isActive = false }
        hasTakenSequence = false
        touched = []
        changedRows = 0
        let before = connection.totalChanges
        let pages = connection.writtenPages
        return try withStoreErrors {
            let isFlushing = try durability == .full || durability == .noted && !isFlushed()
            if !isFlushing, durability != .noted { flushedVersion = nil }
            var version: Int64?
            let result = try connection.transaction(
                kind: .immediate,
                synchronous: isFlushing ? .full : .normal
            ) {
                try checkShapes { $0.columns == $1.columns && $0.version == $1.version }
                let result = try body(self)
                for entity in entities.values {
                    try entity.flushSnapshotRows()
                    if !entity.written.isEmpty { try forgetSums(entity) }
                }
                // Here no other connection can commit in between.
                if isFlushing { version = try dataVersion() }
                return result
            }
            changedRows = Int(connection.totalChanges - before)
            if hasTakenSequence, !isFlushing, durability != .written { try connection.flushCommits() }
            // A commit that writes no page does not wait for the disk.
            if let version, connection.writtenPages > pages { flushedVersion = version }
            return result
        }
    }

    /// Whether commits move a large log into the file early: they keep other writers waiting meanwhile.
    func movesLog(early: Bool) {
        connection.checkpoint(
            everyPages: early ? StoreOpening.checkpointEveryPages : 4 * StoreOpening.checkpointEveryPages
        )
    }

    /// Runs `body` on one snapshot.
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try readSession { try body($0) }
    }

    func readSession<Result>(body: (StoreSession) throws -> Result) throws -> Result {
        try enter()
        defer { isActive = false }
        return try withStoreErrors {
            try connection.transaction(kind: .deferred) {
                try checkShapes { found, known in known.columns.allSatisfy(found.columns.contains) }
                return try body(self)
            }
        }
    }

    /// The records that this transaction wrote, by entity.
    var changes: [String: ChangedKeys] {
        entities.compactMapValues { $0.changed.isEmpty ? nil : $0.changed }
    }

    /// Notes that a record is about to be written.
    func touch(_ entity: EntitySession, key: RecordKey, row: Int64? = nil) {
        touch(entity)
        entity.changed.insert(key)
        let found = entity.lastFound.flatMap { $0.key == key ? $0.id : nil }
        if let row = row ?? found { entity.written.insert(row: row) } else { entity.written.insert(key) }
    }

    /// Notes that records of an entity are about to change, so that observers read again.
    func touch(_ entity: EntitySession) {
        // A pull touches one entity thousands of times, and a set is slower than this comparison.
        if entity === lastTouched, !touched.isEmpty { return }
        lastTouched = entity
        touched.insert(entity.table.descriptor.name)
    }

    /// Notes the same of an entity by its name, which this version may not have.
    func touch(entity name: String) {
        if tables.contains(where: { $0.descriptor.name == name }) { touched.insert(name) }
    }

    /// Whether only `.noted` commits happened since the last full flush, here or in another process.
    private func isFlushed() throws -> Bool {
        guard let flushedVersion else { return false }
        return try dataVersion() == flushedVersion
    }

    /// SQLite's data version, which changes when another connection commits.
    func dataVersion() throws -> Int64 {
        try withStoreErrors {
            var number: Int64 = 0
            try connection.cached(sql: "PRAGMA data_version").forEachRow { number = $0.int64(at: 0) }
            return number
        }
    }

    /// The statements of an entity. Throws if the store does not have the entity, or no transaction is running.
    func entity(descriptor: EntityDescriptor) throws -> EntitySession {
        guard let entity = try entity(named: descriptor.name) else {
            throw SyncError.unknownEntity(name: descriptor.name, known: entities.keys.sorted())
        }
        try entity.check(descriptor)
        return entity
    }

    /// The statements of an entity; nil if the store does not have it.
    func entity(named name: String) throws -> EntitySession? {
        guard isActive else { throw SyncError.storeMisuse(sentence: "A transaction was used after its end.") }
        return entities[name]
    }

    /// A statement with values bound from the first parameter on.
    func query(sql: String, values: String...) throws -> Statement {
        guard isActive else { throw SyncError.storeMisuse(sentence: "A transaction was used after its end.") }
        let statement = try connection.cached(sql: sql)
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        return statement
    }

    private func enter() throws {
        if isActive { throw SyncError.storeMisuse(sentence: "A write was started inside another write.") }
        isActive = true
        hasRejections = nil
        for entity in entities.values { entity.begin() }
    }

    /// Checks that no other process has changed the tables so that this one would read or write them wrongly.
    ///
    /// Tables with only added fields can still be read, but not written: values that this process takes for unknown
    /// have a column now.
    private func checkShapes(_ isFine: (_ found: TableShape, _ known: TableShape) -> Bool) throws {
        let statement = try connection.cached(sql: "PRAGMA schema_version")
        var number: Int64 = 0
        try statement.forEachRow { number = $0.int64(at: 0) }
        if number == schemaNumber { return }
        let catalogue = Catalogue(connection: connection)
        for table in tables {
            guard let found = try catalogue.shape(name: table.descriptor.name), isFine(found, table.shape)
            else {
                throw SyncError.incompatibleSchema(
                    entity: table.descriptor.name,
                    reason: "another process has migrated it while it was open here."
                )
            }
        }
        schemaNumber = number
    }
}
