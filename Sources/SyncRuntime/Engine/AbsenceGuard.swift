import SyncCore

/// Decides whether the records that a complete listing lacks count as deleted, at a remote that keeps no tombstones.
///
/// A listing shrinks also for an expired login, another filter or a page that got lost on the way. What is not believed
/// stays, and is reported as missing at the remote.
struct AbsenceGuard: Sendable, Hashable {
    /// How many clean records of the listed scope were known before the listing.
    var known: Int
    /// How many of them the listing lacks.
    var absent: Int
    /// Whether a person has agreed.
    var isAgreed = false

    /// Up to this many records may be missing of a short list, as long as most are there.
    static let fewRecords = 5
    /// The part of the records that may be missing, in percent.
    static let believedPercent = 20

    /// Whether the absent records count as deleted. More than half of a list, of any size, never do by themselves.
    var isBelieved: Bool {
        if isAgreed || absent == 0 { return true }
        guard absent * 2 <= known else { return false }
        return absent <= Self.fewRecords || absent * 100 <= known * Self.believedPercent
    }
}
