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
                try transaction.removeRejection(entity: rejection.entity, key: rejection.key)
                return false
            }
        }
    }

    /// What loses if the rejection is forgotten; nil if it stands.
    private func lost(with rejection: Rejection, snapshot: any StoreSnapshot) throws -> [Loss]? {
        guard let entity = store.entities.first(where: { $0.name == rejection.entity }),
            let change = rejection.raw.flatMap(RemotePage.init(entry:))?.changes.first,
            let theirs = change.header.metadata,
            let local = try snapshot.load(entity: entity, key: rejection.key), local.state == .synced
        else { return nil }
        let mine = local.version.metadata
        if mine.vector.covers(theirs.vector) { return [] }
        let isDecidedByTime = entity.layout.units.map(\.rule) == [.lastWriteWins]
        guard isDecidedByTime, mine.editTimestamp > theirs.editTimestamp,
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
        return version.isDeleted ? [] : [Loss(kept: local.version, lost: version)]
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
                guard let raw = rejection.raw, let page = RemotePage(entry: raw) else { continue }
                try transaction.removeRejection(entity: rejection.entity, key: rejection.key)
                try next.take([page], transaction: transaction)
            }
        }
    }
}

extension RemotePage {
    /// A page with one rejected change; nil if the bytes do not contain one.
    init?(entry bytes: [UInt8]) {
        let read = bytes.withUnsafeBufferPointer { buffer -> Change? in
            var reader = JSONReader(validated: buffer)
            return try? EntryCodec.changeOfAnyText(reader: &reader, bytes: bytes, isText: false)
        }
        guard var change = read else { return nil }
        (change.header.revision, change.header.base) = (change.header.base, nil)
        self.init(changes: [change], cursor: "")
    }
}
