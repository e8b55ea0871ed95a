public import SyncCore
import SyncSQLite

/// What removed records leave in the file.
extension SQLiteStore {
    /// Overwrites what removed records have left. See `LocalStore.overwriteRemains`.
    ///
    /// It writes the full-text indexes of these entities anew, and each free page once. Where the disk has no room for
    /// that, or others use the file, the rest is left to the next time.
    public func overwriteRemains(of entities: [EntityDescriptor]) throws {
        try maintain { session in
            let connection = session.connection
            do {
                try connection.execute("PRAGMA secure_delete = ON")
                defer { try? connection.execute("PRAGMA secure_delete = FAST") }
                for entity in entities where !entity.search.isEmpty {
                    let name = try SearchTable(descriptor: entity, fields: entity.search).name
                    try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('optimize')")
                }
                try connection.overwriteFreePages()
                try connection.checkpoint(mode: .truncate)
            } catch let error as SQLiteError where error.isBusy || error.isDiskFull {
                return
            }
        }
    }
}

extension Connection {
    /// The most bytes that one row takes.
    private static let bytesAtOnce: Int64 = 1 << 20

    /// Takes all free pages for rows of zeros, and gives them back.
    fileprivate func overwriteFreePages() throws {
        try transaction(kind: .immediate) {
            var bytes = try integer(sql: "PRAGMA freelist_count") * integer(sql: "PRAGMA page_size")
            var number = 0
            while bytes > 0 {
                let size = min(bytes, Self.bytesAtOnce)
                try execute(
                    "INSERT INTO sync_held (entity, chunk, bits) VALUES ('', \(number), zeroblob(\(size)))"
                )
                (bytes, number) = (bytes - size, number + 1)
            }
            try execute("DELETE FROM sync_held WHERE entity = ''")
        }
    }
}
