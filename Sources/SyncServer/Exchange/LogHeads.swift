import Foundation
import SyncCore

/// Where the accounts' own logs end, from memory: a client that asks whether there is anything new, and there
/// is nothing, is answered without its account's log.
///
/// Only for a store that no other process writes, but for tombstones that are purged, which a reader at the
/// end of the log has no need of. An end is noted only if no change of the account was under way since it was
/// read, so that it is never older than an answer.
final class LogHeads: @unchecked Sendable {
    /// The end of one log.
    struct Head: Sendable {
        var epoch: String
        var revision: Int64
        /// The tag of the run that holds the revision.
        var run: String
        /// The last batches of devices that asked; a device that has none is here with nil.
        var batches: [DeviceID: String?] = [:]
        /// Where devices differ that came to it.
        var differences = RecordDifferences([])

        func isSame(as other: Head) -> Bool { epoch == other.epoch && revision == other.revision }
    }

    /// One use of an account's log, from `begin` to `end`.
    struct Visit: Sendable {
        fileprivate let account: String
        fileprivate let isWriting: Bool
        /// The changes of the account before it.
        fileprivate let changes: Int
    }

    /// The uses of an account's log that are under way.
    private struct Visits {
        var count = 0
        var writers = 0
        /// Changes that ended since the first of them began.
        var changes = 0
    }

    private static let maxAccounts = 100_000
    private static let maxDevices = 64
    private let lock = NSLock()
    // Both guarded by `lock`.
    private var heads: [String: Head] = [:]
    private var visits: [String: Visits] = [:]

    /// Begins to use an account's log. Its end is forgotten where it may grow.
    func begin(_ account: String, isWriting: Bool) -> Visit {
        lock.withLock {
            var open = visits[account] ?? Visits()
            open.count += 1
            if isWriting {
                open.writers += 1
                heads[account] = nil
            }
            visits[account] = open
            return Visit(account: account, isWriting: isWriting, changes: open.changes)
        }
    }

    /// Ends a use of an account's log.
    ///
    /// - Parameters:
    ///   - hasChanged: Whether what is known of its end may be wrong now.
    ///   - head: The log's end as a device was told of it, with the last batch of that device; nil where
    ///     nobody was.
    func end(_ visit: Visit, hasChanged: Bool, head: Head? = nil) {
        lock.withLock {
            guard var open = visits[visit.account] else { return }
            open.count -= 1
            if visit.isWriting { open.writers -= 1 }
            if visit.isWriting || hasChanged {
                open.changes += 1
                heads[visit.account] = nil
            } else if let head, open.writers == 0, open.changes == visit.changes {
                note(head, account: visit.account)
            }
            visits[visit.account] = open.count > 0 ? open : nil
        }
    }

    /// Keeps an end, and what is known of other devices there. Called with the lock held.
    private func note(_ new: Head, account: String) {
        var head = new
        if heads.count >= Self.maxAccounts { heads = [:] }
        if let old = heads[account], old.isSame(as: new), old.batches.count < Self.maxDevices {
            head.batches = old.batches.merging(new.batches) { $1 }
        }
        heads[account] = head
    }

    /// The end of the log, where a reader with this cursor has come to it in all the entities.
    func reached(account: String, cursor: PageCursor, entities: Set<String>, device: DeviceID)
        -> Head?
    {
        guard let head = lock.withLock({ heads[account] }), head.batches[device] != nil,
            cursor.epoch == head.epoch, cursor.seen == head.revision, cursor.run == head.run,
            !cursor.isSnapshot,
            entities.allSatisfy({ cursor.places[$0]?.position == head.revision })
        else { return nil }
        return head
    }
}
