package import SyncCore

/// What an exchange reads of a log before it decides.
package struct LogQuery: Sendable {
    /// The device whose last batch is read.
    package var device: DeviceID
    /// The position whose run is read; nil for none.
    package var seen: Int64?
    /// The records whose present versions are read. One may be named twice.
    package var records: [LogRecordID]
    /// Whether what devices told at the end of the log is read.
    package var wantsFingerprints: Bool
    /// Where the account's records are counted, the number from which on the count has to be exact: below it,
    /// it may be too high by what went since the last count. Nil where they are not counted.
    package var countsExactlyFrom: Int?
    /// Whether it is read how many bytes the account uses.
    package var wantsBytes: Bool
    /// Which decisions may write.
    package var writing: Writing
    /// How the log is made where it is missing.
    package var creation: LogCreation

    /// Which decisions may write: a store takes its write lock before it reads, or not at all.
    package enum Writing: Sendable, Hashable {
        /// None.
        case never
        /// One on a log that ends at this revision.
        case atEnd(Int64)
        /// Any.
        case always
    }

    /// Whether the decision on a log that ends at a revision may write.
    package func mayWrite(at revision: Int64) -> Bool {
        switch writing {
        case .never: false
        case .atEnd(let end): end == revision
        case .always: true
        }
    }
}

/// Names a record of a log.
package struct LogRecordID: Sendable, Hashable {
    /// The entity's name.
    package var entity: String
    /// The record's key.
    package var key: RecordKey
}

/// How a missing log is made: `.main` with its account, a scratch log in place of those that nobody came back
/// to.
package struct LogCreation: Sendable {
    /// The time that it is made.
    package var time: Timestamp
    /// Scratch logs that were made before are removed first.
    package var scratchExpiry: Timestamp
    /// The most scratch logs of an account. Where there are as many, the store throws
    /// `WireError.tooManyScratchLogs`.
    package var maxScratchLogs: Int
}
