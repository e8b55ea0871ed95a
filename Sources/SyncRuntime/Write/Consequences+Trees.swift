package import SyncCore

/// Trees: single references to the own entity. Moves on several devices may put records into each other; then the move
/// that lost is undone, the same on every device.
extension Consequences {
    /// Rejects a person's edit that puts a record below itself.
    func checkTrees(of version: SyncRecord, entity: EntityDescriptor, current: LocalRecord?) throws {
        guard !version.isDeleted else { return }
        let shown = current?.visibility.exists == true ? current?.version.record : nil
        for tree in entity.trees {
            guard let parent = entity.keys(of: tree, in: version.record).first,
                parent != shown.flatMap({ entity.keys(of: tree, in: $0).first })
            else { continue }
            if try parent == version.key || isBelow(parent, root: version.key, entity: entity, tree: tree) {
                throw SyncError.insideItself(entity: entity.name, field: tree.field)
            }
        }
    }

    /// Whether a record is below another one. Whatever has no children has nothing below it.
    private func isBelow(
        _ key: RecordKey,
        root: RecordKey,
        entity: EntityDescriptor,
        tree: ReferenceDescriptor
    ) throws -> Bool {
        if try children(Link(child: entity, reference: tree), of: root).isEmpty { return false }
        var seen: Set<RecordKey> = []
        var next: RecordKey? = key
        while let key = next, seen.insert(key).inserted {
            if key == root { return true }
            next = try parent(of: key, entity: entity, tree: tree)
        }
        return false
    }

    private func parent(of key: RecordKey, entity: EntityDescriptor, tree: ReferenceDescriptor) throws
        -> RecordKey?
    {
        guard let local = try transaction.load(entity: entity, key: key), local.visibility.exists else {
            return nil
        }
        return entity.keys(of: tree, in: local.version.record).first
    }

    /// The records of the circle above a record; nil if there is none. A record that is known to have a root is not
    /// walked again.
    private func circle(above key: RecordKey, entity: EntityDescriptor, tree: ReferenceDescriptor) throws
        -> [RecordKey]?
    {
        let name = "\(entity.name).\(tree.field)"
        var path: [RecordKey] = []
        var places: [RecordKey: Int] = [:]
        var next: RecordKey? = key
        while let key = next, rooted[name]?.contains(key) != true {
            if let start = places[key] { return Array(path[start...]) }
            places[key] = path.count
            path.append(key)
            next = try parent(of: key, entity: entity, tree: tree)
        }
        rooted[name, default: []].formUnion(path)
        return nil
    }

    /// Whether a pulled record closes a circle. A record that nobody has edited since it was made, and that has no
    /// children, closes none.
    func isInCircle(_ local: LocalRecord, entity: EntityDescriptor) throws -> Bool {
        let (key, metadata) = (local.version.key, local.version.metadata)
        return try entity.trees.contains { tree in
            if entity.keys(of: tree, in: local.version.record).isEmpty { return false }
            let isFirst = metadata.vector.hasOnlySeen(metadata.editTimestamp)
            if try isFirst && children(Link(child: entity, reference: tree), of: key).isEmpty { return false }
            return try circle(above: key, entity: entity, tree: tree) != nil
        }
    }

    /// Breaks all circles above records that may have been moved.
    func breakCircles() throws {
        guard !maybeMoved.isEmpty else { return }
        let moved = maybeMoved
        maybeMoved = [:]
        for entity in entities {
            for key in (moved[entity.name] ?? []).sorted() {
                for tree in entity.trees {
                    // Each time, one record leaves the circle.
                    while let circle = try circle(above: key, entity: entity, tree: tree),
                        try breakCircle(circle, entity: entity, tree: tree)
                    {}
                }
            }
        }
    }

    /// Undoes the earliest of the moves that made a circle and can be undone. Returns false if none can, or while a
    /// person has to decide about one of the records.
    private func breakCircle(_ keys: [RecordKey], entity: EntityDescriptor, tree: ReferenceDescriptor) throws
        -> Bool
    {
        guard let name = entity.markName(of: tree) else { return false }
        let members = try keys.compactMap { try transaction.load(entity: entity, key: $0) }
        guard members.allSatisfy({ $0.state != .conflict }) else { return false }
        // Apps before this rule did not say where a record had been.
        let known = members.filter { $0.version.metadata.moved[name]?.edit.device.isConclusion == false }
        let candidates = (known.isEmpty ? members : known).sorted { left, right in
            let (first, second) = (left.version.metadata, right.version.metadata)
            let (lhs, rhs) = (
                first.moved[name]?.edit ?? first.editTimestamp,
                second.moved[name]?.edit ?? second.editTimestamp
            )
            return lhs == rhs ? left.version.key < right.version.key : lhs < rhs
        }
        for local in candidates {
            let former = try formerParent(of: local, in: keys, entity: entity, tree: tree)
            if former == nil, !entity.isClearable(tree) { continue }
            if try take(local, to: former, entity: entity, tree: tree) { return true }
        }
        return false
    }

