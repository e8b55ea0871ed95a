public import SyncCore
public import SyncRuntime

/// An event for an app's log.
///
/// Events contain names of entities, counts, times and places at the remote, but never what a person wrote. So a log
/// of them can be shared for support.
///
/// ```swift
/// configuration.log = { event in print(event.level, event.message) }
/// ```
public enum SyncEvent: Sendable, Hashable {
    /// A sync begins.
    case syncStarted
    /// The progress of the running sync.
    case progress(SyncProgress)
    /// Something at the remote could not be used.
    case remoteDiagnostic(RemoteDiagnostic)
    /// A sync has ended, after so many seconds.
    case syncEnded(SyncReport, seconds: Double)
    /// A sync has failed, after so many seconds.
    case syncFailed(SyncError, seconds: Double)
    /// A sync was cancelled, after so many seconds: its task was cancelled, its account was left, or its space was
    /// closed.
    case syncCancelled(seconds: Double)
    /// The scheduler enters another phase.
    case scheduled(ScheduleSnapshot.Phase)

    /// How important an event is, in the terms of log systems.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Details for finding a bug.
        case debug
        /// Normal operation.
        case info
        /// Something was left out, or is tried again.
        case warning
        /// A failure that trying again does not fix.
        case error
    }

    /// How important the event is.
    public var level: Level {
        switch self {
        case .syncStarted, .progress, .syncCancelled, .scheduled: .debug
        case .remoteDiagnostic(let diagnostic): diagnostic.isSerious ? .warning : .info
        case .syncEnded(let report, _): report.outcome == .synced ? .info : .warning
        case .syncFailed(let error, _): error.retry == .later ? .warning : .error
        }
    }

    /// The event as one line for a log.
    public var message: String {
        switch self {
        case .syncStarted: "sync started"
        case .progress(let progress): "sync: \(progress.words)"
        case .remoteDiagnostic(let diagnostic):
            "\(diagnostic.place.isEmpty ? "remote" : diagnostic.place): "
                + "\(diagnostic.message) [\(diagnostic.rule)]"
        case .syncEnded(let report, let seconds): "\(report.words) after \(Self.text(seconds: seconds)) s"
        case .syncFailed(let error, let seconds):
            "sync failed after \(Self.text(seconds: seconds)) s: \(error.message)"
        case .syncCancelled(let seconds): "sync cancelled after \(Self.text(seconds: seconds)) s"
        case .scheduled(let phase): "scheduler: \(phase.words)"
        }
    }

    /// Seconds to the millisecond.
    private static func text(seconds: Double) -> String {
        String((seconds * 1000).rounded() / 1000)
    }
}

extension SyncProgress {
    fileprivate var words: String {
        switch self {
        case .started: "asking the remote"
        case .opened: "session open"
        case .pulling(let applied): "\(applied) taken in"
        case .pushing(let count): "\(count) on their way"
        case .finished: "finished"
        }
    }
}

extension SyncReport {
    fileprivate var words: String {
        let counts: [(String, KeyPath<EntityReport, Int>)] = [
            ("pushed", \.pushed), ("pulled", \.pulled), ("merged", \.merged), ("conflicts", \.conflicts),
            ("rejected", \.rejected),
        ]
        let sums = counts.map { word, count in
            "\(word) \(entities.reduce(0) { $0 + $1[keyPath: count] })"
        }
        return "sync \(outcome.rawValue): " + sums.joined(separator: ", ")
    }
}

extension ScheduleSnapshot.Phase {
    fileprivate var words: String {
        switch self {
        case .idle: "idle"
        case .waiting(let until, let why): "next sync at \(until) (\(Self.text(reasons: why)))"
        case .syncing(let profile, let why): "syncing, \(profile.kind.rawValue) (\(Self.text(reasons: why)))"
        case .offline: "offline"
        case .paused: "the account is paused"
        case .backingOff(let until, let attempt): "attempt \(attempt) failed, the next is at \(until)"
        case .halted(let advice): "halted, trying again helps: \(advice.rawValue)"
        case .gaveUp(let attempts): "gave up after \(attempts) failed attempts, until a sync is asked for"
        case .suspended: "suspended until the app has time again"
        case .stopped: "stopped"
        }
    }

    private static func text(reasons: Set<SyncReason>) -> String {
        reasons.map(\.rawValue).sorted().joined(separator: ", ")
    }
}
