package import SyncCore

/// What an exchange reads from a log before it decides.
package struct LogQuery: Sendable {
    /// The device whose last batch is read.
    package var device: DeviceID
    /// The position whose run is read; nil for none.
    package var seen: Int64?
    /// The records whose present versions are read. A record may occur twice.
    package var records: [LogRecordID]
    /// Whether to read the fingerprints that devices sent at the end of the log.
    package var wantsFingerprints: Bool
    /// The number of records from which the count must be exact. A count below it may be too high by the
    /// records removed since the last count. Nil to count nothing.
    package var countsExactlyFrom: Int?
    /// Whether to read the number of bytes that the account uses.
    package var wantsBytes: Bool
    /// When the decision may write.
    package var writing: Writing
    /// How to create the log if it is missing.
    package var creation: LogCreation

    /// When the decision may write. The store takes its write lock before it reads, or not at all.
    package enum Writing: Sendable, Hashable {
        /// Never.
        case never
        /// If the log ends at this revision.
        case atEnd(Int64)
        /// Always.
        case always
    }

    /// Whether the decision may write to a log that ends at a revision.
    package func mayWrite(at revision: Int64) -> Bool {
        switch writing {
        case .never: false
        case .atEnd(let end): end == revision
        case .always: true
        }
    }
}

/// Identifies a record of a log.
package struct LogRecordID: Sendable, Hashable {
    /// The entity's name.
    package var entity: String
    /// The record's key.
    package var key: RecordKey
}

/// How to create a missing log. `.main` is created with its account; a scratch log replaces expired ones.
package struct LogCreation: Sendable {
    /// The time of creation.
    package var time: Timestamp
    /// Scratch logs created before this time are removed first.
    package var scratchExpiry: Timestamp
    /// The most scratch logs of an account. At the limit the store throws `WireError.tooManyScratchLogs`.
    package var maxScratchLogs: Int
}
