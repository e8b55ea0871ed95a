import SyncCore

/// Referential actions: keeps children and parents consistent, inside the transaction that changed one of them.
///
/// Consequences of a delete are written as edits of this device, so they are pushed like others. Devices that draw
/// the same conclusion write the same content, and then they agree.
struct References {
    let transaction: any StoreTransaction
    let entities: [EntityDescriptor]
    let device: DeviceID
    let now: Timestamp

    /// A child entity and its reference to a parent entity.
    struct Link {
        var child: EntityDescriptor
        var reference: ReferenceDescriptor
    }

    /// References that point to an entity.
    func links(to parent: EntityDescriptor) -> [Link] {
        entities.flatMap { child in
            child.references.filter { $0.entity == parent.name }.map { Link(child: child, reference: $0) }
        }
    }

    /// Rejects a local delete that the schema restricts while there are live children, at any depth.
    func checkDelete(of parent: EntityDescriptor, key: RecordKey) throws {
        for link in links(to: parent) where link.reference.onDelete != .nullify {
            let children = try transaction.children(
                entity: link.child,
                field: link.reference.field,
                parent: key
            )
            if link.reference.onDelete == .restrict, !children.isEmpty {
                throw SyncError.restricted(entity: parent.name, by: link.child.name, count: children.count)
            }
            for child in children { try checkDelete(of: link.child, key: child) }
        }
    }

    /// Cascades a delete to all children that this device sees, or clears their references.
    func deleteChildren(of parent: EntityDescriptor, key: RecordKey, editTimestamp: EditTimestamp) throws {
        let cause = DeleteCause(entity: parent.name, key: key, editTimestamp: editTimestamp)
        for link in links(to: parent) {
            for child in try transaction.children(
                entity: link.child,
                field: link.reference.field,
                parent: key
            ) {
                try follow(link, child: child, cause: cause)
            }
        }
    }

    /// Whether live children, at any depth, restrict a delete of the record.
    func isRestricted(entity: EntityDescriptor, key: RecordKey) throws -> Bool {
        for link in links(to: entity) where link.reference.onDelete != .nullify {
            let children = try transaction.children(
                entity: link.child,
                field: link.reference.field,
                parent: key
            )
            if link.reference.onDelete == .restrict, !children.isEmpty { return true }
            for child in children { if try isRestricted(entity: link.child, key: child) { return true } }
        }
        return false
    }

    private func follow(_ link: Link, child: RecordKey, cause: DeleteCause) throws {
        guard let local = try transaction.load(entity: link.child, key: child) else { return }
        switch link.reference.onDelete {
        case .nullify: try nullify(link, local: local)
        case .cascade: try cascade(entity: link.child, local: local, cause: cause)
        case .restrict: break
        }
    }
}

/// Edits that follow from others.
extension References {
    private func session() -> WriteSession {
        WriteSession(
            transaction: transaction,
            entities: entities,
            device: device,
            now: now,
            random: NoRandom()
        )
    }

    func cascade(entity: EntityDescriptor, local: LocalRecord, cause: DeleteCause) throws {
        let before = try transaction.recordState(entity: entity, key: local.version.key)
        var edit = Editor.Edit(current: local.version, record: local.version.record)
        edit.isDeleted = true
        edit.alsoSeen = before.seenByDelete
        _ = try session().apply(
            edit,
            entity: entity,
            key: local.version.key,
            before: before,
            origin: .consequence,
            resolvesConflict: true,
            cause: cause
        )
        try note(
            entity: entity,
            key: local.version.key,
            detail: "deleted with its \(cause.entity)"
        )
    }

    func nullify(_ link: Link, local: LocalRecord) throws {
        guard let position = link.child.layout.position(of: link.reference.field) else { return }
        var edit = Editor.Edit(current: local.version, record: local.version.record)
        edit.record.values[position] = link.child.fields[position].isNullable ? .null : nil
        _ = try session().apply(
            edit,
            entity: link.child,
            key: local.version.key,
            before: try transaction.recordState(entity: link.child, key: local.version.key),
            origin: .consequence
        )
        try note(
            entity: link.child,
            key: local.version.key,
            detail: "its reference was cleared, as its \(link.reference.entity) was deleted"
        )
    }

    /// Restores a tombstone with its last value.
    func revive(entity: EntityDescriptor, local: LocalRecord, why: String) throws {
        var edit = Editor.Edit(
            current: local.version,
            record: local.version.beforeDelete(in: entity).record
        )
        edit.isDeleted = false
        _ = try session().apply(
            edit,
            entity: entity,
            key: local.version.key,
            before: try transaction.recordState(entity: entity, key: local.version.key),
            origin: .consequence
        )
        try note(entity: entity, key: local.version.key, detail: why)
    }

    func note(entity: EntityDescriptor, key: RecordKey, detail: String) throws {
        try transaction.addHistory(
            entity: entity,
            key: key,
            entry: HistoryEntry(at: now, event: "reference", detail: detail)
        )
    }
}

/// Edits that follow from others need no randomness.
private struct NoRandom: RandomSource {
    func next() -> UInt64 { 0 }
}
