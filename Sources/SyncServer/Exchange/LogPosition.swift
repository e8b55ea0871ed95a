import SyncCore

/// A revision as a number, with the tag of the run that holds it.
struct LogPosition: Sendable, Hashable {
    /// The revision's number; 0 for the place before all.
    var number: Int64
    /// The run's tag; empty at 0.
    var run: String

    /// The revision as clients name it.
    var revision: Revision { StoredVersion.revision(number: number, run: run) }
}
