import SyncCore
import SyncSQLite
import SyncWire

/// Creates scratch logs and removes abandoned ones.
struct ScratchLogs {
    let access: AccountLogs.Access
    let random: any RandomSource
    let creation: LogCreation

    /// Removes the expired logs, then creates one. Throws `WireError` `forbidden` if there are too many.
    func make(_ name: LogName) throws {
        for old in try names(madeBefore: creation.scratchExpiry) {
            try LogSession(name: .scratch(old), access: access, random: random)?.remove()
        }
        guard try names(madeBefore: Timestamp(microseconds: .max)).count < creation.maxScratchLogs
        else { throw WireError.tooManyScratchLogs(count: creation.maxScratchLogs) }
        try LogSession.make(name, on: access.connection, now: creation.time, random: random)
    }

    private func names(madeBefore time: Timestamp) throws -> [String] {
        let query = try access.connection.cached(
            sql: "SELECT substr(name, 9) FROM log WHERE name LIKE 'scratch/%' AND made_at < ?1 ORDER BY name"
        )
        try query.bind(time.microseconds, at: 1)
        var names: [String] = []
        try query.forEachRow { names.append($0.string(at: 0)) }
        return names
    }
}
