package import SyncCore

extension Editor.Edit {
    /// A person's decision on top of both sides of a conflict; nil if there is no conflict. Other heads were not
    /// shown to the person and stay.
    package init?(deciding recordState: RecordState, resolution: Resolution, entity: EntityDescriptor) {
        guard let current = recordState.local, current.state == .conflict, let remote = recordState.remote
        else {
            return nil
        }
        self.init(current: current.version, record: current.version.record)
        isDeleted = current.version.isDeleted
        alsoSeen = [remote.metadata]
        let merge = Merge(descriptor: entity)
        let undecided = merge.undecided(mine: current.version, other: remote)
        intent = .decide(units: undecided.isEmpty ? nil : Set(undecided))
        switch resolution {
        case .local: break
        case .remote:
            record =
                merge.keepingLocalOnly(
                    merge.draft(mine: remote, over: current.version).version,
                    of: current.version
                ).record
            isDeleted = remote.isDeleted
        case .value(let value):
            record = value
            isDeleted = entity.isDeleted(record: value, over: current.version)
            intent = .decide(units: nil)
        }
    }
}
