package import SyncCore

/// What a person is shown while they have to decide, and versions that nobody wrote.
extension Merge {
    /// A conflict as it stands before the decision.
    package struct Draft: Sendable {
        /// The version of one side, with everything merged into it that the rules decide.
        package var version: SyncRecord
        /// Sides of which some value did not survive where the rules decided.
        package var lost: [SyncRecord] = []
    }

    /// One side of a conflict, with everything of the other side merged into it but what a person must decide. It has
    /// still not seen the other side.
    package func draft(mine: SyncRecord, over other: SyncRecord) -> Draft {
        guard !Mutation.disables(.partsMerge), !mine.isDeleted, !other.isDeleted,
            hasParts(mine: mine, other: other)
        else {
            return Draft(version: mine)
        }
        var merge = self
        merge.keepsLeft = true
        let outcome = merge.unitByUnit(
            left: applyingRules(to: mine),
            right: applyingRules(to: other),
            joinsTimes: false
        )
        guard case .merged(let result, let lost) = outcome,
            RecordCheck.fits(record: result.record, descriptor: descriptor)
        else {
            return Draft(version: mine)
        }
        return Draft(version: keepingLocalOnly(result, of: mine), lost: lost)
    }

    /// Positions of the units that a person must decide between two versions; empty where they differ as a whole.
    package func undecided(mine: SyncRecord, other: SyncRecord) -> [Int] {
        guard !Mutation.disables(.partsMerge), !mine.isDeleted, !other.isDeleted else { return [] }
        let unknownFields = UnknownFieldPaths(version: mine, descriptor: descriptor).union(
            UnknownFieldPaths(version: other, descriptor: descriptor)
        )
        let (left, right) = (
            MergeState(version: mine, descriptor: descriptor, unknownFields: unknownFields),
            MergeState(version: other, descriptor: descriptor, unknownFields: unknownFields)
        )
        let context = UnitMerge(left: mine.metadata.vector, right: other.metadata.vector)
        return descriptor.layout.units.indices.filter { position in
            left.elements[position] == nil
                && context.unit(
                    lhs: left.units[position],
                    rhs: right.units[position],
                    rule: descriptor.layout.units[position].rule
                ) == nil
        }
    }

    /// Names of the fields that a person must decide between two versions; empty where they differ as a whole.
    package func undecidedFields(mine: SyncRecord, other: SyncRecord) -> [String] {
        undecided(mine: mine, other: other).map { descriptor.layout.units[$0] }.filter { !$0.name.isEmpty }
            .flatMap { $0.fields.map { descriptor.fields[$0].name } }
    }

    /// Whether anything but one whole can merge.
    private func hasParts(mine: SyncRecord, other: SyncRecord) -> Bool {
        descriptor.layout.units.count > 1 || !mine.record.unknown.isEmpty || !other.record.unknown.isEmpty
            || mine.metadata.detail != nil || other.metadata.detail != nil
    }

    /// The edit that two versions go by once they are one: the greater. What nobody wrote never stands for what a person
    /// wrote, unless it is the tombstone that takes that along.
    func joinedTimestamp(left: SyncRecord, right: SyncRecord, isDeleted: Bool) -> EditTimestamp {
        guard left.isConclusion != right.isConclusion else {
            return max(left.metadata.editTimestamp, right.metadata.editTimestamp)
        }
        let (edit, conclusion) = left.isConclusion ? (right, left) : (left, right)
        let isTaken = isDeleted && conclusion.isDeleted && !edit.isDeleted
        return isTaken
            ? max(left.metadata.editTimestamp, right.metadata.editTimestamp) : edit.metadata.editTimestamp
    }

    /// What comes of two versions of which one was written by nobody, and follows only from what the other has seen: an
    /// edit that was made meanwhile goes on top of it. Nil where both were written.
    func concluding(left: SyncRecord, right: SyncRecord) -> SyncRecord? {
        guard left.isConclusion || right.isConclusion else { return nil }
        if left.isConclusion, right.isConclusion {
            // Meeting by fields loses nothing; as wholes they are two conclusions from the same edits.
            return descriptor.meetsByField && !left.isDeleted && !right.isDeleted
                ? nil : greater(left: left, right: right)
        }
        let (edit, conclusion) = left.isConclusion ? (right, left) : (left, right)
        guard conclusion.isConclusion(from: edit) else { return nil }
        if conclusion.isDeleted, !edit.isDeleted, !saysMore(version: edit, than: conclusion) {
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

    /// Whether an edit gave a live version something that a merge of records has not seen, or took something from it. What
    /// the version has seen besides changed nothing, as a delete that lost.
    private func saysMore(version: SyncRecord, than tombstone: SyncRecord) -> Bool {
        let (state, taken) = (
            MergeState(version: version, descriptor: descriptor),
            MergeState(version: tombstone, descriptor: descriptor)
        )
        // NB: only under set-union can the mark of a live version be that of a delete.
        var editTimestamps = descriptor.strategy == .setUnion ? state.life : [version.metadata.editTimestamp]
        editTimestamps += state.units.flatMap { $0.map(\.editTimestamp) }
        editTimestamps += state.elements.flatMap { ($0 ?? [:]).values.flatMap { $0 } }
        editTimestamps += state.unknownFields.values.flatMap { $0.siblings.map(\.editTimestamp) }
        if editTimestamps.contains(where: { !tombstone.metadata.vector.covers($0) }) { return true }
        return zip(state.elements, taken.elements).contains { left, gone in
            (gone ?? [:]).keys.contains { left?[$0] == nil }
        }
    }
}
