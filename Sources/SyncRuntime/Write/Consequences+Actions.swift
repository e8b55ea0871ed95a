import SyncCore

/// Referential actions for children and parents that arrived from other devices.
extension Consequences {
    /// Checks changed records, the records that refer to them, and the records to which they refer.
    ///
    /// Runs when all pages are in: a tombstone that follows from a parent's delete may arrive before that delete.
    func applyActions(_ touched: [String: Set<RecordKey>]) throws {
        // Parents first, so that their children see a parent that was revived.
        for entity in entities where !entity.references.isEmpty || !links(to: entity).isEmpty {
            for key in (touched[entity.name] ?? []).sorted() {
                try run {
                    if !entity.trees.isEmpty { maybeMoved[entity.name, default: []].insert(key) }
                    try applyActions(to: place(entity: entity, key: key))
                }
            }
        }
    }

    /// Whether a changed record may need referential actions: it is a tombstone, a former delete of it deleted
    /// children, or it has a parent that is deleted or hidden.
    func concern(_ place: RecordPlace) throws -> Bool {
        guard let header = try place.header() else { return false }
        if header.visibility != .live { return true }
        let entity = place.entity
        for link in links(to: entity) where link.reference.onDelete == .cascade {
            if try !tombstonedChildren(link, of: place.key).isEmpty { return true }
        }
        if try !childrenWithout(place).isEmpty { return true }
        guard !entity.references.isEmpty, let local = try place.load() else { return false }
        if try local.version.metadata.cleared.contains(where: { try target(of: $0) != nil }) { return true }
        if try isInCircle(local, entity: entity) { return true }
        return try entity.references.contains { reference in
            guard let parents = entities.first(where: { $0.name == reference.entity }) else { return false }
            return try entity.keys(of: reference, in: local.version.record).contains { parent in
                try transaction.header(entity: parents, key: parent).map { $0.visibility != .live } ?? false
            }
        }
    }

    private func tombstonedChildren(_ link: Link, of parent: RecordKey) throws -> [RecordKey] {
        try transaction.tombstonedChildren(entity: link.child, reference: link.reference, parent: parent)
    }

    func applyActions(to place: RecordPlace) throws {
        guard let local = try place.load() else { return }
        let entity = place.entity
        switch local.visibility {
        case .deleted where local.version.mergedInto != nil:
            try redirectChildren(of: place)
            try fillReferences(to: place)
        case .deleted: try applyTombstone(entity: entity, local: local)
        case .live, .setAside:
            if try redirect(entity: entity, local: local) { return }
            try reviveChildren(of: entity, parent: local)
            try fillReferences(to: place)
            try fillReferences(of: place)
            for reference in entity.references {
                guard reference.onDelete != .keep else { continue }
                for parent in entity.keys(of: reference, in: local.version.record) {
                    // What was done for one parent may have changed the record.
                    guard let local = try place.load(), local.visibility.exists else { return }
                    try applyActions(entity: entity, local: local, reference: reference, parent: parent)
                }
            }
        }
    }

    /// Revives a tombstone whose cause is void. Otherwise applies the delete to children that its author had not
    /// seen.
    private func applyTombstone(entity: EntityDescriptor, local: LocalRecord) throws {
        if try isVoid(local) { return try undoDelete(entity: entity, local: local) }
        for link in links(to: entity) where link.reference.onDelete != .keep {
            for child in try children(link, of: local.version.key) {
                guard let record = try transaction.load(entity: link.child, key: child) else { continue }
                try meet(link, child: record, parent: entity, deleted: local)
            }
        }
    }

    /// Whether the tombstone follows from a known delete that did not last.
    private func isVoid(_ local: LocalRecord) throws -> Bool {
        guard let cause = local.version.metadata.detail?.cause,
            let entity = entities.first(where: { $0.name == cause.entity }),
            let parent = try transaction.header(entity: entity, key: cause.key)
        else { return false }
        return parent.visibility != .deleted && isOverruled(cause, by: parent)
    }

    /// Whether a delete is known to a record, or was certain to lose to it: whoever wrote the record later need not have
    /// seen the delete, which may have given way to that edit before it was published. Nobody else has what a server
    /// refuses, so the delete lasts there.
    func isOverruled(_ cause: DeleteCause, by header: RecordHeader) -> Bool {
        if header.state == .rejected { return false }
        let metadata = header.metadata
        if metadata.vector.covers(cause.editTimestamp) { return true }
        return header.state != .conflict && !header.hasHeads && !metadata.editTimestamp.device.isConclusion
            && metadata.editTimestamp > cause.editTimestamp
    }

    /// Takes back a delete that followed from one that did not last. Nobody makes this edit, and every device makes it
    /// alike.
    private func undoDelete(entity: EntityDescriptor, local: LocalRecord) throws {
        let reason = "its parent lives on"
        guard let version = RecordMove(entity).revived(tombstone: local.version) else { return }
        going = [:]
        try conclude(version, entity: entity, because: reason, change: .revived)
    }

    private func reviveChildren(of entity: EntityDescriptor, parent: LocalRecord) throws {
        for link in links(to: entity) where link.reference.onDelete == .cascade {
            for key in try tombstonedChildren(link, of: parent.version.key) {
                guard let child = try transaction.load(entity: link.child, key: key), try isVoid(child) else {
                    continue
                }
                try undoDelete(entity: link.child, local: child)
            }
        }
    }

