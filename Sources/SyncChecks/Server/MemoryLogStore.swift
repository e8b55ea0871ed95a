import Foundation
package import SyncCore
package import SyncServer
import SyncWire

/// In-memory server logs for tests, with the least code that keeps the promises of `LogStore`.
package final class MemoryLogStore: LogStore, @unchecked Sendable {
    /// Whether the exchange may cache the ends of logs.
    package let isExclusive: Bool
    private let random: any RandomSource
    private let lock = NSLock()
    // Guarded by `lock`.
    private var accounts: [String: [LogName: MemoryServerLog]] = [:]

    /// The content of a store at one time.
    package struct Backup: Sendable {
        fileprivate let accounts: [String: [LogName: MemoryServerLog]]
    }

    /// Makes a store without accounts.
    package init(random: any RandomSource, isExclusive: Bool = false) {
        (self.random, self.isExclusive) = (random, isExclusive)
    }

    /// A backup of the present content.
    package func backUp() -> Backup { lock.withLock { Backup(accounts: accounts) } }

    /// Restores a backup and starts new runs.
    package func restore(_ backup: Backup) {
        lock.withLock { accounts = backup.accounts }
        reopen()
    }

    /// Starts a new run in each log with its next change, like a restarted server.
    package func reopen() {
        lock.withLock {
            accounts = accounts.mapValues { logs in
                logs.mapValues { log in
                    var log = log
                    log.continuesRun = false
                    return log
                }
            }
        }
    }

    /// The accounts that have a log, sorted.
    package func accounts() async throws -> [String] { lock.withLock { accounts.keys.sorted() } }

    /// Whether an account has a log with that name.
    package func contains(_ log: LogName, account: String) async throws -> Bool {
        lock.withLock { accounts[account]?[log] != nil }
    }

    /// Performs one round trip on one log with exclusive access.
    package func exchange<Note: Sendable>(
        _ query: LogQuery,
        log name: LogName,
        account: String,
        decide: @escaping @Sendable (LogState) throws -> LogDecision<Note>
    ) async throws -> LogResult<Note> {
        try lock.withLock {
            // A copy, so that nothing changes if `decide` throws.
            var logs = accounts[account] ?? [.main: newLog(at: query.creation.time)]
            if logs[name] == nil { try make(name, in: &logs, creation: query.creation) }
            guard var log = logs[name] else { throw LogStoreError(.mistake, cause: "no log") }
            let state = log.state(query: query, used: logs.values.map(\.usage))
            let decision = try decide(state)
            let shown = decision.shown.map { log.entry(of: query.records[$0]) }
            if let commit = decision.commit {
                guard query.mayWrite(at: state.revision) else {
                    throw LogStoreError(.mistake, cause: "a commit that the query did not announce")
                }
                log.write(commit, device: query.device)
            }
            var page = decision.page
            log.fill(&page)
            logs[name] = log
            accounts[account] = logs
            return LogResult(shown: shown, page: page, note: decision.note)
        }
    }

    /// Removes tombstones up to their cutoffs; nil if there is no such log.
    package func purge(
        _ log: LogName,
        account: String,
        cutoffs: TombstoneCutoffs
    ) async throws -> PurgeResult? {
        lock.withLock { accounts[account]?[log]?.purge(cutoffs: cutoffs) }
    }

    /// Restarts a log; false if there is no such log.
    package func restart(_ log: LogName, account: String) async throws -> Bool {
        lock.withLock {
            guard let old = accounts[account]?[log] else { return false }
            accounts[account]?[log] = newLog(at: old.madeAt)
            return true
        }
    }

    /// Removes a log; false if there is no such log.
    package func remove(_ log: LogName, account: String) async throws -> Bool {
        lock.withLock { accounts[account]?.removeValue(forKey: log) != nil }
    }

    private func newLog(at time: Timestamp) -> MemoryServerLog {
        let epoch = "\(DeviceID(bits: random.next()))\(DeviceID(bits: random.next()))"
        return MemoryServerLog(epoch: epoch, madeAt: time)
    }

    private func make(
        _ name: LogName,
        in logs: inout [LogName: MemoryServerLog],
        creation: LogCreation
    ) throws {
        logs = logs.filter { $0.key.isMain || $0.value.madeAt >= creation.scratchExpiry }
        guard logs.count(where: { !$0.key.isMain }) < creation.maxScratchLogs else {
            throw WireError.tooManyScratchLogs(count: creation.maxScratchLogs)
        }
        logs[name] = newLog(at: creation.time)
    }
}
