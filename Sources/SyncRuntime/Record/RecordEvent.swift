package import SyncCore

/// An event that can happen to one record.
package enum RecordEvent: Sendable {
    // MARK: From the remote

    /// The remote has a version. `isForked`: its author has used sequence numbers twice, like a store restored from a
    /// backup, so its vector may mean other edits of the same number. `isAltered`: the remote has stored an edit with
    /// other values than were sent, and this is what it made of it.
    case remote(SyncRecord, isForked: Bool = false, isAltered: Bool = false)
    /// A complete snapshot lacks the record, even as a tombstone: the remote has forgotten it.
    case absent
    /// A complete snapshot lacks the record because the remote has lost it.
    case lost
    /// The record left this store's scope.
    case outOfScope

    // MARK: Answers to a push

    /// The remote has stored what was sent.
    case accepted(SyncRecord)
    /// The remote has stored a different version than the sent one.
    case altered(SyncRecord, sent: SyncRecord)
    /// The remote has rejected the sent version.
    case refused(sent: VersionMetadata)

    // MARK: From people and what follows from their edits

    /// A person has written a version, or it follows from a person's edit. `decides`: it resolves a conflict.
    case edited(SyncRecord, decides: Bool = false)
    /// A person has written a version without having seen what the record is now, and must decide. `base` is what they
    /// saw.
    case editedApart(SyncRecord, base: SyncRecord)
    /// A conclusion from a merge of records, which every device writes alike.
    case concluded(SyncRecord)
    /// Only values that stay on this device have changed.
    case localValues(SyncRecord)
    /// A person sends a rejected version again.
    case retried
    /// A person gives up a rejected version.
    case discarded

    // MARK: From other records

    /// The parent was deleted by somebody who had not seen this record.
    case parentDeleted(DeleteCause)
    /// Records with the same unique values are merged into this one.
    case duplicates([Duplicate])
    /// Another device merged a record into this one, and this device has a value of that record.
    case displaced(SyncRecord)

    // MARK: From a change of identity or remote

    /// A guest's record of the same key is adopted.
    case adopted(SyncRecord)
    /// The device and its edits have new names. `forgetsBase`: the base of the edit is in doubt, too.
    case renamed(VersionMetadata, forgetsBase: Bool)
    /// The store joins another remote, which may have none of its records.
    case rejoined

    /// A version of a record that is merged into another one.
    package struct Duplicate: Sendable {
        /// The version under its own key.
        package var version: SyncRecord
        /// Whether this device's person wrote it, and must be asked if the strategy does not decide.
        package var isOwn: Bool
    }
}
