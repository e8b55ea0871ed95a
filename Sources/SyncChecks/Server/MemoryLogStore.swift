import Foundation
package import SyncCore
package import SyncServer
import SyncWire

/// A server's logs in memory: a double for tests, and the smallest store that keeps what `LogStore` promises.
package final class MemoryLogStore: LogStore, @unchecked Sendable {
    /// Whether the exchange may answer from what it remembers.
    package let isExclusive: Bool
    private let random: any RandomSource
    private let lock = NSLock()
    // Guarded by `lock`.
    private var accounts: [String: [LogName: MemoryServerLog]] = [:]

    /// What a store holds at one time.
    package struct Backup: Sendable {
        fileprivate let accounts: [String: [LogName: MemoryServerLog]]
    }

    /// Makes a store without accounts.
    package init(random: any RandomSource, isExclusive: Bool = false) {
        (self.random, self.isExclusive) = (random, isExclusive)
    }

    /// All that it holds now.
    package func backUp() -> Backup { lock.withLock { Backup(accounts: accounts) } }

    /// Puts a backup in the place of all that it holds, and begins new runs.
    package func restore(_ backup: Backup) {
        lock.withLock { accounts = backup.accounts }
        reopen()
    }

    /// Begins a new run in each log with its next change, as a server does that starts again.
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

    /// Whether an account has a log of that name.
    package func contains(_ log: LogName, account: String) async throws -> Bool {
        lock.withLock { accounts[account]?[log] != nil }
    }

    /// Performs one round trip on one log, while nobody else uses the store.
    package func exchange<Note: Sendable>(
        _ query: LogQuery,
        log name: LogName,
        account: String,
        decide: @escaping @Sendable (LogState) throws -> LogDecision<Note>
    ) async throws -> LogResult<Note> {
        try lock.withLock {
            // A copy, so that nothing is changed where `decide` throws.
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

    /// Removes tombstones up to their cutoffs; nil where there is no such log.
    package func purge(
        _ log: LogName,
        account: String,
        cutoffs: TombstoneCutoffs
    ) async throws -> PurgeResult? {
        lock.withLock { accounts[account]?[log]?.purge(cutoffs: cutoffs) }
    }

    /// Begins a log anew; false where there is no such log.
    package func restart(_ log: LogName, account: String) async throws -> Bool {
        lock.withLock {
            guard let old = accounts[account]?[log] else { return false }
            accounts[account]?[log] = newLog(at: old.madeAt)
            return true
        }
    }

    /// Removes a log; false where there is no such log.
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
