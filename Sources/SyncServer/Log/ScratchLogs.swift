import SyncCore
import SyncSQLite
import SyncWire

/// Makes scratch logs, and removes those that nobody came back to.
struct ScratchLogs {
    /// The most scratch logs of one account.
    static let maxCount = 8

    let access: AccountLogs.Access
    let random: any RandomSource
    let now: Timestamp
    let lifetimeSeconds: Int64

    /// Makes a log, after removing the old ones. Throws `WireProblem` `forbidden` when there are enough.
    func make(_ name: LogName) throws {
        for old in try names(madeBefore: now.adding(seconds: -lifetimeSeconds)) {
            try LogSession(name: .scratch(old), access: access, random: random)?.remove()
        }
        guard try names(madeBefore: Timestamp(microseconds: .max)).count < Self.maxCount else {
            throw WireError.tooManyScratchLogs(count: Self.maxCount)
        }
        try LogSession.make(name, on: access.connection, now: now, random: random)
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

extension Timestamp {
    /// The instant some seconds later, or the last or first one that there is.
    func adding(seconds: Int64) -> Timestamp {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = microseconds.addingReportingOverflow(product)
        if isTooLarge || overflow { return Timestamp(microseconds: seconds < 0 ? .min : .max) }
        return Timestamp(microseconds: sum)
    }
}
