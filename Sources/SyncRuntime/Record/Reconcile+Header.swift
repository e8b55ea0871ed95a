package import SyncCore

/// A decision from a record's header alone, without its values.
package enum HeaderDecision: Sendable {
    /// The record stays as it is.
    case known
    /// The incoming version replaces a clean record, or is the first one known.
    case taken
}

extension Reconcile {
    /// Fast path: decides about a version of the remote by its header. Nil if its values are needed.
    ///
    /// Nearly every record of a pull is decided here, at a fraction of the cost of reading its values
    /// (`PlanWorld.checkHeader` checks it against the full decision).
    package static func decide(
        header: RecordHeader?,
        incoming: Change.Header,
        metadata theirs: VersionMetadata,
        remote kind: RemoteKind
    ) -> HeaderDecision? {
        if incoming.kind == .outOfScope || incoming.isForked || theirs.hasSiblings { return nil }
        if incoming.holdsWords { return nil }
        guard let header else { return .taken }
        guard header.state == .synced, !header.hasHeads else { return nil }
        let mine = header.metadata
        guard mine.vector.covers(theirs.vector) else {
            // A record that others merged into a third one may have an edit that has still to merge with that one.
            let isMerged = incoming.isDeleted && incoming.mergedInto != nil
            return theirs.vector.covers(mine.vector) && !isMerged ? .taken : nil
        }
        let isSame = mine.vector == theirs.vector
        if kind == .linear { return isSame && mine.editTimestamp == theirs.editTimestamp ? .known : nil }
        // Agreeing versions are joined, and then two contents can have the same vector.
        return isSame || theirs.isForked(from: mine) ? nil : .known
    }
}
