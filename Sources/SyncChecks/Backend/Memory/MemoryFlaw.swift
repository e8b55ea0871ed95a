/// Deliberate server defects. Tests use them to verify that the suite detects each one.
package enum MemoryFlaw: String, Sendable, Hashable, CaseIterable {
    /// Stores every change without comparing revisions.
    case ignoresBase
    /// Accepts a create of an existing record.
    case createsOver
    /// Recreates a missing record on an edit that has a base.
    case createsForgotten
    /// Stores a change that names the present revision but has not seen it.
    case trustsVectors
    /// Stores a repeated push again.
    case storesRepeats
    /// Refuses a whole batch because of one bad change.
    case refusesWholeBatches
    /// Accepts a batch over the limit and stores only a part of it.
    case cutsBatches
    /// Assigns the revision that was next when the session opened.
    case givesRevisionsEarly
    /// Moves the cursor to the head with each push.
    case skipsOnPush
    /// Pages by edit time, skipping records with the same time as the page's last one.
    case pagesByTime
    /// Pages by offset, which changes when records are edited.
    case pagesByOffset
    /// Pages through the rows at the opening, but returns the cursor of the present head.
    case pagesFromTheOpening
    /// Returns the last page's cursor with the first page.
    case movesCursorAhead
    /// Always ends before the last row.
    case neverRests
    /// Makes a second request although nothing changed.
    case asksTwice
    /// Marks the first page of a snapshot as complete.
    case claimsToBeComplete
    /// Continues a snapshot although later tombstones were purged.
    case keepsExpiredSnapshots
    /// Continues with changes although later tombstones were purged.
    case neverExpires
    /// Accepts bindings and cursors of another history.
    case acceptsOtherHistories
    /// Takes an invalid cursor for one at the end.
    case takesBrokenCursorsForNew
    /// Continues from a cursor that skipped rows of an entity added since.
    case skipsAddedEntities
    /// Deletes records without tombstones.
    case forgetsTombstones
    /// Delivers tombstones as live records.
    case showsTombstonesAsLive
    /// Drops the survivor's key of a tombstone.
    case dropsSurvivors
    /// Drops field timestamps.
    case dropsFieldTimestamps
    /// Treats similar keys as equal.
    case foldsKeys
    /// Does not detect a copied store.
    case ignoresCopies
    /// Stores pushes of read-only sessions.
    case writesInReadOnlySessions
}
