public import EntitySync

/// The texts of a `SyncLogView`. An app can replace or translate them.
///
/// ```swift
/// var texts = SyncLogTexts()
/// texts.syncs = String(localized: "Past syncs")
/// ```
public struct SyncLogTexts: Sendable {
    /// The title of the list of automatic decisions.
    public var decisions = "Automatic decisions"
    /// The title of the list of syncs.
    public var syncs = "Past syncs"
    /// Brings back the value that a decision took away.
    public var bringBack = "Bring back what was lost"
    /// A sync that did what it should, for people who do not see the symbol.
    public var done = "Done"
    /// A sync that failed.
    public var failed = "Failed"
    /// A sync that was cancelled.
    public var cancelled = "Cancelled"
    /// A sync that found nothing to do.
    public var nothingNew = "Nothing new"
    /// What a sync did: one of the names of a count below, and how many records it was.
    public var count: @Sendable (_ what: Count, _ records: Int) -> String = { "\($1) \($0.rawValue)" }
    /// What a decision took away, given the name of its rule (`AutomaticDecision.rule`).
    public var rule: @Sendable (String) -> String = { rule in
        switch rule {
        case "last-write-wins": "The later edit was kept."
        case "preserve-local", "set-union": "Two versions were joined."
        case "resolution": "A conflict was decided for another version."
        case "restored": "Another value was brought back."
        case "discarded": "A rejected edit was given up."
        case "cascade": "It was deleted together with what it belonged to."
        case "nullify": "What it referred to was deleted."
        case "circle": "Two moves had put records into each other."
        case "gone-elsewhere": "A record went, with what this device kept to itself."
        case "copied-store": "A copy of this store had written another value."
        case "altered": "The server's database altered what was written."
        case "overwritten": "The whole record was replaced."
        case "renamed": "A field got the name of this value."
        default: rule
        }
    }

    /// What a sync did with records.
    public enum Count: String, Sendable, Hashable, CaseIterable {
        case sent
        case received
        case merged
        case inConflict = "in conflict"
        case rejected
    }

    /// English texts.
    public init() {}

    /// What happened in a sync, in a sentence. The wording of an error is the error's own.
    public func summary(of sync: PastSync) -> String {
        if let error = sync.error { return error.message }
        guard sync.outcome != .failed else { return sync.errorKind == nil ? cancelled : failed }
        let counts: [(Count, Int)] = [
            (.sent, sync.pushed), (.received, sync.pulled), (.merged, sync.merged),
            (.inConflict, sync.conflicts),
            (.rejected, sync.rejected),
        ]
        let parts = counts.filter { $0.1 > 0 }.map { count($0.0, $0.1) }
        return parts.isEmpty ? nothingNew : parts.joined(separator: ", ")
    }
}
