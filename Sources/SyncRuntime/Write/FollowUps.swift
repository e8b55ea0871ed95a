import SyncCore

/// Records that were changed as a consequence of another change, and may have consequences themselves.
///
/// They wait here instead of being followed at once, so that a long chain of records needs no deep stack.
final class FollowUps {
    /// A record that was changed.
    struct FollowUp {
        var entity: EntityDescriptor
        var key: RecordKey
        var change: Change
    }

    /// What became of the record.
    enum Change {
        /// It was deleted by the edit with this timestamp, by somebody who saw what goes with it.
        case deleted(EditTimestamp)
        /// It was deleted with a parent whose author saw neither it nor what would go with it.
        case deletedUnseen
        /// It lives again.
        case revived
        /// A value of it was changed.
        case edited
    }

    private var waiting: [FollowUp] = []
    private var next = 0
    /// Whether somebody works them off already.
    fileprivate var isRunning = false

    /// Adds a record; the order is kept.
    func add(_ followUp: FollowUp) { waiting.append(followUp) }

    fileprivate func takeNext() -> FollowUp? {
        guard next < waiting.count else { return nil }
        next += 1
        return waiting[next - 1]
    }

    fileprivate func finish() {
        (waiting, next, isRunning) = ([], 0, false)
    }
}

extension References {
    /// Does some work, and then all that follows from it. Inside of such work it only does the work: what follows is
    /// done at the end of the whole.
    @discardableResult
    func withFollowUps<Result>(_ work: () throws -> Result) throws -> Result {
        guard !followUps.isRunning else { return try work() }
        followUps.isRunning = true
        defer { followUps.finish() }
        let result = try work()
        while let followUp = followUps.takeNext() { try perform(followUp) }
        return result
    }

    private func perform(_ followUp: FollowUps.FollowUp) throws {
        let (entity, key) = (followUp.entity, followUp.key)
        switch followUp.change {
        case .deleted(let editTimestamp):
            return try deleteChildren(of: entity, key: key, editTimestamp: editTimestamp)
        case .deletedUnseen: return try applyActions([entity.name: [key]])
        case .revived: try applyActions([entity.name: [key]])
        case .edited: break
        }
        try uniqueConflicts.resolve(entity: entity, touched: [key])
    }
}
