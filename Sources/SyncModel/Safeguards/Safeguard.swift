/// What stands between a mishap and a broken promise, one by one, so that tests can take each away and see that it is
/// missed: `Tests/SyncChecksTests/MutationTable.swift` says by what.
package enum Safeguard: String, Sendable, Hashable, CaseIterable {
    // MARK: Edits

    /// A local write is on the medium before its call returns.
    case durableWrites
    /// An edit's time is at least one tick after what it replaces.
    case markTick
    /// Of edits with the same time every device takes the same for the greater.
    case tieBreak
    /// What an automatic decision took away is kept.
    case journal
    /// Where only a person can decide, both sides stay.
    case conflictsKept
    /// A version is superseded only by one that has seen it.
    case headsByVector
    /// Records with the same unique values are brought together.
    case settlement
    /// Of records with the same unique values every device shows the one with the smallest key.
    case smallestKey
    /// A value that was merged into another record and does not survive there is asked about, or kept in the journal.
    case mergedValueKept
    /// References to a merged record become references to its survivor.
    case referencesMove
    /// What follows from other edits is not held to what only a person could correct.
    case checksForPeople
    /// Parts of a record on which nobody has to decide merge at once, and are no part of a decision.
    case partsMerge
    /// A decision replaces only the version that was shown.
    case onlyShownReplaced
    /// A decision about a version that is not there any more is refused.
    case answeredVersion
    /// What a decision gives up is kept.
    case decisionJournaled
    /// A record that somebody put back to what it was counts as written.
    case versionsDecide
    /// A record is not brought back under a parent that is deleted.
    case parentsRestored

    // MARK: Sync

    /// An edit leaves the outbox only when exactly it was acknowledged.
    case acknowledgementByEdit
    /// The cursor moves in the transaction that takes the rows in.
    case cursorWithRows
    /// What a pull has yet to settle is remembered with the rows.
    case settlementRemembered
    /// A record that a page of changes leaves out is not gone.
    case pageKind
    /// A record that cannot be taken in is set aside, and holds up no other.
    case rejectionApart
    /// What a remote forgot is an edit that it lacks.
    case forgottenEdits
    /// A store that was copied takes a name of its own.
    case copyNoticed
    /// After an account was left nothing of its syncs is taken in.
    case accountGate

    // MARK: Server

    /// A change is stored only on top of the state that it was made on.
    case baseRevision
    /// A change is stored only if it has seen what it replaces.
    case seenState
    /// A change that was stored before is answered as accepted.
    case repeatedPush
    /// A cursor from before forgotten tombstones is refused.
    case tombstoneFloor
    /// A cursor of another history is refused.
    case sameHistory
    /// What was acknowledged moves the cursor on to where it is missed when the server is put back.
    case acknowledgedPlace

    // MARK: Folder

    /// Of the entries of a folder only those go that another has seen.
    case entriesByVector
    /// The segment of a push that was never acknowledged is known again.
    case intentKnown
    /// A segment that is not whole is not believed.
    case wholeSegments
    /// A file is believed only under its own name, in its own device's folder.
    case filePlace
    /// A number that was used once is not used again.
    case numbersOnce
    /// Two contents of one number are two files, and readers take both.
    case contentsByName
    /// Edits that others may know with another content are published again by a new incarnation.
    case doubtfulEditsRenewed
    /// A store that joins a folder which lost its files does so as a new incarnation.
    case rejoinRenews
    /// What a folder has lost is published again by who holds it.
    case lostPublishedAgain
    /// A retired device comes back as a new incarnation, and compares what it holds.
    case retiredRenewed
    /// Who has missed tombstones that are dropped compares what it holds with the folder's full state.
    case fullStateAfterCollection
    /// Devices that have seen the same compare what they hold.
    case statesCompared
}
