public import SyncCore

/// Where a store stands towards its remote, at one moment.
///
/// Two snapshots are equal when nothing changed between them, so a status holds instants and no ages.
public struct SyncStatus: Sendable, Hashable {
    /// Counts by entity, in the store's order.
    public var entities: [Entity]
    /// Edits that wait for the remote's acknowledgement, those in flight included.
    public var pending: Int
    /// Edits on their way to the remote just now.
    public var inFlight: Int
    /// Records that a person must decide on.
    public var conflicted: Int
    /// Records that the remote refused, or that could not be taken in.
    public var rejected: Int
    /// Children that wait for their parent.
    public var orphaned: Int
    /// Children that were deleted with their parent, which another device had deleted without having seen them, since somebody
    /// looked at the automatic decisions. They are in the journal, from which they can be brought back.
    public var deletedWithParent: Int
    /// The time of the oldest edit that waits, by its mark; nil when none waits.
    public var oldestPending: Timestamp?
    /// When a sync last exchanged everything; nil when none did.
    public var lastSuccess: Timestamp?
    /// Whether anything was written since then, whether or not it waits still.
    public var hasUnconfirmedWrites: Bool
    /// Whether the last sync that did not fail left something out: something was rejected or skipped, or differs
    /// elsewhere.
    public var isPartial: Bool
    /// Why the last sync failed; nil once one has succeeded.
    public var lastFailure: Failure?
    /// What the store itself does not know.
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

    /// What others than the store tell: engine, scheduler, account, remote.
    public struct Outside: Sendable, Hashable {
        /// Where the running sync is; nil when none runs.
        public var progress: SyncProgress?
        /// When the next attempt is made after a failure; nil when none is planned.
        public var nextRetry: Timestamp?
        /// By how many seconds the remote's clock is ahead of this device's; nil when not known.
        public var clockSkewSeconds: Double?
        /// Whose data this is, and whether the remote lets it in.
        public var account: Account
        /// What the scheduler does; nil while none runs.
        public var schedule: ScheduleSnapshot.Phase?
        /// Why the last sync of this process failed; nil once one has succeeded.
        public var lastFailure: Failure?

        /// Tells nothing, unless told otherwise.
        public init(
            progress: SyncProgress? = nil,
            nextRetry: Timestamp? = nil,
            clockSkewSeconds: Double? = nil,
            account: Account = .guest,
            schedule: ScheduleSnapshot.Phase? = nil,
            lastFailure: Failure? = nil
        ) {
            self.progress = progress
            self.nextRetry = nextRetry
            self.clockSkewSeconds = clockSkewSeconds
            self.account = account
            self.schedule = schedule
            self.lastFailure = lastFailure
        }
    }

    /// The state of the account.
    public enum Account: Sendable, Hashable {
        /// Nobody is signed in.
        case guest
        /// Somebody is.
        case signedIn
        /// The remote does not let the account in until a person acts.
        case paused
    }

    /// Whether everything is zero, nothing runs, and a sync has confirmed all that was written.
    public var isInSync: Bool {
        [pending, inFlight, conflicted, rejected, orphaned].allSatisfy { $0 == 0 } && lastSuccess != nil
            && !hasUnconfirmedWrites && !isPartial && outside.progress == nil && outside.account != .paused
    }

    /// How long the oldest edit has waited; nil when none waits. Never negative, even if the clock was set back.
    public func oldestPendingAge(now: Timestamp) -> Duration? {
        oldestPending.map { .microseconds(max(0, now.microseconds - $0.microseconds)) }
    }

    /// Reads the status of a store. Each count comes from an index; no records are walked but those that wait.
    public init(
        snapshot: any StoreSnapshot,
        entities: [EntityDescriptor],
        outside: Outside = Outside()
    ) throws {
        self.entities = try entities.map { Entity(name: $0.name, counts: try snapshot.counts(entity: $0)) }
        let counts = self.entities.map(\.counts)
        pending = counts.reduce(0) { $0 + $1.pending }
        conflicted = counts.reduce(0) { $0 + $1.conflicts }
        rejected = counts.reduce(0) { $0 + $1.rejected }
        orphaned = try entities.reduce(0) { try $0 + snapshot.orphans(entity: $1) }
        deletedWithParent = try snapshot.deletedWithParent()
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
