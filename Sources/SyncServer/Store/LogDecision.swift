package import SyncCore

/// What an exchange does with a log.
package struct LogDecision<Note: Sendable>: Sendable {
    /// Places in the query's records whose present entries the answer shows.
    package var shown: [Int]
    /// What is written; nil for nothing.
    package var commit: LogCommit?
    /// The page to be filled.
    package var page: LogPage
    /// What the caller wants to know again with the result.
    package var note: Note
}

/// What an exchange writes to a log.
package struct LogCommit: Sendable {
    /// The time of the commit by the server's clock.
    package var time: Timestamp
    /// The run of the new revisions: the present one where the log continues it, or the tag of one that
    /// begins here.
    package var run: String
    /// The versions, in order: the first has the revision after the log's highest, each further one the next.
    package var versions: [NewVersion]
    /// The last batch of the query's device from now on; nil where that stays.
    package var batch: String?
    /// What a device told at the end of the log, in place of what it told before; nil for nothing. The store
    /// keeps what the last 64 devices told.
    package var fingerprints: DeviceFingerprints?

    /// The most devices of a log of which fingerprints are kept.
    package static let maxDevices = 64
}

/// A version on its way into the log, in place of the record's present one.
package struct NewVersion: Sendable {
    /// The record.
    package var record: LogRecordID
    /// Whether the log holds no version of the record yet.
    package var isNew: Bool
    /// The edit timestamp to be stored.
    package var editTimestamp: EditTimestamp
    /// The edit timestamp as it was sent.
    package var pushed: EditTimestamp
    /// The version vector as text.
    package var vector: String
    /// Whether it is a tombstone.
    package var isDeleted: Bool
    /// The entry, without revision.
    package var entry: [UInt8]
}

/// What an exchange has read and written.
package struct LogResult<Note: Sendable>: Sendable {
    /// The entries that the decision shows, in its order.
    package var shown: [[UInt8]]
    /// The filled page.
    package var page: LogPage
    /// What the decision noted.
    package var note: Note

    /// Makes the result of a decision that was carried out.
    package init(shown: [[UInt8]], page: LogPage, note: Note) {
        (self.shown, self.page, self.note) = (shown, page, note)
    }
}
