import SyncSQLite

/// What an account may still store, for one request. A delete is always taken, and so is an edit that needs no more space.
struct AccountQuota {
    private let maxRecords: Int?
    private let maxBytes: Int?
    /// Bytes that the file uses, and that this request adds.
    private var usedBytes: Int?
    private var hasCounted = false

    init(_ policy: ExchangePolicy) {
        maxRecords = policy.maxRecords
        maxBytes = policy.maxBytes
    }

    /// Takes what a version needs. Throws `ChangeRefusal` where that is more than there is.
    mutating func take(
        _ version: NewVersion,
        replaced: StoredRecord?,
        access: AccountLogs.Access
    ) throws {
        let growth = version.entry.count - (replaced?.entry.count ?? 0)
        if let maxBytes {
            let used = try usedBytes ?? Self.usedBytes(connection: access.connection)
            guard version.isDeleted || growth <= 0 || used + growth <= maxBytes else {
                throw ChangeError.tooManyBytes
            }
            usedBytes = used + growth
        }
        guard let maxRecords, replaced == nil else { return }
        var count = try access.records ?? Self.records(connection: access.connection)
        if count >= maxRecords, !hasCounted {
            // Some may have gone since they were counted: purged, or with a log that was removed.
            hasCounted = true
            count = try Self.records(connection: access.connection)
        }
        access.records = count
        guard version.isDeleted || count < maxRecords else { throw ChangeError.tooManyRecords }
        access.records = count + 1
    }

    private static func usedBytes(connection: Connection) throws -> Int {
        let pages =
            try connection.integer(sql: "PRAGMA page_count")
            - connection.integer(sql: "PRAGMA freelist_count")
        return Int(pages * (try connection.integer(sql: "PRAGMA page_size")))
    }

    private static func records(connection: Connection) throws -> Int {
        Int(try connection.integer(sql: "SELECT count(*) FROM record"))
    }
}
