package import SyncCore

/// What the header of a record decides alone, without its values.
package enum HeaderDecision: Sendable {
    /// The record stays as it is.
    case known
    /// The incoming version takes the place of a clean record, or is the first that is known of it.
    case taken
}

extension Reconcile {
    /// What becomes of a record by a version of the remote; nil where its values have to be looked at.
    ///
    /// Nearly every record of a pull is decided here, at a fraction of the cost of reading its values
    /// (`PlanWorld.checkHeader` holds it to what the values decide).
    package static func decide(
        header: RecordHeader?,
        incoming: Change.Header,
        metadata theirs: VersionMetadata,
        isLinear: Bool
    ) -> HeaderDecision? {
        if incoming.kind == .outOfScope || incoming.isForked || theirs.hasSiblings { return nil }
        guard let header else { return .taken }
        guard header.state == .synced, !header.hasHeads else { return nil }
        let mine = header.metadata
        guard mine.vector.covers(theirs.vector) else {
            // A record that others have merged into a third may hold something that has yet to meet that.
            let isMerged = incoming.isDeleted && incoming.mergedInto != nil
            return theirs.vector.covers(mine.vector) && !isMerged ? .taken : nil
        }
        let isSame = mine.vector == theirs.vector
        if isLinear { return isSame && mine.editTimestamp == theirs.editTimestamp ? .known : nil }
        // Versions that agree are joined, and then two contents can have one vector.
        return isSame || theirs.isForked(from: mine) ? nil : .known
    }
}