    /// The parent from which a record was moved, if it lives outside of the circle.
    private func formerParent(
        of local: LocalRecord,
        in circle: [RecordKey],
        entity: EntityDescriptor,
        tree: ReferenceDescriptor
    ) throws -> RecordKey? {
        guard let name = entity.markName(of: tree), let former = local.version.metadata.moved[name]?.from
        else {
            return nil
        }
        let survivor = try transaction.survivor(entity: entity, key: former)
        // One that has not arrived yet stays the parent, as for any record.
        guard try transaction.header(entity: entity, key: survivor)?.visibility != .deleted,
            !circle.contains(survivor),
            try !isBelow(survivor, root: local.version.key, entity: entity, tree: tree)
        else { return nil }
        return survivor
    }

    private func take(
        _ local: LocalRecord,
        to parent: RecordKey?,
        entity: EntityDescriptor,
        tree: ReferenceDescriptor
    ) throws -> Bool {
        guard let version = RecordMove(entity).taken(version: local.version, to: parent, tree: tree) else {
            return false
        }
        let reason = "its move was undone, as it had led into a circle with another one"
        try conclude(version, entity: entity, because: reason, change: .revived)
        try transaction.journal([Loss(kept: version, lost: local.version)], rule: "circle", at: now)
        return true
    }

    /// A child that was deleted with its parent had been moved elsewhere meanwhile: it lives there. Where fields merge,
    /// those of the edit that moved it can be older than others, and are in the journal.
    func keep(_ mover: Loss, entity: EntityDescriptor) throws {
        var loss = mover
        let local = try transaction.load(entity: entity, key: mover.lost.key)
        if let local, local.visibility == .deleted,
            let version = RecordMove(entity).kept(tombstone: local.version, movedBy: mover.lost)
        {
            let reason = "kept where it was moved to, though its former parent was deleted"
            try conclude(version, entity: entity, because: reason, change: nil)
            if entity.hasSameContent(left: version, right: mover.lost) { return }
            loss.kept = version
        }
        try transaction.journal([loss], rule: entity.strategy.rawValue, at: now)
    }

    /// Looks once for circles that are there already: they were made before this rule, or while the schema allowed
    /// them.
    func breakKnownCircles() throws {
        let names = Self.treeNames(entities)
        for entity in entities where !entity.trees.isEmpty {
            maybeMoved[entity.name, default: []].formUnion(
                try transaction.circles(entity: entity).map { $0[0] }
            )
        }
        try run {}
        try transaction.setValue(StoreValue.checkedTrees, value: names)
    }

    /// The names of all trees, as they are noted once they were looked through; nil if there are none.
    static func treeNames(_ entities: [EntityDescriptor]) -> String? {
        let names = entities.flatMap { entity in entity.trees.map { "\(entity.name).\($0.field)" } }
        return names.isEmpty ? nil : names.sorted().joined(separator: " ")
    }
}

extension StoreSnapshot {
    /// The circles in an entity's trees, each as the keys of its records. Reads all records.
    package func circles(entity: EntityDescriptor) throws -> [[RecordKey]] {
        try entity.trees.flatMap { tree in
            var parents: [RecordKey: RecordKey] = [:]
            try scan(entity: entity, includeHidden: false) { local in
                parents[local.version.key] = entity.keys(of: tree, in: local.version.record).first
            }
            return Self.circles(parents: parents)
        }
    }

    private static func circles(parents: [RecordKey: RecordKey]) -> [[RecordKey]] {
        var seen: Set<RecordKey> = []
        var circles: [[RecordKey]] = []
        for key in parents.keys.sorted() where !seen.contains(key) {
            var path: [RecordKey] = []
            var places: [RecordKey: Int] = [:]
            var next: RecordKey? = key
            while let key = next, places[key] == nil, !seen.contains(key) {
                places[key] = path.count
                path.append(key)
                next = parents[key]
            }
            if let start = next.flatMap({ places[$0] }) { circles.append(Array(path[start...])) }
            seen.formUnion(path)
        }
        return circles
    }
}
