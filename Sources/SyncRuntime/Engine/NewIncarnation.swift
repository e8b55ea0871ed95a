import SyncCore

/// Gives a store an identity of its own: one that was copied, restored or retired, or whose remote was emptied.
struct NewIncarnation {
    let store: any LocalStore
    let random: any RandomSource

    /// Takes a new device identity. Edits that were never published under the old one become edits of the new one,
    /// and so do published ones from `renewal.firstDoubtful` on: they meet what others hold under the same names as
    /// concurrent edits, and are sent again.
    ///
    /// A store that joins another remote forgets in the same transaction what it had agreed with the former one: else a
    /// join that fails afterwards would leave a store that holds everything for sent.
    func take(_ renewal: IncarnationRenewal, joiningAt now: Timestamp? = nil) throws {
        try store.write(.full) { transaction in
            let old = try Incarnation.device(transaction)
            let new = DeviceID(random: random.next())
            try transaction.setValue(Incarnation.name, new.description)
            if let cursor = try transaction.value(StoreValue.cursor) {
                try transaction.setValue(StoreValue.formerCursor, cursor)
            }
            for name in [StoreValue.binding, StoreValue.cursor, StoreValue.intent] {
                try transaction.setValue(name, nil)
            }
            try transaction.setValue(StoreValue.publishedSequence, "0")
            try transaction.setValue(StoreValue.comparing, renewal.comparing?.rawValue)
            try transaction.setValue(StoreValue.former, try former(transaction, adding: old))
            let change = Change(old: old, new: new, firstDoubtful: renewal.firstDoubtful)
            for entity in store.entities {
                var unclean: Set<RecordKey> = []
                for state in [SyncState.pending, .conflict, .rejected] {
                    for key in try transaction.keys(entity, in: state, after: nil, limit: .max) {
                        unclean.insert(key)
                        try renewUnclean(entity, key, change, transaction)
                    }
                }
                try renewSynced(entity, besides: unclean, change, transaction)
            }
            if let now { try Rejoin(entities: store.entities).forgetRevisions(transaction, at: now) }
        }
    }

    /// From which identity to which, and what of the old one is in doubt.
    private struct Change {
        let old: DeviceID
        let new: DeviceID
        let firstDoubtful: Int64?

        /// The last sequence of the old identity that is not in doubt.
        var lastCertain: Int64 { firstDoubtful.map { $0 - 1 } ?? .max }
    }

    /// The incarnations that the store had, this one included, the last ones only.
    private func former(_ snapshot: any StoreSnapshot, adding device: DeviceID) throws -> String {
        (try snapshot.formerIncarnations() + [device]).suffix(16).map(\.description).joined(separator: " ")
    }

    private func renewUnclean(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ change: Change,
        _ transaction: any StoreTransaction
    ) throws {
        guard var local = try transaction.load(entity, key) else { return }
        let base = try transaction.side(entity, key, .base)
        let published = base?.stamp.vector[change.old] ?? 0
        let certain = min(published, change.lastCertain)
        guard local.version.stamp.vector[change.old] > certain else { return }
        try renew(&local.version.stamp, change, after: certain, transaction)
        if published > certain {
            // What it was written on is in doubt itself: it is a create until the remote tells more.
            try transaction.setSide(entity, key, .base, nil)
        }
        try transaction.save(entity, local)
    }

    /// Sends clean records again whose edits are in doubt.
    private func renewSynced(
        _ entity: EntityDescriptor,
        besides unclean: Set<RecordKey>,
        _ change: Change,
        _ transaction: any StoreTransaction
    ) throws {
        guard change.firstDoubtful != nil else { return }
        var keys: [RecordKey] = []
        try transaction.scan(entity, includeHidden: true) { local in
            let version = local.version
            guard !unclean.contains(version.key), version.stamp.vector[change.old] > change.lastCertain,
                version.stamp.names(change.old, after: change.lastCertain)
            else { return }
            keys.append(version.key)
        }
        for key in keys {
            guard var local = try transaction.load(entity, key) else { continue }
            try renew(&local.version.stamp, change, after: change.lastCertain, transaction)
            if local.hasHeads { try transaction.setHeads(entity, key, []) }
            (local.state, local.hasHeads) = (.pending, false)
            try transaction.save(entity, local)
        }
    }

    private func renew(
        _ stamp: inout Stamp,
        _ change: Change,
        after certain: Int64,
        _ transaction: any StoreTransaction
    ) throws {
        let sequence = try transaction.nextSequence()
        func renewed(_ mark: EditMark) -> EditMark {
            guard mark.device == change.old, mark.sequence > certain else { return mark }
            return EditMark(time: mark.time, device: change.new, sequence: sequence)
        }
        stamp.vector.truncate(change.old, to: certain)
        stamp.vector.insert(EditMark(time: stamp.mark.time, device: change.new, sequence: sequence))
        stamp.detail = stamp.detail?.mapping(renewed)
        // NB: the parent's delete gets another mark, too, and would not be found by this one.
        stamp = stamp.caused(by: nil)
        stamp.mark = renewed(stamp.mark)
    }
}

extension Stamp {
    /// Whether the version shows an edit that a device made after a sequence.
    fileprivate func names(_ device: DeviceID, after sequence: Int64) -> Bool {
        func isMeant(_ mark: EditMark) -> Bool { mark.device == device && mark.sequence > sequence }
        guard !isMeant(mark), let detail else { return isMeant(mark) }
        var isNamed = false
        _ = detail.mapping { mark in
            if isMeant(mark) { isNamed = true }
            return mark
        }
        return isNamed
    }
}

extension StoreSnapshot {
    /// Incarnations that the store had before, the last ones only, oldest first.
    func formerIncarnations() throws -> [DeviceID] {
        (try value(StoreValue.former) ?? "").split(separator: " ").compactMap { DeviceID($0) }
    }
}
