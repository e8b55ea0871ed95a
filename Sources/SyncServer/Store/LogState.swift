/// The state of a log before an exchange.
package struct LogState: Sendable {
    /// The log's history: 128 random bits. A restarted log gets a new one.
    package var epoch: String
    /// The highest revision.
    package var revision: Int64
    /// The tag of the run that contains the highest revision; empty at 0.
    package var run: String
    /// The tag of the run that contains the query's `seen`; empty at 0 or if not asked for.
    package var seenRun = ""
    /// Whether the next revision continues the last run. A new run starts each time the database is opened,
    /// because it may have been restored from a backup. So a revision number that is issued twice gets two
    /// different names.
    package var continuesRun: Bool
    /// The highest revision of a purged tombstone.
    package var floor: Int64
    /// The last batch of the query's device; nil if it has pushed none.
    package var batch: String?
    /// The present versions of the query's records, in its order; nil for a missing record.
    package var records: [StoredVersion?] = []
    /// Fingerprints that devices sent at the end of the log; empty if not asked for.
    package var fingerprints: [DeviceFingerprints] = []
    /// The number of the account's records, including tombstones and scratch logs; nil if not asked for, or
    /// if the log holds all of the query's records.
    package var usedRecords: Int?
    /// The bytes that the account's logs use; nil if not asked for.
    package var usedBytes: Int?

    /// Makes the state of a log without the optional parts.
    package init(epoch: String, revision: Int64, run: String, continuesRun: Bool, floor: Int64) {
        (self.epoch, self.revision, self.run) = (epoch, revision, run)
        (self.continuesRun, self.floor) = (continuesRun, floor)
    }
}
