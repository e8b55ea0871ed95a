/// Mistakes that a server can make, to test that the suite finds them.
package enum MemoryFlaw: String, Sendable, Hashable, CaseIterable {
    /// Stores whatever comes last.
    case ignoresBase
    /// Stores a create over a record that exists.
    case createsOver
    /// Creates a record again that an edit with a base names and that is gone.
    case createsForgotten
    /// Stores a change that has not seen the state it names.
    case trustsVectors
    /// Stores a push that comes again as something new.
    case storesRepeats
    /// Refuses good changes because of a bad one beside them.
    case refusesWholeBatches
    /// Accepts a batch above the limit and stores a part of it.
    case cutsBatches
    /// Gives a change the revision that was next when its session opened.
    case givesRevisionsEarly
    /// Moves the cursor to the head with each push.
    case skipsOnPush
    /// Pages by edit time: what has the time of a page's last record is skipped.
    case pagesByTime
    /// Pages by counting rows, which move when they are edited.
    case pagesByOffset
    /// Pages through the rows of the opening, but ends at the head of the end.
    case pagesFromTheOpening
    /// Gives the last cursor with the first page.
    case movesCursorAhead
    /// Ends one before the last row, again and again.
    case neverRests
    /// Asks twice when nothing happened.
    case asksTwice
    /// Claims that the first page of a snapshot is all of it.
    case claimsToBeComplete
    /// Goes on with a snapshot although what was deleted since is forgotten.
    case keepsExpiredSnapshots
    /// Goes on with changes although what was deleted since is forgotten.
    case neverExpires
    /// Believes bindings and cursors of another history.
    case acceptsOtherHistories
    /// Takes a cursor that it cannot read for one at the end.
    case takesBrokenCursorsForNew
    /// Goes on with a cursor that passed over rows of an entity that was not asked for then.
    case skipsAddedEntities
    /// Deletes without a trace.
    case forgetsTombstones
    /// Delivers tombstones as live records.
    case showsTombstonesAsLive
    /// Does not keep the key of a tombstone's survivor.
    case dropsSurvivors
    /// Does not keep marks of fields and elements.
    case dropsFieldTimestamps
    /// Takes keys that look alike for one.
    case foldsKeys
    /// Does not notice a copied store.
    case ignoresCopies
    /// Stores what a session pushes that only reads.
    case writesInReadOnlySessions
}
