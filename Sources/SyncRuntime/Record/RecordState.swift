package import SyncCore

/// What this device knows about one record: local, base and remote of a three-way merge.
package struct RecordState: Sendable, Equatable {
    /// What the app sees; nil when the record is unknown here.
    package var local: LocalRecord?
    /// The version that both sides last agreed on, while the record is not clean.
    package var base: SyncRecord?
    /// The remote's version, while the record is in conflict.
    package var remote: SyncRecord?
    /// The remote's version with the same content, if only joined timestamps remain to be published.
    package var agreed: SyncRecord?
    /// The other side of the conflict, if that is an edit of this device that still waits to be sent.
    package var unsent: SyncRecord?
    /// The remote's heads, if there are others than the shown version.
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

    /// The state of a clean record: the remote has the version, and nothing else is kept.
    init(clean version: SyncRecord) {
        local = LocalRecord(version: version, state: .synced)
    }

    /// Whether unique conflicts or references of the record may have changed. False if only its sync state changed.
    func concernsOthers(since before: RecordState) -> Bool {
        guard let local else { return false }
        return local.version != before.local?.version || heads != before.heads
            || (local.state == .conflict) != (before.local?.state == .conflict)
            || (local.state == .rejected) != (before.local?.state == .rejected)
    }

    /// The remote's version that this device has seen last; nil if none.
    package var seenAtRemote: SyncRecord? {
        guard let local else { return nil }
        switch local.state {
        case .synced: return local.version
        case .conflict: return standsForParent || unsent != nil ? base : remote ?? base
        case .pending, .rejected: return base
        }
    }

    /// Whether the other side of the conflict says that a parent was deleted. The remote holds no such version.
    var standsForParent: Bool {
        remote?.metadata.editTimestamp.device == .nobody && remote?.metadata.detail?.cause != nil
    }

    /// The highest sequence of an author in any version here; 0 if none.
    func highestSequence(of author: DeviceID) -> Int64 {
        ([local?.version, base, remote, agreed].compactMap { $0 } + heads)
            .map { $0.metadata.vector[author] }.max() ?? 0
    }

    /// The versions that a person sees, beyond the value, when deleting the record: in a conflict, both sides.
    package var seenByDelete: [VersionMetadata] {
        local?.state == .conflict ? [remote?.metadata].compactMap { $0 } : []
    }

    /// The values that a person gives up by replacing both sides of a conflict with a version.
    package func givenUp(by version: SyncRecord, entity: EntityDescriptor) -> [Loss] {
        guard let local, local.state == .conflict else { return [] }
        let seen = [version, base].compactMap { $0 }
        return [local.version, remote].compactMap { $0 }
            // A delete that is given up takes nothing away but what was written into the deleted record.
            .map { Loss(kept: version, lost: $0.lastWords(beyond: seen, in: entity) ?? $0) }
            .filter { !$0.lost.isDeleted && !entity.hasSameContent(left: $0.lost, right: version) }
    }
}
