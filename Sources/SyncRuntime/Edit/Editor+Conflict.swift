package import SyncCore

extension Editor.Edit {
    /// What a person decides on top of all that a conflict shows; nil where there is none.
    package init?(deciding trees: Planner.Trees, _ resolution: Resolution, _ entity: EntityDescriptor) {
        guard let current = trees.local, current.state == .conflict, let remote = trees.remote else {
            return nil
        }
        self.init(current: current.version, record: current.version.record)
        isDeleted = current.version.isDeleted
        alsoSeen = [remote.stamp] + trees.heads.map(\.stamp)
        isForced = true
        switch resolution {
        case .local: break
        case .remote:
            record = Merge(entity).keepingLocalOnly(remote, of: current.version).record
            isDeleted = remote.isDeleted
        case .value(let value):
            record = value
            isDeleted = entity.layout.deleted.map { value.isSet($0) } ?? false
        }
    }
}

extension Planner.Trees {
    /// What a person who deletes the record was shown beside its value: of a conflict, both sides.
    package var seenByDelete: [Stamp] {
        local?.state == .conflict ? [remote?.stamp].compactMap { $0 } : []
    }
}
