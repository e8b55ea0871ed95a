import EntitySync
import SyncCore

/// An observation that a property wrapper started, which ends with its owner.
final class StartedObservation {
    /// What is observed.
    struct Subject: Equatable {
        /// Identifies the space.
        var space: ObjectIdentifier
        /// The query in the store's form; nil if it cannot be made, or if a single record is observed.
        var query: StoreQuery?
        /// Why the query cannot be made: another one may fail for another reason.
        var failure: SyncError?
        /// The record's key; nil for a query.
        var key: RecordKey?

        /// A query on a space.
        init<Entity: SyncEntity>(space: SyncSpace, query: SyncQuery<Entity>) {
            self.space = ObjectIdentifier(space)
            do {
                self.query = try query.storeQuery()
            } catch { failure = SyncError(shown: error) }
        }

        /// A record of a space.
        init(space: SyncSpace, key: RecordKey) {
            self.space = ObjectIdentifier(space)
            self.key = key
        }
    }

    private var subject: Subject?
    /// Runs the observation.
    var task: Task<Void, Never>?

    deinit { task?.cancel() }

    /// Ends the observation of another subject. Returns false if this one is observed already.
    func begins(_ next: Subject) -> Bool {
        guard next != subject else { return false }
        task?.cancel()
        subject = next
        return true
    }
}
