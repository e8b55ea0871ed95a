package import SyncCore

/// What this device knows of one record: three-way merge's local, base and remote.
package struct RecordState: Sendable, Equatable {
    /// What the app sees; nil when the record is unknown here.
    package var local: LocalRecord?
    /// What both sides last agreed on, while the record is not clean.
    package var base: SyncRecord?
    /// What the remote holds, while the record is in conflict.
    package var remote: SyncRecord?
    /// The remote's version with the same content, where only joined times are still to be published.
    package var agreed: SyncRecord?
    /// The remote's heads, where there is more than the shown version.
    package var heads: [SyncRecord] = []

    package init(
        local: LocalRecord? = nil,
        base: SyncRecord? = nil,
        remote: SyncRecord? = nil,
        heads: [SyncRecord] = []
    ) {
        self.local = local
        self.base = base
        self.remote = remote
        self.heads = heads
    }

    /// The state with a version that the remote holds and nothing beside it.
    init(clean version: SyncRecord) {
        local = LocalRecord(version: version, state: .synced)
    }

    /// Whether the record may share unique values with others, or keep or lose its parents, unlike before: not where
    /// only its state towards the remote changed.
    func concernsOthers(since before: RecordState) -> Bool {
        guard let local else { return false }
        return local.version != before.local?.version || heads != before.heads
            || (local.state == .conflict) != (before.local?.state == .conflict)
    }

    /// The version of the remote that this device has seen last; nil where it has seen none.
    var seenAtRemote: SyncRecord? {
        guard let local else { return nil }
        switch local.state {
        case .synced: return local.version
        case .conflict: return remote ?? base
        case .pending, .rejected: return base
        }
    }

    /// The highest sequence of an author that any version here has seen; 0 where none has.
    func highestSequence(of author: DeviceID) -> Int64 {
        ([local?.version, base, remote, agreed].compactMap { $0 } + heads)
            .map { $0.metadata.vector[author] }.max() ?? 0
    }

    /// What a person who deletes the record was shown beside its value: of a conflict, both sides.
    package var seenByDelete: [VersionMetadata] {
        local?.state == .conflict ? [remote?.metadata].compactMap { $0 } : []
    }

    /// What a person gives up who puts a version in the place of the two sides of a conflict.
    package func givenUp(by version: SyncRecord, entity: EntityDescriptor) -> [Loss] {
        guard let local, local.state == .conflict else { return [] }
        return [local.version, remote].compactMap { $0 }
            .map { Loss(kept: version, lost: $0) }
            .filter { !$0.lost.isDeleted && !entity.hasSameContent(left: $0.lost, right: version) }
    }
}
