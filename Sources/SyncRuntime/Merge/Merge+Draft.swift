package import SyncCore

/// Drafts that a person sees before a decision, and merges with conclusions.
extension Merge {
    /// One side of a conflict before the decision.
    package struct Draft: Sendable {
        /// The side's version, merged with everything of the other side that the rules decide.
        package var version: SyncRecord
        /// Sides that lost a value to the rules.
        package var lost: [SyncRecord] = []
    }

    /// One side of a conflict, merged with everything of the other side except what a person must decide. It does not
    /// count as having seen the other side.
    package func draft(mine: SyncRecord, over other: SyncRecord) -> Draft {
        guard !mine.isDeleted, !other.isDeleted,
            hasParts(mine: mine, other: other)
        else {
            return Draft(version: mine)
        }
        var merge = self
        merge.keepsLeft = true
        var units = VersionMerge(
            merge: merge,
            left: applyingRules(to: mine),
            right: applyingRules(to: other)
        )
        guard case .merged(let result, let lost) = units.outcome(joinsTimes: false),
            RecordCheck.fits(record: result.record, descriptor: descriptor)
        else {
            return Draft(version: mine)
        }
        return Draft(version: keepingLocalOnly(result, of: mine), lost: lost)
    }

    /// Positions of the units that a person must decide between two versions; empty if they conflict as a whole.
    package func undecided(mine: SyncRecord, other: SyncRecord) -> [Int] {
        guard !mine.isDeleted, !other.isDeleted else { return [] }
        let unknownFields = UnknownFieldPaths(version: mine, descriptor: descriptor).union(
            UnknownFieldPaths(version: other, descriptor: descriptor)
        )
        let (left, right) = (
            MergeState(version: mine, descriptor: descriptor, unknownFields: unknownFields),
            MergeState(version: other, descriptor: descriptor, unknownFields: unknownFields)
        )
        var context = ValueMerge(left: mine.metadata.vector, right: other.metadata.vector)
        context.seeds = left.seeds.union(right.seeds)
        return descriptor.layout.units.indices.filter { position in
            left.elements[position] == nil
                && context.unit(
                    lhs: left.units[position],
                    rhs: right.units[position],
                    rule: descriptor.layout.units[position].rule
                ) == nil
        }
    }

    /// Names of the fields that a person must decide between two versions; empty if they conflict as a whole.
    package func undecidedFields(mine: SyncRecord, other: SyncRecord) -> [String] {
        undecided(mine: mine, other: other).map { descriptor.layout.units[$0] }.filter { !$0.name.isEmpty }
            .flatMap { $0.fields.map { descriptor.fields[$0].name } }
    }

    /// Whether the versions can merge in parts.
    private func hasParts(mine: SyncRecord, other: SyncRecord) -> Bool {
        descriptor.layout.units.count > 1 || !mine.record.unknown.isEmpty || !other.record.unknown.isEmpty
            || mine.metadata.detail != nil || other.metadata.detail != nil
    }

    /// The edit timestamp of two joined versions: the greater one. A conclusion never stands for a person's edit,
    /// except as the tombstone that merges that edit into another record.
    func joinedTimestamp(left: SyncRecord, right: SyncRecord, isDeleted: Bool) -> EditTimestamp {
        guard left.isConclusion != right.isConclusion else {
            return max(left.metadata.editTimestamp, right.metadata.editTimestamp)
        }
        let (edit, conclusion) = left.isConclusion ? (right, left) : (left, right)
        let isTaken = isDeleted && conclusion.isDeleted && !edit.isDeleted
        return isTaken
            ? max(left.metadata.editTimestamp, right.metadata.editTimestamp) : edit.metadata.editTimestamp
    }

    /// Merges two versions if one is a conclusion that follows only from what the other has seen: the other's edit is
    /// applied on top of it. Nil if neither is.
    func concluding(left: SyncRecord, right: SyncRecord) -> SyncRecord? {
        guard left.isConclusion || right.isConclusion else { return nil }
        if left.isConclusion, right.isConclusion { return ofConclusions(left: left, right: right) }
        let (edit, conclusion) = left.isConclusion ? (right, left) : (left, right)
        guard conclusion.isConclusion(from: edit) else { return nil }
        let news = conclusion.isDeleted && !edit.isDeleted ? self.news(in: edit, since: conclusion) : .later
        // An earlier edit would have lost to the merge of records. It loses also if it met the merged version first.
        if news == .earlier { return nil }
        if news == .none {
            var result = conclusion
            let editTimestamp = conclusion.metadata.editTimestamp
            let time = max(editTimestamp.time, edit.metadata.editTimestamp.time)
            result.metadata.editTimestamp = EditTimestamp(
                time: time,
                device: editTimestamp.device,
                sequence: editTimestamp.sequence
            )
            result.metadata.vector = left.metadata.vector.union(right.metadata.vector)
            return result
        }
        if descriptor.meetsByField, !edit.isDeleted, !conclusion.isDeleted { return nil }
        var result = left.isConclusion ? keepingLocalOnly(edit, of: left) : edit
        result.metadata.vector = left.metadata.vector.union(right.metadata.vector)
        if result.isDeleted, result.mergedInto == nil { result.mergedInto = conclusion.mergedInto }
        return result
    }

    /// Merges two conclusions. Nil if both are live and merge by fields, which loses nothing, or if each follows from
    /// edits of people that the other has not seen: then they meet as those edits do.
    private func ofConclusions(left: SyncRecord, right: SyncRecord) -> SyncRecord? {
        if left.isDeleted || right.isDeleted { return greater(left: left, right: right) }
        if descriptor.meetsByField { return nil }
        let (isLeftKnown, isRightKnown) = (left.isConclusion(from: right), right.isConclusion(from: left))
        if isLeftKnown == isRightKnown { return isLeftKnown ? greater(left: left, right: right) : nil }
        var result = isLeftKnown ? keepingLocalOnly(right, of: left) : left
        result.metadata.vector = left.metadata.vector.union(right.metadata.vector)
        return result
    }

    /// What a live version says that a merge of records has not seen.
    private enum News {
        /// Nothing. Other edits in its vector changed nothing, such as a delete that lost.
        case none
        /// Only edits that are older than the merge, where the last one wins.
        case earlier
        case later
    }

    private func news(in version: SyncRecord, since tombstone: SyncRecord) -> News {
        let (state, taken) = (
            MergeState(version: version, descriptor: descriptor),
            MergeState(version: tombstone, descriptor: descriptor)
        )
        // Only under set-union can the edit timestamp of a live version be that of a delete.
        var editTimestamps = descriptor.strategy == .setUnion ? state.life : [version.metadata.editTimestamp]
        editTimestamps += state.units.flatMap { $0.map(\.editTimestamp) }
        editTimestamps += state.elements.flatMap { ($0 ?? [:]).values.flatMap { $0 } }
        editTimestamps += state.unknownFields.values.flatMap { $0.siblings.map(\.editTimestamp) }
        let unseen = editTimestamps.filter { !tombstone.metadata.vector.covers($0) }
        let hasRemoved = zip(state.elements, taken.elements).contains { left, gone in
            (gone ?? [:]).keys.contains { left?[$0] == nil }
        }
        if unseen.isEmpty { return hasRemoved ? .later : .none }
        let isEarlier =
            descriptor.strategy == .lastWriteWins
            && unseen.allSatisfy { $0.time < tombstone.metadata.editTimestamp.time }
        return isEarlier ? .earlier : .later
    }
}
