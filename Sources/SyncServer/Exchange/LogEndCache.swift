import Foundation
import SyncCore

/// Caches the ends of the accounts' main logs, so that a client that is up to date is answered without
/// opening its account's file.
///
/// It requires a store that no other process writes. Purged tombstones are the exception: a reader at the end
/// of the log does not need them. An end is cached only if no change of the account was in progress since it
/// was read, so it is never older than a previous answer.
final class LogEndCache: @unchecked Sendable {
    /// The end of one log.
    struct LogEnd: Sendable {
        var epoch: String
        var revision: Int64
        /// The tag of the run that contains the revision.
        var run: String
        /// The last batches of devices that asked; nil for a device that has none.
        var batches: [DeviceID: String?] = [:]
        /// The differences between the devices that reached this end.
        var differences = RecordDifferences([])

        func isSame(as other: LogEnd) -> Bool { epoch == other.epoch && revision == other.revision }
    }

    /// One access to an account's log, from `begin` to `end`.
    struct Visit: Sendable {
        fileprivate let account: String
        fileprivate let isWriting: Bool
        /// The account's change count when the access began.
        fileprivate let changes: Int
    }

    /// The accesses to an account's log that are in progress.
    private struct Visits {
        var count = 0
        var writers = 0
        /// The changes that ended since the first of them began.
        var changes = 0
    }

    private static let maxAccounts = 100_000
    private static let maxDevices = 64
    private let lock = NSLock()
    // Both are guarded by `lock`.
    private var logEnds: [String: LogEnd] = [:]
    private var visits: [String: Visits] = [:]

    /// Begins an access to an account's log. A writing access discards the cached end.
    func begin(_ account: String, isWriting: Bool) -> Visit {
        lock.withLock {
            var open = visits[account] ?? Visits()
            open.count += 1
            if isWriting {
                open.writers += 1
                logEnds[account] = nil
            }
            visits[account] = open
            return Visit(account: account, isWriting: isWriting, changes: open.changes)
        }
    }

    /// Ends an access to an account's log.
    ///
    /// - Parameters:
    ///   - hasChanged: Whether a cached end may be out of date.
    ///   - head: The end that was sent to a device, with that device's last batch; nil if none was sent.
    func end(_ visit: Visit, hasChanged: Bool, head: LogEnd? = nil) {
        lock.withLock {
            guard var open = visits[visit.account] else { return }
            open.count -= 1
            if visit.isWriting { open.writers -= 1 }
            if visit.isWriting || hasChanged {
                open.changes += 1
                logEnds[visit.account] = nil
            } else if let head, open.writers == 0, open.changes == visit.changes {
                note(head, account: visit.account)
            }
            visits[visit.account] = open.count > 0 ? open : nil
        }
    }

    /// Caches an end together with what is known of other devices there. The caller holds the lock.
    private func note(_ new: LogEnd, account: String) {
        var head = new
        if logEnds.count >= Self.maxAccounts { logEnds = [:] }
        if let old = logEnds[account], old.isSame(as: new), old.batches.count < Self.maxDevices {
            head.batches = old.batches.merging(new.batches) { $1 }
        }
        logEnds[account] = head
    }

    /// The cached end, if a reader with this cursor has reached it in all of the entities.
    func reached(account: String, cursor: PageCursor, entities: Set<String>, device: DeviceID)
        -> LogEnd?
    {
        guard let head = lock.withLock({ logEnds[account] }), head.batches[device] != nil,
            cursor.epoch == head.epoch, cursor.seen == head.revision, cursor.run == head.run,
            !cursor.isSnapshot,
            entities.allSatisfy({ cursor.places[$0]?.position == head.revision })
        else { return nil }
        return head
    }
}
