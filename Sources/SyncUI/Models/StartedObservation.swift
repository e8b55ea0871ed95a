import EntitySync
import SyncCore

/// An observation that a property wrapper started, which ends with its owner.
final class StartedObservation {
    /// What is observed.
    struct Subject: Equatable {
        /// The query in the store's form; nil if it cannot be made, or if a single record is observed.
        var query: StoreQuery?
        /// Why the query cannot be made: another one may fail for another reason.
        var failure: SyncError?
        /// The record's key; nil for a query.
        var key: RecordKey?

        /// A query.
        init<Entity: SyncEntity>(query: SyncQuery<Entity>) {
            do {
                self.query = try query.storeQuery()
            } catch { failure = SyncError(shown: error) }
        }

        /// A record.
        init(key: RecordKey) { self.key = key }
    }

    private var subject: Subject?
    /// Weak, as an account's space goes with the account, and another one may take its place in memory.
    private weak var space: SyncSpace?
    /// Runs the observation.
    var task: Task<Void, Never>?

    deinit { task?.cancel() }

    /// Ends the observation of another subject. Returns whether that was one of the same space; nil if this one is observed
    /// already.
    func begins(_ next: Subject, in nextSpace: SyncSpace) -> Bool? {
        let isSame = space === nextSpace
        guard next != subject || !isSame else { return nil }
        task?.cancel()
        (subject, space) = (next, nextSpace)
        return isSame
    }

    /// Notes the space of what is shown. Returns whether that was another one.
    func enters(_ next: SyncSpace) -> Bool {
        defer { space = next }
        return space !== next
    }

    /// Ends the observation, if there is one. Returns whether there was.
    func ends() -> Bool {
        guard subject != nil else { return false }
        task?.cancel()
        (task, subject, space) = (nil, nil, nil)
        return true
    }
}
