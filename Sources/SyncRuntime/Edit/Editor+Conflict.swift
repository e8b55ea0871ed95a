package import SyncCore

extension Editor.Edit {
    /// What a person decides on top of the two sides that a conflict shows; nil where there is none. Other versions that
    /// the remote holds were not shown, and stay.
    package init?(deciding trees: Planner.Trees, _ resolution: Resolution, _ entity: EntityDescriptor) {
        guard let current = trees.local, current.state == .conflict, let remote = trees.remote else {
            return nil
        }
        self.init(current: current.version, record: current.version.record)
        isDeleted = current.version.isDeleted
        alsoSeen = [remote.stamp]
        if !Guard.isOn(.onlyShownReplaced) { alsoSeen += trees.heads.map(\.stamp) }
        isForced = true
        let merge = Merge(entity)
        let undecided = merge.undecided(current.version, remote)
        if !undecided.isEmpty { decided = Set(undecided) }
        switch resolution {
        case .local: break
        case .remote:
            record =
                merge.keepingLocalOnly(
                    merge.draft(remote, over: current.version).version,
                    of: current.version
                ).record
            isDeleted = remote.isDeleted
        case .value(let value):
            record = value
            isDeleted = entity.layout.deleted.map { value.isSet($0) } ?? false
            decided = nil
        }
    }
}

extension Planner.Trees {
    /// What a person who deletes the record was shown beside its value: of a conflict, both sides.
    package var seenByDelete: [Stamp] {
        local?.state == .conflict ? [remote?.stamp].compactMap { $0 } : []
    }

    /// What a person gives up who puts a version in the place of the two sides of a conflict.
    package func givenUp(by version: SyncRecord, _ entity: EntityDescriptor) -> [Planner.Loss] {
        guard let local, local.state == .conflict else { return [] }
        return [local.version, remote].compactMap { $0 }
            .map { Planner.Loss(kept: version, lost: $0) }
            .filter { !$0.lost.isDeleted && !entity.hasSameContent($0.lost, version) }
    }
}
