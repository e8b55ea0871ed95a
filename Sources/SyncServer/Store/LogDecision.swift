package import SyncCore

/// What an exchange does to a log.
package struct LogDecision<Note: Sendable>: Sendable {
    /// Indices in the query's records whose present entries the answer contains.
    package var shown: [Int]
    /// What to write; nil for nothing.
    package var commit: LogCommit?
    /// The page to fill.
    package var page: LogPage
    /// The caller's own data, which is returned with the result.
    package var note: Note
}

/// What an exchange writes to a log.
package struct LogCommit: Sendable {
    /// The time of the commit by the server's clock.
    package var time: Timestamp
    /// The run of the new revisions: the present run if the log continues it, otherwise the tag of a new run.
    package var run: String
    /// The versions, in order. They get the revisions after the log's highest one.
    package var versions: [NewVersion]
    /// The device's new last batch; nil to keep the old one.
    package var batch: String?
    /// The device's fingerprints at the end of the log, which replace its older ones; nil for none. The store
    /// keeps those of the last 64 devices.
    package var fingerprints: DeviceFingerprints?

    /// The most devices of a log whose fingerprints are kept.
    package static let maxDevices = 64
}

/// A version to store in place of the record's present one.
package struct NewVersion: Sendable {
    /// The record.
    package var record: LogRecordID
    /// Whether the log holds no version of the record yet.
    package var isNew: Bool
    /// The edit timestamp to store.
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

/// The result of an exchange with a log.
package struct LogResult<Note: Sendable>: Sendable {
    /// The entries that the decision shows, in its order.
    package var shown: [[UInt8]]
    /// The filled page.
    package var page: LogPage
    /// The decision's note.
    package var note: Note

    /// Makes the result of a decision.
    package init(shown: [[UInt8]], page: LogPage, note: Note) {
        (self.shown, self.page, self.note) = (shown, page, note)
    }
}
