public import SyncCore

/// The sync status of a store at one moment.
///
/// Equal snapshots mean that nothing changed, so a status contains instants but no ages.
public struct SyncStatus: Sendable, Hashable {
    /// Counts by entity, in the store's order.
    public var entities: [Entity]
    /// Edits that wait for the remote's acknowledgement, those in flight included.
    public var pending: Int
    /// Edits being sent to the remote now.
    public var inFlight: Int
    /// Records that a person must decide on.
    public var conflicted: Int
    /// Records that the remote rejected, or that could not be taken in.
    public var rejected: Int
    /// Children that wait for their parent.
    public var orphaned: Int
    /// Children that were deleted with a parent, which another device had deleted without having seen them, since
    /// somebody viewed the automatic decisions. They can be restored from the journal.
    public var deletedWithParent: Int
    /// Edits of this device that the remote has stored without something that they wrote, since somebody viewed the
    /// automatic decisions: a trigger has cut a text, or a column has rounded. They can be restored from the journal.
    public var altered: Int
    /// The time of the oldest pending edit; nil if there is none.
    public var oldestPending: Timestamp?
    /// When a sync last succeeded for all that it was to cover: everything that is not excluded (`Outside.excluded`), or the
    /// entities that were named; nil if none did.
    public var lastSuccess: Timestamp?
    /// Whether anything was written since then, pending or not.
    public var hasUnconfirmedWrites: Bool
    /// Whether the last successful sync was partial: something was rejected or skipped, or differs on other devices.
    public var isPartial: Bool
    /// Why the last sync failed; nil after a success.
    public var lastFailure: Failure?
    /// Facts that the store does not know.
    public var outside: Outside

    /// A sync that failed.
    public struct Failure: Sendable, Hashable {
        /// When it ended.
        public var at: Timestamp
        /// Why: a sentence, what to do next, and whether trying again can help.
        public var error: SyncError

        /// Makes a failure.
        public init(at: Timestamp, error: SyncError) {
            self.at = at
            self.error = error
        }
    }

    /// One entity's counts.
    public struct Entity: Sendable, Hashable {
        /// The entity's name.
        public var name: String
        /// Its counts.
        public var counts: EntityCounts
    }

    /// Facts from engine, scheduler, account and remote.
    public struct Outside: Sendable, Hashable {
        /// The progress of the running sync; nil if none runs.
        public var progress: SyncProgress?
        /// The next attempt after a failure; nil if none is planned.
        public var nextRetry: Timestamp?
        /// By how many seconds the remote's clock is ahead of this device's; nil if unknown.
        public var clockSkewSeconds: Double?
        /// The kind of account, and whether the remote accepts it.
        public var account: Account
        /// The phase of the scheduler; nil while none runs.
        public var schedule: ScheduleSnapshot.Phase?
        /// Why the last sync of this process failed; nil after a success.
        public var lastFailure: Failure?
        /// Names of the entities that the person excludes from syncing at present (`SpaceConfiguration.excludes`).
        public var excluded: Set<String>

        /// Makes the facts; unknown by default.
        public init(
            progress: SyncProgress? = nil,
            nextRetry: Timestamp? = nil,
            clockSkewSeconds: Double? = nil,
            account: Account = .guest,
            schedule: ScheduleSnapshot.Phase? = nil,
            lastFailure: Failure? = nil,
            excluded: Set<String> = []
        ) {
            self.progress = progress
            self.nextRetry = nextRetry
            self.clockSkewSeconds = clockSkewSeconds
            self.account = account
            self.schedule = schedule
            self.lastFailure = lastFailure
            self.excluded = excluded
        }
    }

    /// The state of the account.
    public enum Account: Sendable, Hashable {
        /// Nobody is signed in.
        case guest
        /// Somebody is.
        case signedIn
        /// The remote refuses the account until a person acts.
        case paused
    }

    /// Whether all counts are zero, no sync runs, and a sync has confirmed every write. Of excluded entities
    /// (`Outside.excluded`), it says only that nothing waits to be sent.
    public var isInSync: Bool {
        [pending, inFlight, conflicted, rejected, orphaned].allSatisfy { $0 == 0 } && lastSuccess != nil
            && !hasUnconfirmedWrites && !isPartial && outside.progress == nil && outside.account != .paused
    }

    /// How long the oldest edit has waited; nil when none waits. Never negative, even if the clock was set back.
    public func oldestPendingAge(now: Timestamp) -> Duration? {
        oldestPending.map { .microseconds(max(0, now.microseconds - $0.microseconds)) }
    }

    /// Reads the status of a store. Each count comes from an index; only pending records are read.
    package init(
        snapshot: any StoreSnapshot,
        entities: [EntityDescriptor],
        outside: Outside = Outside()
    ) throws {
        self.entities = try entities.map { Entity(name: $0.name, counts: try snapshot.counts(entity: $0)) }
        let counts = self.entities.map(\.counts)
        pending = counts.reduce(0) { $0 + $1.pending }
        conflicted = counts.reduce(0) { $0 + $1.conflicts }
        rejected = counts.reduce(0) { $0 + $1.rejected }
        orphaned = try snapshot.waitingChildren(of: entities).values.reduce(0, +)
        deletedWithParent = try snapshot.deletedWithParent()
        altered = try snapshot.altered()
        inFlight = if case .pushing(let count)? = outside.progress { count } else { 0 }
        oldestPending = try zip(entities, counts).compactMap { entity, counts in
            counts.pending > 0 ? try snapshot.oldestPending(entity: entity) : nil
        }.min()
        lastSuccess = try snapshot.value(name: StoreValue.lastSuccess).flatMap { Timestamp($0) }
        let confirmed = try snapshot.value(name: StoreValue.confirmedSequence).flatMap { Int64($0) }
        hasUnconfirmedWrites = try snapshot.lastSequence() != confirmed ?? 0
        isPartial = try snapshot.value(name: StoreValue.partial) != nil
        lastFailure = Failure.last(seen: outside.lastFailure, stored: try snapshot.lastSync())
        self.outside = outside
    }
}

extension StoreSnapshot {
    /// When both sides last had the same of a record: the end of the last complete sync. Nil if the remote never had
    /// it, if both sides differ beyond an edit that waits, or if no sync was complete.
    package func lastSynced(entity: EntityDescriptor, key: RecordKey) throws -> Timestamp? {
        switch try header(entity: entity, key: key)?.state {
        case .synced: break
        case .pending: guard try side(entity: entity, key: key, kind: .base) != nil else { return nil }
        case .conflict, .rejected, nil: return nil
        }
        return try lastSuccess(of: entity.name)
    }
}
