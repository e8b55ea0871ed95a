import Foundation
import SyncCore
import SyncWire

/// Where the accounts' own logs end, from memory: a client that asks whether there is anything new, and there is nothing, is
/// answered without its account's file.
///
/// Only this process writes logs (`FolderLock`), but for tombstones that are purged, which a reader at the end of the log has
/// no need of. An end is noted and forgotten while the account's file is held, so that it is never older than an answer.
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

    private static let maxAccounts = 100_000
    private static let maxDevices = 64
    private let lock = NSLock()
    // Guarded by `lock`.
    private var heads: [String: Head] = [:]

    /// Notes the end of a log as a device was told of it.
    func note(
        _ account: String,
        session: LogSession,
        device: DeviceID,
        differences: RecordDifferences?
    ) throws {
        var head = Head(
            epoch: session.epoch,
            revision: session.revision,
            run: try session.runTag(at: session.revision)
        )
        let known = lock.withLock { heads[account].flatMap { $0.isSame(as: head) ? $0.differences : nil } }
        head.differences =
            try differences ?? known ?? RecordDifferences(session.fingerprints(at: session.position()))
        let batch = try session.batch(of: device)
        lock.withLock {
            if heads.count >= Self.maxAccounts { heads = [:] }
            if let old = heads[account], old.isSame(as: head), old.batches.count < Self.maxDevices {
                head.batches = old.batches
            }
            head.batches[device] = .some(batch)
            heads[account] = head
        }
    }

    /// Forgets the end of a log, as it may change.
    func forget(_ account: String) { lock.withLock { heads[account] = nil } }

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
