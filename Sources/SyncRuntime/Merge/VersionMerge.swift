import SyncCore

/// Merges two versions unit by unit, and holds the result so far.
struct VersionMerge {
    /// The merged values.
    private var result: MergeDraft
    /// The merged edit timestamps.
    private var state: MergeState
    private let merge: Merge
    private let left: SyncRecord
    private let right: SyncRecord
    private let lhs: MergeState
    private let rhs: MergeState
    private let context: ValueMerge
    /// Sides that lost a value; true is the left one.
    private var losers: Set<Bool> = []

    init(merge: Merge, left: SyncRecord, right: SyncRecord) {
        (self.merge, self.left, self.right) = (merge, left, right)
        let descriptor = merge.descriptor
        let unknownFields = UnknownFieldPaths(version: left, descriptor: descriptor).union(
            UnknownFieldPaths(version: right, descriptor: descriptor)
        )
        lhs = MergeState(version: left, descriptor: descriptor, unknownFields: unknownFields)
        rhs = MergeState(version: right, descriptor: descriptor, unknownFields: unknownFields)
        context = ValueMerge(
            left: left.metadata.vector,
            right: right.metadata.vector,
            keepsLeft: merge.keepsLeft,
            seeds: lhs.seeds.union(rhs.seeds)
        )
        state = lhs
        state.seeds = context.seeds
        state.origin = context.editTimestamp(lhs: lhs.origin, rhs: rhs.origin)
        state.untouched = lhs.origin == rhs.origin ? lhs.untouched.intersection(rhs.untouched) : []
        let isLeftGreater = merge.isGreater(left: left, right: right)
        result = MergeDraft(isLeftGreater ? left : merge.keepingLocalOnly(right, of: left))
        result.record.unknown = []
    }

    /// The versions that lost a value, the left one first.
    private var lost: [SyncRecord] {
        if left.isDeleted, right.isDeleted { return [] }
        return (losers.contains(true) ? [left] : []) + (losers.contains(false) ? [right] : [])
    }

    /// Merges unit by unit.
    mutating func outcome(joinsTimes: Bool) -> MergeOutcome {
        let isGone = isGone
        for (position, unit) in merge.descriptor.layout.timestamped.enumerated() {
            if let mine = lhs.elements[position], let theirs = rhs.elements[position] {
                mergeElements(of: unit, at: position, mine: mine, theirs: theirs)
                continue
            }
            // If the record will be deleted anyway, nobody is asked about its parts.
            let rule = isGone && unit.rule == .preserveLocal ? .lastWriteWins : unit.rule
            let merged = context.unit(lhs: lhs.units[position], rhs: rhs.units[position], rule: rule)
            guard let merged else { return .conflict }
            take(merged.values, lostLeft: merged.lostLeft, of: unit, at: position)
        }
        guard mergeUnknownFields() else { return .conflict }
        decideDeletion()
        if joinsTimes { merge.joinTimes(&result, left: left, right: right) }
        let version = merge.withMetadata(result: result, state: state, left: left, right: right)
        return .merged(version.following(self), lost: lost)
    }

    private mutating func take(
        _ values: ValueMerge.Values,
        lostLeft: Bool?,
        of unit: MergeUnit,
        at position: Int
    ) {
        state.units[position] = values
        // The later of two creation times is no loss.
        let isCreation = position >= merge.descriptor.layout.units.count
        if let lostLeft, !isCreation { losers.insert(lostLeft) }
        // If nobody has written the field, it stays absent or has its default.
        guard let shown = values.first else { return }
        for (index, field) in unit.fields.enumerated() { result.record.values[field] = shown.values[index] }
        if unit.holdsUnknown { result.record.unknown = shown.unknown }
    }

    private mutating func mergeElements(
        of unit: MergeUnit,
        at position: Int,
        mine: [ElementKey: [EditTimestamp]],
        theirs: [ElementKey: [EditTimestamp]]
    ) {
        let elements = context.elements(lhs: mine, rhs: theirs)
        state.elements[position] = elements
        let presence = context.unit(lhs: lhs.units[position], rhs: rhs.units[position], rule: .lastWriteWins)
        state.units[position] = presence?.values ?? lhs.units[position]
        if !elements.isEmpty {
            result.record.values[unit.fields[0]] = SetElements.write(elements.keys)
        } else if let shown = state.units[position].first {
            result.record.values[unit.fields[0]] = shown.values[0]
        }
    }

