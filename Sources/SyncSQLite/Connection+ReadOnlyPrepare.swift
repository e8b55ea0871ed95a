import CSQLite

extension Connection {
    /// Compiles a statement that may only read, and lists the tables and views that it reads (sqlite.org/c3ref/set_authorizer.html).
    ///
    /// Nothing else is allowed: no write, no `PRAGMA`, no `ATTACH`, no transaction.
    package func prepareReading(_ sql: String) throws(SQLiteError) -> (
        statement: Statement, reads: Set<String>
    ) {
        // SQLite makes these two at their first use in a connection, by a statement that is no read.
        for table in ["json_each", "json_tree"] { _ = try prepare("SELECT 1 FROM \(table)('[]')") }
        let reads = ReadNames()
        sqlite3_set_authorizer(
            database,
            { context, action, name, _, _, _ in
                switch action {
                case SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE: return SQLITE_OK
                case SQLITE_READ:
                    if let context, let name {
                        Unmanaged<ReadNames>.fromOpaque(context).takeUnretainedValue()
                            .names.insert(String(cString: name))
                    }
                    return SQLITE_OK
                default: return SQLITE_DENY
                }
            },
            Unmanaged.passUnretained(reads).toOpaque()
        )
        defer { sqlite3_set_authorizer(database, nil, nil) }
        let statement = try prepare(sql)
        return withExtendedLifetime(reads) { (statement, reads.names) }
    }
}

/// The names that a statement reads, while it is compiled.
private final class ReadNames {
    var names: Set<String> = []
}
