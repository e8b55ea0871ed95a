import SyncCore

/// The number of a revision and the tag of the run that contains it.
struct LogPosition: Sendable, Hashable {
    /// The revision's number; 0 for the beginning.
    var number: Int64
    /// The run's tag; empty at 0.
    var run: String

    /// The revision as clients name it.
    var revision: Revision { StoredVersion.revision(number: number, run: run) }
}