    /// Merges unknown fields that merge separately. False for a conflict.
    private mutating func mergeUnknownFields() -> Bool {
        let rule = isGone ? .lastWriteWins : merge.descriptor.defaultRule
        for (name, mine) in lhs.unknownFields {
            guard let theirs = rhs.unknownFields[name] else { continue }
            guard let merged = context.unknownField(lhs: mine, rhs: theirs, rule: rule) else { return false }
            state.unknownFields[name] = merged.unknownField
            if let lostLeft = merged.lostLeft { losers.insert(lostLeft) }
        }
        result.record.unknown += state.unknownFields.compactMap { name, unknownField in
            unknownField.json.map { UnknownField(path: name, json: $0) }
        }
        result.record.unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return true
    }

    /// The references that deletes have cleared, and that are still empty for that reason in the merged version.
    fileprivate func cleared() -> [ClearedReference] {
        let (mine, theirs) = (left.metadata.cleared, right.metadata.cleared)
        if mine.isEmpty, theirs.isEmpty { return [] }
        return mine.union(theirs).filter { cleared in
            if merge.descriptor.isFilled(cleared, in: result.record) { return false }
            guard mine.entry(like: cleared) != nil else { return isKept(cleared, by: rhs, against: left) }
            return theirs.entry(like: cleared) != nil || isKept(cleared, by: lhs, against: right)
        }
    }

    /// The last move of each side in each tree, the later one of both: one result in every order, whichever value shows.
    fileprivate func moved() -> [String: Move] {
        let (mine, theirs) = (left.metadata.moved, right.metadata.moved)
        if mine.isEmpty, theirs.isEmpty { return [:] }
        return mine.merging(theirs) { $0.edit < $1.edit ? $1 : $0 }
    }

    /// The unit of a reference.
    private func position(of reference: ReferenceDescriptor) -> Int? {
        guard let field = merge.descriptor.layout.position(of: reference.field) else { return nil }
        return merge.descriptor.layout.timestamped.firstIndex { $0.fields.contains(field) }
    }

    /// Whether one side's reference is still cleared, although the other side has not cleared it: a person has
    /// neither set another value there, nor taken the key out of the list.
    private func isKept(
        _ cleared: ClearedReference,
        by side: MergeState,
        against other: SyncRecord
    ) -> Bool {
        let descriptor = merge.descriptor
        guard let position = descriptor.reference(of: cleared).flatMap({ self.position(of: $0) }) else {
            return true
        }
        if state.elements[position] != nil { return descriptor.isPending(cleared, in: other) }
        guard let shown = state.units[position].first else { return true }
        return side.units[position].contains { $0.editTimestamp == shown.editTimestamp }
    }

    /// Whether the result is a tombstone. See `decideDeletion`.
    private var isGone: Bool {
        if merge.descriptor.strategy == .setUnion {
            return context.tokens(lhs: lhs.life, rhs: rhs.life).isEmpty
        }
        return merge.isGreater(left: left, right: right) ? left.isDeleted : right.isDeleted
    }

    /// Decides whether the result is deleted: by add-wins tokens under set-union, else by the greater edit timestamp.
    private mutating func decideDeletion() {
        let descriptor = merge.descriptor
        if descriptor.strategy == .setUnion {
            // If each side's edit was deleted on the other side, the record goes, like an element of a set. Only then
            // does merging three versions give one result in every order.
            state.life = context.tokens(lhs: lhs.life, rhs: rhs.life)
            result.isDeleted = state.life.isEmpty
        }
        let mergedInto = result.mergedInto ?? left.mergedInto ?? right.mergedInto
        result.mergedInto = result.isDeleted ? mergedInto : nil
        guard left.isDeleted != right.isDeleted else {
            if result.isDeleted, !left.isDeleted { mirrorDelete() }
            return
        }
        let keepsLeft = left.isDeleted == result.isDeleted
        // Under set-union, a delete that lost took nothing away, so there is nothing to restore.
        if result.isDeleted || descriptor.strategy != .setUnion { losers.insert(!keepsLeft) }
        if let mirror = descriptor.layout.deleted {
            result.record.values[mirror] = (keepsLeft ? left : right).record.values[mirror]
        }
    }

    /// Sets the field that mirrors the tombstone, if neither side has set it.
    private mutating func mirrorDelete() {
        guard let mirror = merge.descriptor.layout.deleted else { return }
        let isFlag = merge.descriptor.fields[mirror].type == .boolean
        let time = max(left.metadata.editTimestamp, right.metadata.editTimestamp).time
        result.record.values[mirror] = isFlag ? .boolean(true) : .timestamp(time)
    }
}

extension SyncRecord {
    /// The merged version with what it remembers of its references.
    fileprivate func following(_ units: VersionMerge) -> SyncRecord {
        let metadata = metadata.clearing(units.cleared()).moving(units.moved())
        guard metadata != self.metadata else { return self }
        var version = self
        version.metadata = metadata
        return version
    }
}
