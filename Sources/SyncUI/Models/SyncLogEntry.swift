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

    /// What happened, in an English sentence. `SyncLogTexts` has the words.
    public var summary: String { SyncLogTexts().summary(of: sync) }

    /// What helps; nil if nothing failed.
    public var advice: String? { sync.error?.help }
}
