/// A log as an exchange finds it.
package struct LogState: Sendable {
    /// The log's own history: 128 random bits. A log that begins anew has another.
    package var epoch: String
    /// The highest revision.
    package var revision: Int64
    /// The tag of the run that holds the highest revision; empty at 0.
    package var run: String
    /// The tag of the run that holds the query's `seen`; empty where that is 0 or not asked for.
    package var seenRun = ""
    /// Whether the next revision continues the log's last run. It begins another one after each opening of a
    /// database that may have been put back from a backup: so a revision that is given twice has two names.
    package var continuesRun: Bool
    /// The highest revision of a tombstone that was purged.
    package var floor: Int64
    /// The last batch of the query's device; nil when it has pushed none.
    package var batch: String?
    /// The present versions of the query's records, in its order; nil where the log holds none.
    package var records: [StoredVersion?] = []
    /// What devices told at the end of the log; empty where it was not asked for.
    package var fingerprints: [DeviceFingerprints] = []
    /// The number of the account's records, tombstones and scratch logs included; nil where it was not asked
    /// for, or where the log holds all of the query's records.
    package var usedRecords: Int?
    /// The bytes that the account's logs use; nil where that was not asked for.
    package var usedBytes: Int?

    /// A log of which nothing else was read.
    package init(epoch: String, revision: Int64, run: String, continuesRun: Bool, floor: Int64) {
        (self.epoch, self.revision, self.run) = (epoch, revision, run)
        (self.continuesRun, self.floor) = (continuesRun, floor)
    }
}
