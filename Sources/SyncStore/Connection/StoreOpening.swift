import SyncCore
import SyncSQLite

/// Opens a store's file: inspects it, creates or migrates it, and returns the write connection.
struct StoreOpening {
    let path: String
    let entities: [EntityDescriptor]
    let random: any RandomSource
    let busyTimeoutMilliseconds: Int32
    /// The medium of the file; nil for the system's.
    let medium: (any DatabaseMedium)?
    /// Whether a store in the file may be brought to the format and the schemas.
    var mayChange = true

    /// The file would have to change.
    struct NeedsChange: Error {}

    /// The write connection, and the tables in the file.
    func open() throws -> (Connection, [EntityTable], OpenFiles.Hold) {
        try EntityChecks.check(entities)
        return try withStoreErrors {
            let (connection, hold) = try OpenFiles.open(path: path, medium: medium) { isKnown in
                if !isKnown { try refuseFile() }
                return try connect(.readWriteCreate)
            }
            do {
                try createIfEmpty(connection)
                try connection.configure(settings: Self.writerSettings)
                // SQLite before 3.44 lets no trigger write to an FTS5 table otherwise. No function of ours can be
                // called from a schema.
                if entities.contains(where: { !$0.search.isEmpty }) { try connection.trustSchema() }
                try checkFormat(connection)
                return (connection, try migrate(connection), hold)
            } catch {
                connection.close()
                hold.release()
                throw error
            }
        }
    }

    /// Opens a read connection.
    func openReader() throws -> Connection {
        try withStoreErrors {
            let connection = try connect(.readOnly)
            try connection.configure(settings: Self.readerSettings)
            return connection
        }
    }

    /// Opens a connection that moves the log, and writes nothing else.
    func openMover() throws -> Connection {
        try withStoreErrors {
            let connection = try connect(.readWrite)
            var settings = Self.writerSettings
            settings.checkpointEveryPages = 0
            try connection.configure(settings: settings)
            return connection
        }
    }

    /// A pulled batch of 5,000 records fits the log, which is then moved into the file at once.
    static let checkpointEveryPages: Int32 = 4000

    private func connect(_ flags: Connection.Flags) throws(SQLiteError) -> Connection {
        let connection = try Connection.open(
            path: path,
            flags: flags,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds,
            medium: medium
        )
        try connection.addQueryFunctions()
        do {
            try connection.addWordTokenizer()
        } catch {
            // An SQLite without FTS5 does for what asks for no search.
            if entities.contains(where: { !$0.search.isEmpty }) { throw error }
        }
        return connection
    }

    /// A large cache, so that random writes to a large store do not read each page again. It grows as needed.
    private static var writerSettings: Settings {
        var settings = Settings()
        settings.cacheSizeKiB = 10 * 1024
        settings.checkpointEveryPages = checkpointEveryPages
        settings.logSizeLimitBytes = 32 * 1024 * 1024
        settings.zeroesFreedSpace = true
        return settings
    }

    private static var readerSettings: Settings {
        var settings = Settings()
        settings.cacheSizeKiB = 8 * 1024
        return settings
    }

    /// Refuses a file that is no store and may not become one.
    private func refuseFile() throws {
        let content = try StoreFile.inspect(path, medium: medium)
        guard mayChange || content == .store else {
            throw SyncError.damagedStore(detail: "it is empty, or a database without records")
        }
        // SQLite would remove the log, and with it what was written last.
        guard try content == .store || !StoreFile.hasLog(path: path, medium: medium) else {
            throw SyncError.damagedStore(detail: "it is empty or gone, but its log ('-wal') holds records")
        }
        guard content == .unmarked else { return }
        // The file has no write-ahead log, so reading it creates no other file.
        let reader = try connect(.readOnly)
        defer { reader.close() }
        guard try reader.isWithoutTables() else { throw SyncError.foreignStore() }
    }

    /// Creates the store's own tables, in a rollback-journal transaction: the application id is then in the file
    /// itself and not in a log. So a file with a log and without the id is known to be foreign.
    private func createIfEmpty(_ connection: Connection) throws {
        if try connection.applicationID() == StoreFormat.applicationID { return }
        try connection.transaction(kind: .immediate) {
            // Another process may have created it meanwhile.
            let found = try connection.applicationID()
            if found == StoreFormat.applicationID { return }
            guard found == 0, try connection.isWithoutTables() else { throw SyncError.foreignStore() }
            try connection.execute(StoreFormat.tables)
            let insert = "INSERT INTO sync_value (name, value) VALUES (?1, ?2)"
            for (name, value) in [
                ("device", DeviceID(random: random.next()).description), ("created", random.uuid()),
            ] {
                let statement = try connection.cached(sql: insert)
                try statement.bind(name, at: 1)
                try statement.bind(value, at: 2)
                try statement.run()
            }
            try connection.setApplicationID(StoreFormat.applicationID)
            try connection.setUserVersion(StoreFormat.version)
        }
    }

    private func checkFormat(_ connection: Connection) throws {
        let version = try connection.userVersion()
        if version > StoreFormat.version {
            throw SyncError.newerStore(found: Int(version), known: Int(StoreFormat.version))
        }
        if version < 1 { throw SyncError.damagedStore(detail: "it has no format number") }
        guard version < StoreFormat.version else { return }
        guard mayChange else { throw NeedsChange() }
        try connection.transaction(kind: .immediate) {
            // Checked again, because another process may have upgraded it meanwhile.
            for step in StoreFormat.steps.dropFirst(Int(try connection.userVersion()) - 1) {
                try step(connection)
            }
            try connection.setUserVersion(StoreFormat.version)
        }
    }

    /// Other processes with other schemas may migrate the tables meanwhile. Who comes last has them.
    private func migrate(_ connection: Connection) throws -> [EntityTable] {
        for _ in 0..<8 {
            do { return try migrateOnce(connection) } catch is Catalogue.Moved {}
        }
        throw SyncError.incompatibleSchema(
            entity: entities.first?.name ?? "",
            reason: "another process migrates it again and again."
        )
    }

    private func migrateOnce(_ connection: Connection) throws -> [EntityTable] {
        let catalogue = Catalogue(connection: connection)
        func plans() throws -> [(EntityDescriptor, TablePlan)] {
            try entities.compactMap { entity in
                let stored = try catalogue.shape(name: entity.name)
                return try TablePlan.make(entity, stored: stored).map { (entity, $0) }
            }
        }
        let found = try connection.transaction(kind: .deferred) {
            try plans().isEmpty ? catalogue.tables(entities: entities) : nil
        }
        guard found != nil || mayChange else { throw NeedsChange() }
        let tables =
            try found
            ?? connection.transaction(kind: .immediate) {
                // Planned again, because another process may have migrated it meanwhile.
                for (descriptor, plan) in try plans() {
                    try StoreMigration(connection: connection, descriptor: descriptor, plan: plan).run()
                }
                return try catalogue.tables(entities: entities)
            }
        try LiveViews(connection: connection, tables: tables).keep()
        try ElementTriggers(connection: connection, tables: tables).keep()
        let check = RowCheck(connection: connection, tables: tables)
        if !mayChange, try !check.isDone { throw NeedsChange() }
        try check.run()
        return tables
    }
}

extension Connection {
    fileprivate func isWithoutTables() throws -> Bool {
        try integer(sql: "SELECT count(*) FROM sqlite_schema") == 0
    }
}
