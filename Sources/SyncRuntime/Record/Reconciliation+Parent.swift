import SyncCore

/// Children that were deleted with a parent, and edits of them that the delete had not seen.
extension Reconciliation {
    /// Takes the loss of the version out that had moved the record away from the parent with which it was deleted, so
    /// that it goes on at the new place. Nil if there is none.
    mutating func takeMover(entity: EntityDescriptor) -> Loss? {
        guard entity.strategy == .lastWriteWins,
            let index = losses.firstIndex(where: { $0.isLostToParent && isMover($0, entity: entity) })
        else { return nil }
        return losses.remove(at: index)
    }

    /// Whether an edit was lost because the record was deleted with its parent.
    var hasLostToParent: Bool { losses.contains(where: \.isLostToParent) }

    /// Whether the version that lost is elsewhere, and was not moved before the record came to the parent.
    private func isMover(_ loss: Loss, entity: EntityDescriptor) -> Bool {
        guard let cause = loss.kept.metadata.detail?.cause else { return false }
        let references = entity.references.filter { $0.entity == cause.entity && $0.onDelete == .cascade }
        return references.allSatisfy { reference in
            if entity.keys(of: reference, in: loss.lost.record).contains(cause.key) { return false }
            let name = entity.markName(of: reference) ?? ""
            guard let move = loss.kept.metadata.moved[name] else { return true }
            return loss.lost.metadata.moved[name].map { $0.edit >= move.edit } ?? false
        }
    }
}

extension Loss {
    /// Whether a live version lost to a tombstone that followed from a parent's delete.
    fileprivate var isLostToParent: Bool {
        !lost.isDeleted && kept.isDeleted && kept.mergedInto == nil && kept.metadata.detail?.cause != nil
    }
}
