public import EntitySync
public import Foundation

/// A past sync as a row of a log.
public struct SyncLogEntry: Sendable, Hashable, Identifiable {
    /// The sync.
    public let sync: PastSync

    /// A row for a sync.
    public init(_ sync: PastSync) { self.sync = sync }

    /// When the sync began, which no other sync of a space did.
    public var id: Int64 { sync.started.microseconds }

    /// When the sync began.
    public var started: Date { Date(timeIntervalSince1970: Double(sync.started.microseconds) / 1_000_000) }

    /// How long it took.
    public var duration: Duration { .microseconds(sync.ended.microseconds - sync.started.microseconds) }

    /// Whether something failed.
    public var isFailure: Bool { sync.outcome == .failed && sync.errorKind != nil }

    /// What happened, in a sentence.
    public var summary: String {
        if let error = sync.error { return error.message }
        if isFailure { return "The sync failed." }
        let counts = [
            (sync.pushed, "sent"), (sync.pulled, "received"), (sync.merged, "merged"),
            (sync.conflicts, "in conflict"), (sync.rejected, "rejected"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if sync.outcome == .failed { return "Cancelled" }
        return parts.isEmpty ? "Nothing new" : parts.joined(separator: ", ")
    }

    /// What helps; nil if nothing failed.
    public var advice: String? { sync.error?.help }
}
