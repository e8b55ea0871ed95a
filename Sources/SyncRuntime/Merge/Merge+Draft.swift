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
    package func draft(_ mine: SyncRecord, over other: SyncRecord) -> Draft {
        guard Guard.isOn(.partsMerge), !mine.isDeleted, !other.isDeleted, hasParts(mine, other) else {
            return Draft(version: mine)
        }
        var merge = self
        merge.keepsLeft = true
        merge.meetsPlainly = false
        let outcome = merge.unitByUnit(applyingRules(to: mine), applyingRules(to: other), joinsTimes: false)
        guard case .merged(let result, let lost) = outcome, RecordCheck.fits(result.record, descriptor) else {
            return Draft(version: mine)
        }
        return Draft(version: keepingLocalOnly(result, of: mine), lost: lost)
    }

    /// Positions of the units that a person must decide between two versions; empty where they differ as a whole.
    package func undecided(_ mine: SyncRecord, _ other: SyncRecord) -> [Int] {
        guard Guard.isOn(.partsMerge), !mine.isDeleted, !other.isDeleted else { return [] }
        let strangers = Strangers(mine, descriptor).union(Strangers(other, descriptor))
        let (left, right) = (
            MergeState(mine, descriptor, strangers), MergeState(other, descriptor, strangers)
        )
        let context = UnitMerge(left: mine.stamp.vector, right: other.stamp.vector)
        return descriptor.layout.units.indices.filter { position in
            left.elements[position] == nil
                && context.unit(
                    left.units[position],
                    right.units[position],
                    descriptor.layout.units[position].rule
                ) == nil
        }
    }

    /// Names of the fields that a person must decide between two versions; empty where they differ as a whole.
    package func undecidedFields(_ mine: SyncRecord, _ other: SyncRecord) -> [String] {
        undecided(mine, other).map { descriptor.layout.units[$0] }.filter { !$0.name.isEmpty }
            .flatMap { $0.fields.map { descriptor.fields[$0].name } }
    }

    /// Whether anything but one whole can merge.
    private func hasParts(_ mine: SyncRecord, _ other: SyncRecord) -> Bool {
        descriptor.layout.units.count > 1 || !mine.record.unknown.isEmpty || !other.record.unknown.isEmpty
            || mine.stamp.detail != nil || other.stamp.detail != nil
    }

    /// The edit that two versions go by once they are one: the greater. What nobody wrote never stands for what a person
    /// wrote, unless it is the tombstone that takes that along.
    func joinedMark(_ left: SyncRecord, _ right: SyncRecord, isDeleted: Bool) -> EditMark {
        guard left.isConclusion != right.isConclusion else { return max(left.stamp.mark, right.stamp.mark) }
        let (edit, conclusion) = left.isConclusion ? (right, left) : (left, right)
        let isTaken = isDeleted && conclusion.isDeleted && !edit.isDeleted
        return isTaken ? max(left.stamp.mark, right.stamp.mark) : edit.stamp.mark
    }

    /// What comes of two versions of which one was written by nobody, and follows only from what the other has seen: an
    /// edit that was made meanwhile goes on top of it. Nil where both were written.
    func concluding(_ left: SyncRecord, _ right: SyncRecord) -> SyncRecord? {
        guard left.isConclusion || right.isConclusion else { return nil }
        if left.isConclusion, right.isConclusion {
            // Meeting by fields loses nothing; as wholes they are two conclusions from the same edits.
            return descriptor.meetsByField && !left.isDeleted && !right.isDeleted ? nil : greater(left, right)
        }
        let (edit, conclusion) = left.isConclusion ? (right, left) : (left, right)
        guard conclusion.isConclusion(from: edit) else { return nil }
        if conclusion.isDeleted, !edit.isDeleted, !saysMore(edit, than: conclusion) {
            var result = conclusion
            let mark = conclusion.stamp.mark
            let time = max(mark.time, edit.stamp.mark.time)
            result.stamp.mark = EditMark(time: time, device: mark.device, sequence: mark.sequence)
            result.stamp.vector = left.stamp.vector.union(right.stamp.vector)
            return result
        }
        if descriptor.meetsByField, !edit.isDeleted, !conclusion.isDeleted { return nil }
        var result = left.isConclusion ? keepingLocalOnly(edit, of: left) : edit
        result.stamp.vector = left.stamp.vector.union(right.stamp.vector)
        if result.isDeleted, result.mergedInto == nil { result.mergedInto = conclusion.mergedInto }
        return result
    }

    /// Whether an edit gave a live version something that a merge of records has not seen, or took something from it. What
    /// the version has seen besides changed nothing, as a delete that lost.
    private func saysMore(_ version: SyncRecord, than tombstone: SyncRecord) -> Bool {
        let (state, taken) = (MergeState(version, descriptor), MergeState(tombstone, descriptor))
        // NB: only under set-union can the mark of a live version be that of a delete.
        var marks = descriptor.strategy == .setUnion ? state.life : [version.stamp.mark]
        marks += state.units.flatMap { $0.map(\.mark) }
        marks += state.elements.flatMap { ($0 ?? [:]).values.flatMap { $0 } }
        marks += state.strangers.values.flatMap { $0.siblings.map(\.mark) }
        if marks.contains(where: { !tombstone.stamp.vector.covers($0) }) { return true }
        return zip(state.elements, taken.elements).contains { left, gone in
            (gone ?? [:]).keys.contains { left?[$0] == nil }
        }
    }
}
