public import SyncCore

/// The result of one sync.
public struct SyncReport: Sendable, Hashable {
    /// How it ended.
    public var outcome: Outcome
    /// Requests made to a server; 0 for a folder.
    public var requests: Int
    /// Counts by entity, in name order; every entity of the store is listed.
    public var entities: [EntityReport]
    /// Diagnostics about things at the remote that could not be used.
    public var diagnostics: [RemoteDiagnostic]

    /// Makes a report.
    package init(outcome: Outcome, requests: Int, entities: [EntityReport], diagnostics: [RemoteDiagnostic]) {
        self.outcome = outcome
        self.requests = requests
        self.entities = entities
        self.diagnostics = diagnostics
    }

    /// How a sync ended.
    public enum Outcome: String, Sendable, Hashable {
        /// Everything was exchanged.
        case synced
        /// Everything except what was rejected or skipped.
        case partial
        /// Nothing, or not everything; the error says why.
        case failed
    }
}

/// One sync with its report and its error.
public struct SyncAttempt: Sendable {
    /// What it did. For a failed sync: until then, with the outcome `failed`.
    public var report: SyncReport
    /// Why it failed; nil on success.
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
    /// Edits of this device that the remote accepted, deletes included.
    public var pushed = 0
    /// Versions taken in from the remote, deletes included; without echoes and agreements.
    public var pulled = 0
    /// Versions that the strategy merged.
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

/// The progress of a running sync.
public enum SyncProgress: Sendable, Hashable {
    /// The attempt has begun; the remote has not answered yet.
    case started
    /// A session with the remote is open.
    case opened
    /// So many of the remote's versions were taken in so far.
    case pulling(applied: Int)
    /// So many edits are on their way.
    case pushing(count: Int)
    /// The sync has ended.
    case finished
}

/// Options of a sync.
public struct SyncOptions: Sendable, Hashable {
    /// Read the remote and report what would happen, but write nothing, neither here nor at the remote.
    public var isDryRun = false
    /// Accept a different remote: forget revisions, keep values, merge by strategy.
    public var rejoins = false

    /// Publish at once records that the remote has lost, even if another device may be doing so. Otherwise the sync
    /// after the one that misses them does it.
    public var replacesLosses = false

    /// Accept that a remote without tombstones suddenly shows many records no more: they are removed here, too.
    /// Otherwise they stay, and a diagnostic (`missing-at-remote`) reports them. Ask a person first.
    public var acceptsMissing = false

    /// The former name of `acceptsMissing`.
    @available(*, deprecated, renamed: "acceptsMissing")
    public var believesAbsence: Bool {
        get { acceptsMissing }
        set { acceptsMissing = newValue }
    }

    /// The entities to sync; nil for all, or for all that a person does not exclude (`SpaceConfiguration.excludes`).
    /// Those named are synced, excluded or not. Changes of the others are not sent. A remote that keeps all entities
    /// together, such as a folder, shows theirs nevertheless.
    public var entities: Set<String>?

    /// Makes options; the defaults are the usual ones.
    public init(
        isDryRun: Bool = false,
        rejoins: Bool = false,
        replacesLosses: Bool = false,
        acceptsMissing: Bool = false,
        entities: Set<String>? = nil
    ) {
        self.isDryRun = isDryRun
        self.rejoins = rejoins
        self.replacesLosses = replacesLosses
        self.acceptsMissing = acceptsMissing
        self.entities = entities
    }

    /// Makes options under the former name of `acceptsMissing`.
    @available(*, deprecated, renamed: "init(isDryRun:rejoins:replacesLosses:acceptsMissing:entities:)")
    public init(
        isDryRun: Bool = false,
        rejoins: Bool = false,
        replacesLosses: Bool = false,
        believesAbsence: Bool,
        entities: Set<String>? = nil
    ) {
        self.init(
            isDryRun: isDryRun,
            rejoins: rejoins,
            replacesLosses: replacesLosses,
            acceptsMissing: believesAbsence,
            entities: entities
        )
    }
}
