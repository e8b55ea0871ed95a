public import SyncCore

/// What one sync did.
public struct SyncReport: Sendable, Hashable {
    /// How it ended.
    public var outcome: Outcome
    /// Requests made to a server; 0 for a folder.
    public var requests: Int
    /// Counts by entity, in name order; every entity of the store is listed.
    public var entities: [EntityReport]
    /// What the remote holds that could not be believed.
    public var problems: [RemoteDiagnostic]

    /// Makes a report.
    package init(outcome: Outcome, requests: Int, entities: [EntityReport], problems: [RemoteDiagnostic]) {
        self.outcome = outcome
        self.requests = requests
        self.entities = entities
        self.problems = problems
    }

    /// How a sync ended.
    public enum Outcome: String, Sendable, Hashable {
        /// Everything was exchanged.
        case synced
        /// Everything but what was rejected or skipped.
        case partial
        /// Nothing, or not all; the error says why.
        case failed
    }
}

/// One sync, however it ended.
public struct SyncAttempt: Sendable {
    /// What it did; where it failed, until then, and the outcome is `failed`.
    public var report: SyncReport
    /// Why it failed; nil where it did not.
    public var error: (any Error)?

    /// Makes an attempt.
    package init(report: SyncReport, error: (any Error)? = nil) {
        self.report = report
        self.error = error
    }
}

/// What one sync did with one entity.
public struct EntityReport: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// Edits of this device that the remote took, deletes included.
    public var pushed = 0
    /// Versions that came from the remote, deletes included; no echoes, no agreements.
    public var pulled = 0
    /// Versions that the strategy made of two.
    public var merged = 0
    /// Records in conflict after the sync.
    public var conflicts = 0
    /// Records rejected after the sync.
    public var rejected = 0

    /// Counts nothing yet.
    public init(entity: String) {
        self.entity = entity
    }
}

/// Where a running sync is.
public enum SyncProgress: Sendable, Hashable {
    /// An attempt has begun, and the remote has not answered yet.
    case started
    /// A session with the remote is open.
    case opened
    /// So many versions of the remote were taken in so far.
    case pulling(applied: Int)
    /// So many edits are on their way.
    case pushing(count: Int)
    /// The sync has ended.
    case finished
}

/// How a sync shall run.
public struct SyncOptions: Sendable, Hashable {
    /// Read the remote and report what would happen, but write nothing, neither here nor there.
    public var isDryRun = false
    /// Accept another remote than the bound one: forget revisions, keep values, merge by strategy.
    public var rejoins = false

    /// Publish again at once what the remote has lost and this store holds, though it may be on its way. Otherwise
    /// that is done by the sync after the one that misses it.
    public var replacesLosses = false

    /// Believe a remote without tombstones that shows no record at all any more: its records are removed here, too.
    /// Otherwise that is told as a problem, and they stay.
    public var believesAbsence = false

    /// The entities to exchange; nil for all. A remote that holds all entities in one, as a folder does, gives all.
    public var entities: Set<String>?

    /// The usual way.
    public init(
        isDryRun: Bool = false,
        rejoins: Bool = false,
        replacesLosses: Bool = false,
        believesAbsence: Bool = false,
        entities: Set<String>? = nil
    ) {
        self.isDryRun = isDryRun
        self.rejoins = rejoins
        self.replacesLosses = replacesLosses
        self.believesAbsence = believesAbsence
        self.entities = entities
    }
}
