import SyncCore

/// Gives a store a new incarnation, after it was copied, restored or retired, or after its remote was emptied.
struct NewIncarnation {
    let store: any LocalStore
    let random: any RandomSource

    /// Takes a new incarnation. Edits that were never published become edits of the new one. So do published edits
    /// from `renewal.firstDoubtful` on: they meet other devices' edits of the same name as concurrent edits, and are
    /// sent again.
    ///
    /// Without `renamingUnsent`, edits that were never published keep their names. No copy of the store may have given
    /// such a name to another edit since.
    ///
    /// A store that joins another remote forgets its agreement with the former one in the same transaction. Otherwise
    /// a join that fails later would leave a store that takes everything for sent.
    func take(
        _ renewal: IncarnationRenewal,
        joiningAt now: Timestamp? = nil,
        renamingUnsent: Bool = true
    ) throws {
        try store.write(.full) { transaction in
            let old = try Incarnation.device(snapshot: transaction)
            let new = DeviceID(random: random.next())
            try transaction.setValue(Incarnation.name, value: new.description)
            if let cursor = try transaction.value(name: StoreValue.cursor) {
                try transaction.setValue(StoreValue.formerCursor, value: cursor)
            }
            for name in [StoreValue.binding, StoreValue.cursor, StoreValue.intent] {
                try transaction.setValue(name, value: nil)
            }
            try transaction.setValue(StoreValue.publishedSequence, value: "0")
            try transaction.setValue(StoreValue.comparing, value: renewal.comparing?.rawValue)
            try transaction.setValue(StoreValue.former, value: try former(snapshot: transaction, adding: old))
            let change = Change(old: old, new: new, firstDoubtful: renewal.firstDoubtful)
            for entity in renamingUnsent ? store.entities : [] {
                var unclean: Set<RecordKey> = []
                for state in [SyncState.pending, .conflict, .rejected] {
                    for key in try transaction.keys(entity: entity, in: state, after: nil, limit: .max) {
                        unclean.insert(key)
                        let place = RecordPlace(entity: entity, key: key, transaction: transaction)
                        try renewUnclean(place, change: change)
                    }
                }
                try renewSynced(entity: entity, besides: unclean, change: change, transaction: transaction)
            }
            if let now { try Rejoin(entities: store.entities).forgetRevisions(transaction, at: now) }
        }
    }

    /// The old and the new identity, and which edits of the old one are in doubt.
    private struct Change {
        let old: DeviceID
        let new: DeviceID
        let firstDoubtful: Int64?

        /// The last sequence of the old identity that is not in doubt.
        var lastCertain: Int64 { firstDoubtful.map { $0 - 1 } ?? .max }
    }

    /// The store's former incarnations and this one; only the last few.
    private func former(snapshot: any StoreSnapshot, adding device: DeviceID) throws -> String {
        (try snapshot.formerIncarnations() + [device]).suffix(16).map(\.description).joined(separator: " ")
    }

    private func renewUnclean(_ place: RecordPlace, change: Change) throws {
        let before = try place.state()
        guard let metadata = before.local?.version.metadata else { return }
        let published = before.base?.metadata.vector[change.old] ?? 0
        let certain = min(published, change.lastCertain)
        guard metadata.vector[change.old] > certain else { return }
        // The base itself is in doubt: the record counts as a create until the remote says more.
        try rename(place, before: before, change: change, after: certain, forgetsBase: published > certain)
    }

    private func rename(
        _ place: RecordPlace,
        before: RecordState,
        change: Change,
        after certain: Int64,
        forgetsBase: Bool
    ) throws {
        guard let version = before.local?.version else { return }
        var metadata = version.metadata
        try renew(&metadata, change: change, after: certain, transaction: place.transaction)
        try place.reconcile(
            .renamed(metadata, forgetsBase: forgetsBase),
            before: before,
            own: OwnDevices(current: change.new),
            at: version.metadata.editTimestamp.time
        )
    }

    /// Sends clean records again if their edits are in doubt.
    private func renewSynced(
        entity: EntityDescriptor,
        besides unclean: Set<RecordKey>,
        change: Change,
        transaction: any StoreTransaction
    ) throws {
        guard change.firstDoubtful != nil else { return }
        var keys: [RecordKey] = []
        try transaction.scan(entity: entity, includeHidden: true) { local in
            let version = local.version
            guard !unclean.contains(version.key), version.metadata.vector[change.old] > change.lastCertain,
                version.metadata.names(device: change.old, after: change.lastCertain)
            else { return }
            keys.append(version.key)
        }
        for key in keys {
            let place = RecordPlace(entity: entity, key: key, transaction: transaction)
            let before = try place.state()
            try rename(place, before: before, change: change, after: change.lastCertain, forgetsBase: false)
        }
    }

    private func renew(
        _ metadata: inout VersionMetadata,
        change: Change,
        after certain: Int64,
        transaction: any StoreTransaction
    ) throws {
        let sequence = try transaction.nextSequence()
        func renewed(editTimestamp: EditTimestamp) -> EditTimestamp {
            guard editTimestamp.device == change.old, editTimestamp.sequence > certain else {
                return editTimestamp
            }
            return EditTimestamp(time: editTimestamp.time, device: change.new, sequence: sequence)
        }
        metadata.vector.truncate(change.old, to: certain)
        metadata.vector.insert(
            EditTimestamp(time: metadata.editTimestamp.time, device: change.new, sequence: sequence)
        )
        metadata.detail = metadata.detail?.mapping(exchange: renewed)
        // NB: the parent's delete also gets a new edit timestamp, so its children could not be found by the old one.
        metadata = metadata.caused(by: nil)
        metadata.editTimestamp = renewed(editTimestamp: metadata.editTimestamp)
    }
}

extension VersionMetadata {
    /// Whether the version names an edit that the device made after a sequence.
    fileprivate func names(device: DeviceID, after sequence: Int64) -> Bool {
        func isMeant(_ editTimestamp: EditTimestamp) -> Bool {
            editTimestamp.device == device && editTimestamp.sequence > sequence
        }
        guard !isMeant(editTimestamp), let detail else { return isMeant(editTimestamp) }
        var isNamed = false
        _ = detail.mapping { editTimestamp in
            if isMeant(editTimestamp) { isNamed = true }
            return editTimestamp
        }
        return isNamed
    }
}

extension StoreSnapshot {
    /// The store's former incarnations, oldest first; only the last few.
    func formerIncarnations() throws -> [DeviceID] {
        (try value(name: StoreValue.former) ?? "").split(separator: " ").compactMap { DeviceID($0) }
    }
}
