import SyncCore

/// Merges an edit of a version that was read earlier with what the record is now, from their common base. Pure.
///
/// The base tells what the person changed and what others have changed since; no version vector could, as both may be
/// edits of this device.
struct ThreeWayMerge {
    let descriptor: EntityDescriptor
    /// When the edit was made.
    let time: Timestamp

    /// The result of a merge.
    struct Result {
        /// The merged values.
        var record: Record
        /// The values that the edit lost, beside all others of the result; nil if it lost none.
        var lostMine: Record?
        /// The values that the present version lost; nil if it lost none.
        var lostTheirs: Record?
        /// Positions of the units that a person must decide. The result has the edit's values there.
        var undecided: [Int] = []
    }

    /// Merges `mine`, an edit of `base`, with the present version.
    func callAsFunction(base: Record, mine: Record, theirs: SyncRecord) -> Result {
        // Nobody else has changed anything in most edits.
        lazy var state = MergeState(version: theirs, descriptor: descriptor)
        var result = Result(record: theirs.record)
        var losses: [(unit: MergeUnit, isMine: Bool)] = []
        for (position, unit) in descriptor.layout.units.enumerated() where changes(unit, from: base, to: mine)
        {
            guard changes(unit, from: base, to: theirs.record), changes(unit, from: mine, to: theirs.record)
            else {
                copy(unit, of: mine, to: &result.record)
                continue
            }
            switch unit.rule {
            case .union: mergeElements(of: unit, base: base, mine: mine, into: &result.record)
            case .preserveLocal:
                result.undecided.append(position)
                copy(unit, of: mine, to: &result.record)
            case .lastWriteWins, .max, .min, .or, .and:
                let isMine = isShown(mine: mine, unit: unit, theirs: state.units[position])
                if isMine { copy(unit, of: mine, to: &result.record) }
                losses.append((unit, !isMine))
            }
        }
        let isOverwriting = copyUnmerged(base: base, mine: mine, to: &result.record)
        if copyUnknown(base: base, mine: mine, to: &result.record) || isOverwriting {
            result.lostTheirs = theirs.record
        }
        for (unit, isMine) in losses {
            let lost = isMine ? mine : theirs.record
            var record = (isMine ? result.lostMine : result.lostTheirs) ?? result.record
            copy(unit, of: lost, to: &record)
            if isMine { result.lostMine = record } else { result.lostTheirs = record }
        }
        return result
    }

    private func changes(_ unit: MergeUnit, from base: Record, to other: Record) -> Bool {
        unit.fields.contains { base.values[$0] != other.values[$0] }
    }

    private func copy(_ unit: MergeUnit, of record: Record, to result: inout Record) {
        for field in unit.fields { result.values[field] = record.values[field] }
    }

    /// Takes over what the edit changed in fields that never merge. Returns whether one that a person writes had been
    /// changed since.
    private func copyUnmerged(base: Record, mine: Record, to result: inout Record) -> Bool {
        let layout = descriptor.layout
        var isOverwriting = false
        for field in layout.localOnly + [layout.created, layout.updated].compactMap({ $0 })
        where base.values[field] != mine.values[field] {
            let present = result.values[field]
            if layout.localOnly.contains(field), present != base.values[field], present != mine.values[field]
            {
                isOverwriting = true
            }
            result.values[field] = mine.values[field]
        }
        return isOverwriting
    }

    /// Takes over the unknown members that the edit changed. Returns whether one of them had been changed since.
    private func copyUnknown(base: Record, mine: Record, to result: inout Record) -> Bool {
        var isOverwriting = false
        for member in mine.unknown where !base.unknown.contains(member) {
            let present = result.unknown.first { $0.path == member.path }
            if let present, present != member, !base.unknown.contains(present) { isOverwriting = true }
            result.setUnknown(member)
        }
        return isOverwriting
    }

    /// Whether the unit's rule prefers the edit's value. Of two with the same time, the edit is the later one.
    private func isShown(mine: Record, unit: MergeUnit, theirs: [MergeState.UnitValue]) -> Bool {
        let present = theirs.map(\.editTimestamp).max()
        let isLater = present.map { $0.time <= time } ?? true
        guard let shown = theirs.first, unit.rule != .lastWriteWins else { return isLater }
        let last = EditTimestamp(
            time: isLater ? max(time, shown.editTimestamp.time.next) : time,
            device: shown.editTimestamp.device,
            sequence: .max
        )
        let edit = MergeState.UnitValue(
            editTimestamp: last,
            values: unit.fields.map { mine.values[$0] },
            unknown: []
        )
        return ValueMerge.ruled(values: [shown, edit], rule: unit.rule).first == edit
    }

    /// Adds the elements that the edit added, and removes those that it removed.
    private func mergeElements(of unit: MergeUnit, base: Record, mine: Record, into result: inout Record) {
        let field = unit.fields[0]
        func elements(_ record: Record) -> Set<ElementKey> {
            Set(SetElements.read(value: record.values[field]))
        }
        let (before, after) = (elements(base), elements(mine))
        let merged = elements(result).union(after.subtracting(before)).subtracting(before.subtracting(after))
        if merged.isEmpty {
            result.values[field] = after.isEmpty ? mine.values[field] : MergeState.emptySet
        } else {
            result.values[field] = SetElements.write(merged)
        }
    }
}

extension Record {
    /// Sets a member that the schema does not know.
    mutating func setUnknown(_ member: UnknownField) {
        unknown.removeAll { $0.path.utf8.elementsEqual(member.path.utf8) }
        unknown.append(member)
        unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}
