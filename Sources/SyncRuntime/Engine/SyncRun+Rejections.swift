import SyncCore

/// Records of earlier syncs that could not be taken in.
extension SyncRun {
    /// The rejections that stand. What could not be taken in is gone once this device has a version that has seen it, or
    /// that wins over it by its time: somebody wrote the record anew, and no version may come that has seen both. What
    /// loses this way goes to the journal; what even that cannot read stays.
    func standing(_ rejections: [Rejection]) throws -> [Rejection] {
        let isAnyOvertaken = try store.read { snapshot in
            try rejections.contains { try lost(with: $0, snapshot: snapshot) != nil }
        }
        guard isAnyOvertaken else { return rejections }
        let now = environment.clock.now()
        return try store.write(.pulled) { transaction in
            try rejections.filter { rejection in
                guard let losses = try lost(with: rejection, snapshot: transaction) else { return true }
                try transaction.journal(losses, rule: MergeStrategy.lastWriteWins.rawValue, at: now)
                try transaction.removeRejection(entity: rejection.entity, key: rejection.key, seenBy: nil)
                return false
            }
        }
    }

    /// What loses if the rejection is forgotten; nil if it stands.
    private func lost(with rejection: Rejection, snapshot: any StoreSnapshot) throws -> [Loss]? {
        let changes = rejection.changes
        guard !changes.isEmpty, let entity = store.entities.first(where: { $0.name == rejection.entity }),
            let local = try snapshot.load(entity: entity, key: rejection.key), local.state == .synced
        else { return nil }
        var losses: [Loss] = []
        for change in changes {
            guard let lost = lost(change, to: local.version, of: entity) else { return nil }
            losses += lost
        }
        return losses
    }

    /// What loses if one version is forgotten; nil if it must not be.
    private func lost(_ change: Change, to mine: SyncRecord, of entity: EntityDescriptor) -> [Loss]? {
        guard let theirs = change.header.metadata else { return nil }
        if mine.metadata.vector.covers(theirs.vector) { return [] }
        let isDecidedByTime = entity.layout.units.map(\.rule) == [.lastWriteWins]
        guard isDecidedByTime, mine.metadata.editTimestamp > theirs.editTimestamp,
            let version = try? change.withBody({ body in
                try EntryCodec.version(
                    change.header,
                    metadata: theirs,
                    body: body,
                    descriptor: entity,
                    requiresAll: false
                )
            })
        else { return nil }
        return version.isDeleted ? [] : [Loss(kept: mine, lost: version)]
    }

    /// Tries again to take in what an older schema could not. Under the schemas that refused it, it is not checked
    /// again.
    func retry(_ rejections: [Rejection], pulling: inout Pull) throws {
        let rejections = rejections.filter { $0.raw != nil && !$0.isTriedAgain }
        guard !rejections.isEmpty else { return }
        for rejection in rejections {
            pulling.earlier[Push.Item(entity: rejection.entity, key: rejection.key)] = rejection
        }
        let checks = EntityDescriptor.checksDigest(of: store.entities).description
        guard try store.read({ try $0.value(name: StoreValue.refusedUnder) }) != checks else { return }
        try pulling.write(to: store, .pulled) { next, transaction in
            try transaction.setValue(StoreValue.refusedUnder, value: checks)
            for rejection in rejections {
                let page = RemotePage(rejection)
                guard !page.changes.isEmpty else { continue }
                try transaction.removeRejection(entity: rejection.entity, key: rejection.key, seenBy: nil)
                try next.take([page], transaction: transaction)
            }
        }
    }
}

extension RemotePage {
    /// A page with the changes that were rejected.
    init(_ rejection: Rejection) {
        let changes = rejection.changes.map { change in
            var change = change
            (change.header.revision, change.header.base) = (change.header.base, nil)
            return change
        }
        self.init(changes: changes, cursor: "")
    }
}