    /// Applies a parent's delete to a live record.
    private func applyActions(
        entity: EntityDescriptor,
        local: LocalRecord,
        reference: ReferenceDescriptor,
        parent key: RecordKey
    ) throws {
        guard let parents = entities.first(where: { $0.name == reference.entity }) else { return }
        let survivor = try transaction.survivor(entity: parents, key: key)
        guard let parent = try transaction.load(entity: parents, key: survivor), parent.visibility == .deleted
        else { return }
        try meet(Link(child: entity, reference: reference), child: local, parent: parents, deleted: parent)
    }

    /// A person decided to keep a child whose parent was deleted elsewhere: its parents are revived, and theirs.
    func reviveParents(of child: SyncRecord, entity: EntityDescriptor) throws {
        let parents = try deletedAncestors(of: child, entity: entity) { $0.local.state != .conflict }
        // What follows from one waits until all live.
        try run {
            for parent in parents.reversed() {
                try revive(
                    entity: parent.entity,
                    local: parent.local,
                    why: "a \(parent.child) was kept that needs it"
                )
            }
        }
    }

    /// A deleted record that another one cannot do without.
    struct Ancestor {
        /// The entity of the record that needs it.
        var child: String
        var entity: EntityDescriptor
        var local: LocalRecord
    }

    /// The deleted parents of a record and theirs, children first, each once: references may form circles, also
    /// through the record. `unknown` is called for one that is not even a tombstone. With `ofCleared`, the record's
    /// own references count that a delete clears.
    func deletedAncestors(
        of child: SyncRecord,
        entity: EntityDescriptor,
        ofCleared: Bool = false,
        unknown: (_ child: String, _ parent: String) throws -> Void = { _, _ in },
        where isMeant: (Ancestor) throws -> Bool
    ) throws -> [Ancestor] {
        var seen: [String: Set<RecordKey>] = [entity.name: [child.key]]
        var found: [Ancestor] = []
        var open = [(record: child.record, entity: entity)]
        var isFirst = true
        while let child = open.popLast() {
            defer { isFirst = false }
            let parents = try deletedParents(
                of: child.record,
                entity: child.entity,
                ofCleared: ofCleared && isFirst
            ) { parent in
                try unknown(child.entity.name, parent.name)
            }
            for parent in parents
            where seen[parent.entity.name, default: []].insert(parent.local.version.key).inserted {
                let ancestor = Ancestor(child: child.entity.name, entity: parent.entity, local: parent.local)
                guard try isMeant(ancestor) else { continue }
                found.append(ancestor)
                open.append((parent.local.version.beforeDelete(in: parent.entity).record, parent.entity))
            }
        }
        return found
    }

    /// The deleted parents that a record cannot do without. `unknown` is called for one that is not even a tombstone.
    func deletedParents(
        of record: Record,
        entity: EntityDescriptor,
        ofCleared: Bool = false,
        unknown: (_ entity: EntityDescriptor) throws -> Void = { _ in }
    ) throws -> [(entity: EntityDescriptor, local: LocalRecord)] {
        var found: [(entity: EntityDescriptor, local: LocalRecord)] = []
        for reference in entity.references
        where reference.onDelete.needsParent || ofCleared && reference.onDelete == .nullify {
            guard let parents = entities.first(where: { $0.name == reference.entity }) else { continue }
            for key in entity.keys(of: reference, in: record) {
                let survivor = try transaction.survivor(entity: parents, key: key)
                guard let parent = try transaction.load(entity: parents, key: survivor) else {
                    try unknown(parents)
                    continue
                }
                if parent.visibility == .deleted { found.append((parents, parent)) }
            }
        }
        return found
    }

    /// A live child has a deleted parent, whose author had not seen the child. The child's own strategy decides.
    private func meet(
        _ link: Link,
        child: LocalRecord,
        parent: EntityDescriptor,
        deleted: LocalRecord
    ) throws {
        // Nothing is decided automatically while a person has to decide.
        guard child.state != .conflict, deleted.state != .conflict, child.visibility.exists else { return }
        let cause = DeleteCause(
            entity: parent.name,
            key: deleted.version.key,
            editTimestamp: deleted.version.metadata.editTimestamp
        )
        let place = place(entity: link.child, key: child.version.key)
        switch (link.reference.onDelete, try deciding(link.child, about: [place.state()]).strategy) {
        case (.keep, _): break
        case (.nullify, _): try clear(link, local: child, cause: cause)
        case (.restrict, _), (.cascade, .setUnion):
            try revive(
                entity: parent,
                local: deleted,
                why: "a \(link.child.name) that the delete had not seen needs it"
            )
        case (.cascade, .lastWriteWins):
            if try isNeeded(place) {
                return try revive(
                    entity: parent,
                    local: deleted,
                    why: "a \(link.child.name) that others need needs it"
                )
            }
            let before = child.version
            try cascade(
                entity: link.child,
                local: child,
                cause: cause,
                isSeen: false
            )
            guard let after = try transaction.load(entity: link.child, key: before.key)?.version else {
                return
            }
            try transaction.journal([Loss(kept: after, lost: before)], rule: "cascade", at: now)
            try transaction.countDeletedWithParent()
        case (.cascade, .preserveLocal): try askAboutDelete(entity: link.child, child: child, cause: cause)
        }
    }

    /// On the device that wrote the child, asks its person: the child, or the delete?
    private func askAboutDelete(entity: EntityDescriptor, child: LocalRecord, cause: DeleteCause) throws {
        let place = place(entity: entity, key: child.version.key)
        let result = try reconcile(.parentDeleted(cause), at: place, before: try place.state())
        guard result.outcome == .conflict else { return }
        try place.addHistory("conflict", detail: "its \(cause.entity) was deleted elsewhere", at: now)
    }
}
