public import EntitySync

/// What a status badge shows: a symbol, and a text for people who do not see it.
public struct SyncBadge: Sendable, Hashable {
    /// The state that the badge stands for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The remote holds everything.
        case synced
        /// A sync runs.
        case syncing
        /// There is no network.
        case offline
        /// Changes wait to be synced.
        case waiting
        /// A person must do something: decide a conflict, look at a rejected record, or mend a failure.
        case attention
    }

    /// The state that the badge stands for.
    public let kind: Kind
    /// How many records need a decision of a person: conflicts and rejected records.
    public let decisions: Int
    /// What the badge says in words.
    public let label: String

    /// The badge of a status. What needs a person comes first, then what happens now, then what waits.
    ///
    /// - Parameters:
    ///   - status: The status of a space; nil before the first.
    ///   - texts: The words.
    public init(status: SyncStatus?, texts: SyncStatusTexts = SyncStatusTexts()) {
        let decisions = status.map { $0.conflicted + $0.rejected } ?? 0
        self.decisions = decisions
        guard let status else {
            (kind, label) = (.syncing, texts.syncing)
            return
        }
        if let failure = status.lastFailure, failure.error.retry != .later {
            (kind, label) = (.attention, texts.failed(failure.error))
        } else if status.phase == .paused {
            (kind, label) = (.attention, texts.paused)
        } else if decisions > 0 {
            (kind, label) = (.attention, texts.decisions(decisions))
        } else if status.phase == .offline {
            (kind, label) = (.offline, texts.offline)
        } else if status.outside.progress != nil {
            (kind, label) = (.syncing, texts.syncing)
        } else if status.isInSync {
            (kind, label) = (.synced, texts.synced)
        } else if let failure = status.lastFailure {
            (kind, label) = (.waiting, texts.failed(failure.error))
        } else {
            (kind, label) = (.waiting, status.pending > 0 ? texts.waiting(status.pending) : texts.partial)
        }
    }

    /// The name of a system symbol. It names no service: Apple permits its `icloud` symbols for iCloud alone, and the
    /// badge does not know what the remote is.
    public var symbolName: String { kind.symbolName }
}

extension SyncBadge.Kind {
    /// The name of a system symbol that every system of the package's platforms has.
    package var symbolName: String {
        switch self {
        case .synced: "checkmark.circle"
        case .syncing: "arrow.triangle.2.circlepath"
        case .offline: "wifi.slash"
        case .waiting: "arrow.up.circle"
        case .attention: "exclamationmark.triangle"
        }
    }
}
