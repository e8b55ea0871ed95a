import SyncSQLite

/// The small named values of a store.
extension Connection {
    func storeValue(_ name: String) throws -> String? {
        let statement = try cached(sql: "SELECT value FROM sync_value WHERE name = ?1")
        try statement.bind(name, at: 1)
        defer { statement.reset() }
        return try statement.step() ? statement.string(at: 0) : nil
    }

    func setStoreValue(_ name: String, value: String) throws {
        let sql = """
            INSERT INTO sync_value (name, value) VALUES (?1, ?2) \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """
        let statement = try cached(sql: sql)
        try statement.bind(name, at: 1)
        try statement.bind(value, at: 2)
        try statement.run()
    }

    /// Puts all earlier commits on the disk: the log is written in order. For what is about to leave the store, such as a
    /// backup or the number of an edit: it must not be given to another edit after a power failure.
    func flushCommits() throws {
        try transaction(kind: .immediate, synchronous: .full) {
            // NB: a commit that writes no page does not wait for the disk, so that the value must be another one.
            let count = try storeValue("flushes").flatMap { Int($0) } ?? 0
            try setStoreValue("flushes", value: "\(count + 1)")
        }
    }
}
