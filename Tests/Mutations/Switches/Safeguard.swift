/// Each case is one safeguard of a promise. Tests disable them one by one and see which promise breaks:
/// `Tests/SyncChecksTests/MutationTable.swift` lists them.
package enum Safeguard: String, Sendable, Hashable, CaseIterable {
    // MARK: Edits

    /// A local write is durable before its call returns.
    case durableWrites
    /// An edit's time is at least one tick after that of the edit it replaces.
    case timestampTick
    /// Every device orders edits of the same time alike.
    case tieBreak
    /// Values that automatic decisions take away are kept in the journal.
    case journal
    /// If only a person can decide, both sides are kept.
    case conflictsKept
    /// A version is replaced only by one that has seen it.
    case headsByVector
    /// Records with the same unique values are merged.
    case duplicatesMerged
    /// Of duplicates, every device keeps the record with the smallest key.
    case smallestKey
    /// A value that a merge of records takes away is kept in the journal, or its person is asked.
    case mergedValueKept
    /// References to a merged record become references to its survivor.
    case referencesMove
    /// Edits that follow from others are not validated: only a person could correct them.
    case checksForPeople
    /// Parts of a record that need no decision merge at once, and are not part of a decision.
    case partsMerge
    /// A decision replaces only the version that was shown.
    case onlyShownReplaced
    /// A decision about an outdated version is rejected.
    case answeredVersion
    /// Values that a decision gives up are kept.
    case decisionJournaled
    /// A record that somebody changed back to its former value counts as edited.
    case versionsDecide
    /// A record is not restored under a deleted parent.
    case parentsRestored
    /// A write under a deleted parent is decided at once, or refused.
    case parentsChecked
    /// What goes with a record that a delete had not seen was not seen, either.
    case depthUnseen
    /// A save of a record that was read changes only what differs from what was read.
    case editsSinceRead
    /// A value that a person gave counts as written, also if it equals the default.
    case defaultsWritten
    /// Values that an app brings along give way to those of people.
    case seedsGiveWay
    /// A reference that a delete cleared returns with its record.
    case clearedReturns
    /// Of moves that make a circle, one is undone.
    case circlesBroken
    /// A record that somebody moved elsewhere does not go with its former parent.
    case moveOutKept
    /// What takes back a delete that did not last gives way to a person's delete.
    case conclusionsYield

    // MARK: Sync

    /// Only the acknowledged edit leaves the outbox.
    case acknowledgementByEdit
    /// The cursor moves in the same transaction as the rows.
    case cursorWithRows
    /// Records that a pull has still to resolve are remembered with the rows.
    case pendingResolutionRemembered
    /// A record missing from a page of changes is not deleted.
    case pageKind
    /// A record that cannot be taken in is kept apart, and does not block others.
    case rejectionApart
    /// Many records that a remote without tombstones lacks at once are not taken for deleted.
    case absenceDoubted
    /// A version that the remote forgot counts as an edit that it lacks.
    case forgottenEdits
    /// A copied store takes a new identity.
    case copyNoticed
    /// After an account was left, nothing from its syncs is taken in.
    case accountGate

    // MARK: Versions of an app

    /// A value of other apps in a field that stays on this device is kept by each edit.
    case carriedLocalValues
    /// A value that stayed on this device until its field is shared becomes an edit.
    case sharedValuesPublished
    /// A renamed field is read under its former name, too.
    case formerNamesRead
    /// A row that the schema cannot read is set aside when the store is opened.
    case unreadableRowsSetAside

    // MARK: Server

    /// A change is stored only on top of its base.
    case baseRevision
    /// A change is stored only if it has seen what it replaces.
    case seenState
    /// A repeated change is answered as accepted.
    case repeatedPush
    /// A cursor older than dropped tombstones is rejected.
    case tombstoneFloor
    /// A cursor of another history is rejected.
    case sameHistory
    /// After an acknowledgement the cursor moves to the acknowledged place, so that a server restored from a backup
    /// is noticed.
    case acknowledgedPlace

    // MARK: Folder

    /// Of a folder's entries, only those that another one has seen are dropped.
    case entriesByVector
    /// A segment is recognised as this store's unacknowledged push.
    case intentKnown
    /// An incomplete segment is not used.
    case wholeSegments
    /// A file is used only under its own name, in its own device's folder.
    case filePlace
    /// A number is used only once.
    case numbersOnce
    /// Two contents of one number are two files, and readers read both.
    case contentsByName
    /// Edits that others may know with different content are published again under a new incarnation.
    case doubtfulEditsRenewed
    /// A store that joins a folder which lost its files takes a new incarnation.
    case rejoinRenews
    /// Versions that a folder has lost are published again by a device that has them.
    case lostPublishedAgain
    /// A retired device returns as a new incarnation, and compares its records.
    case retiredRenewed
    /// A device that missed dropped tombstones compares its records with the folder's full state.
    case fullStateAfterCollection
    /// Devices that have seen the same compare their records.
    case statesCompared
}
