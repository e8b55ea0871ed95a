package import SyncCore

/// What can happen to one record.
package enum RecordEvent: Sendable {
    // MARK: From the remote

    /// The remote holds a version. `isForked`: its writer has used sequence numbers twice, as a store does that comes
    /// from a backup, so what it says to have seen may be another edit under the same number.
    case remote(SyncRecord, isForked: Bool = false)
    /// A complete snapshot of the remote has no such record, not even as a tombstone: the remote has forgotten it.
    case absent
    /// A complete snapshot of the remote has no such record because the remote has lost it.
    case lost
    /// The record left what this store may see.
    case outOfScope

    // MARK: Answers to a push

    /// The remote has stored what was sent.
    case accepted(SyncRecord)
    /// The remote has stored another version than the one with `sent`.
    case altered(SyncRecord, sent: VersionMetadata)
    /// The remote has refused the version with `sent`.
    case refused(sent: VersionMetadata)

    // MARK: From people and what follows from their edits

    /// A person, or what follows from their edit, has written a version. `decides`: it resolves a conflict.
    case edited(SyncRecord, decides: Bool = false)
    /// A version that every device writes alike, because it follows from a merge of records.
    case concluded(SyncRecord)
    /// Only values that stay on this device have changed.
    case localValues(SyncRecord)
    /// A person sends a refused version again.
    case retried
    /// A person gives up a refused version.
    case discarded

    // MARK: From other records

    /// A parent was deleted by somebody who had not seen this record.
    case parentDeleted(DeleteCause)
    /// Records with the same unique values are merged into this one.
    case duplicates([Duplicate])
    /// A value that was written here of a record that another device has merged into this one.
    case displaced(SyncRecord)

    // MARK: From a change of identity or remote

    /// A guest's record of the same key is taken over.
    case adopted(SyncRecord)
    /// The device's edits have new names, as the device has. `forgetsBase`: what the edit was made on is in doubt, too.
    case renamed(VersionMetadata, forgetsBase: Bool)
    /// The store joins another remote, which may hold nothing of this.
    case rejoined

    /// A version of a record that is merged into another one.
    package struct Duplicate: Sendable {
        /// The version under its own key.
        package var version: SyncRecord
        /// Whether the person of this device wrote it, and is to be asked where the strategy does not decide.
        package var isOwn: Bool

        package init(version: SyncRecord, isOwn: Bool) {
            self.version = version
            self.isOwn = isOwn
        }
    }
}
