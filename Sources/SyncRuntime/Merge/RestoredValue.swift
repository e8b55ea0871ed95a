package import SyncCore

/// The value that a record gets when a person brings back what a decision took away.
///
/// If fields merge separately, only those return that the decision took away: what was written to other fields since
/// then stays. Otherwise the lost version returns as a whole, because its fields belong together.
struct RestoredValue {
    let descriptor: EntityDescriptor

    /// The value of a record that shows `current`; nil if there is none. `lost` is the entry's value with the keys
    /// that its references have today.
    func record(entry: JournalEntry, lost: Record, over current: SyncRecord?) -> Record {
        guard let current else { return lost }
        var restored = entry.lost
        restored.record = lost
        if returnsByField(entry: entry, over: current) {
            restored.record = returning(entry: entry, lost: lost, to: current.record)
        }
        var record = restored.record
        // What stays on this device was taken by a decision that took the record, or that replaced the value.
        for index in descriptor.layout.localOnly {
            let (shown, taken) = (current.record.values[index], lost.values[index])
            if taken != nil, taken != .null, shown == entry.kept.record.values[index] {
                record.values[index] = taken
            } else if shown != nil, shown != .null {
                record.values[index] = shown
            }
        }
        for index in descriptor.layout.key { record.values[index] = current.record.values[index] }
        return record
    }

    private func returnsByField(entry: JournalEntry, over current: SyncRecord) -> Bool {
        (descriptor.meetsByField || entry.rule == "nullify") && !current.isDeleted && !entry.lost.isDeleted
            && !entry.kept.isDeleted
    }

    /// `current` with the fields, elements and unknown fields that the decision took away.
    private func returning(entry: JournalEntry, lost: Record, to current: Record) -> Record {
        let kept = entry.kept.record
        let state = MergeState(version: entry.lost, descriptor: descriptor)
        let keptState = MergeState(version: entry.kept, descriptor: descriptor)
        var record = current
        for (position, unit) in descriptor.layout.units.enumerated() {
            let isUnion = position < state.elements.count && state.elements[position] != nil
            if isUnion, let field = unit.fields.first {
                let taken = Set(SetElements.read(value: lost.values[field])).subtracting(
                    SetElements.read(value: kept.values[field])
                )
                if taken.isEmpty { continue }
                let elements = Set(SetElements.read(value: current.values[field])).union(taken)
                record.values[field] = SetElements.write(elements)
                continue
            }
            let isReplaced = wasOnlyReplaced(
                unit: state.units[position],
                by: keptState.units[position],
                entry: entry
            )
            if isReplaced { continue }
            for field in unit.fields where lost.values[field] != kept.values[field] {
                record.values[field] = lost.values[field]
            }
        }
        for field in lost.unknown where !kept.unknown.contains(field) { record.setUnknown(field) }
        return record
    }

    /// Whether a merge found the field unchanged in the version that lost since the record was made: the other side
    /// changed a value that both had, so the merge took nothing away there. Two records that were made under one key had
    /// nothing in common: a value that is not later than the record was written by somebody who had not seen it.
    private func wasOnlyReplaced(
        unit: [MergeState.UnitValue],
        by other: [MergeState.UnitValue],
        entry: JournalEntry
    ) -> Bool {
        let origin = entry.lost.metadata.origin
        let isMerge = MergeStrategy(rawValue: entry.rule) != nil
        guard isMerge, entry.kept.metadata.origin == origin, entry.lost.metadata.editTimestamp != origin
        else { return false }
        return unit.allSatisfy { $0.editTimestamp == origin }
            && other.allSatisfy { $0.editTimestamp.time > origin.time }
    }
}

/// What bringing a lost value back would do now.
package struct Restoration: Sendable, Hashable {
    /// The version that the record has; nil if there is none.
    package var current: EditTimestamp?
    /// Whether it would change anything. False if the record has the value.
    package var changesRecord: Bool
}

extension StoreSnapshot {
    /// What bringing the value of a journal entry back would do now. Writes nothing.
    package func restoration(of entry: JournalEntry, entity: EntityDescriptor) throws -> Restoration {
        let (_, state) = try survivingState(entity: entity, key: entry.lost.key)
        guard let current = state.local?.version else {
            return Restoration(changesRecord: !entry.lost.isDeleted)
        }
        var restored = current
        restored.isDeleted = entry.lost.isDeleted
        restored.record = RestoredValue(descriptor: entity).record(
            entry: entry,
            lost: entry.lost.record,
            over: current
        )
        return Restoration(
            current: current.metadata.editTimestamp,
            changesRecord: current.isDeleted != restored.isDeleted
                || !current.isDeleted && !entity.hasSameContent(left: current, right: restored)
        )
    }
}
