import SyncCore
import SyncRuntime

/// The oracle of dense stories: what people wrote, and which values must still exist, independent of planning.
struct PlanOracle {
    /// A value that a person gave to a unit, or an element of a set.
    struct Claim {
        var unit: Int
        var record: Record
        var element: ElementKey?
        var editTimestamp: EditTimestamp
        var step: Int
    }

    /// What one edit or delete of a person had seen.
    struct Act {
        var key: Int
        var editTimestamp: EditTimestamp
        var isDelete: Bool
    }

    let descriptor: EntityDescriptor
    private(set) var claims: [Claim] = []
    /// Values that somebody knowingly replaced. This also covers the same value written elsewhere.
    private var replaced: [Claim] = []
    private(set) var acts: [Act] = []

    init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// Records what a person wrote, given what they saw.
    mutating func note(key: Int, seen: [SyncRecord], made: SyncRecord, step: Int) {
        acts.append(Act(key: key, editTimestamp: made.metadata.editTimestamp, isDelete: made.isDeleted))
        for (position, unit) in descriptor.layout.units.enumerated() {
            if unit.rule == .union, let field = unit.fields.first {
                note(set: field, position: position, seen: seen, made: made, step: step)
                continue
            }
            for version in seen
            where !version.isDeleted && !Self.shows(unit: unit, version: made, record: version.record) {
                replaced.append(
                    Claim(
                        unit: position,
                        record: version.record,
                        editTimestamp: version.metadata.editTimestamp,
                        step: step
                    )
                )
            }
            let isNew =
                !seen.contains { Self.shows(unit: unit, version: $0, record: made.record) } && !made.isDeleted
            claims.removeAll { claim in
                claim.unit == position && claim.element == nil
                    && seen.contains { Self.shows(unit: unit, version: $0, record: claim.record) }
                    && !Self.shows(unit: unit, version: made, record: claim.record)
            }
            if isNew, unit.fields.contains(where: { made.record.values[$0] != nil }) {
                claims.append(
                    Claim(
                        unit: position,
                        record: made.record,
                        editTimestamp: made.metadata.editTimestamp,
                        step: step
                    )
                )
            }
        }
    }

    private mutating func note(
        set field: Int,
        position: Int,
        seen: [SyncRecord],
        made: SyncRecord,
        step: Int
    ) {
        let now = Self.elements(version: made, field: field)
        let before = seen.flatMap { Self.elements(version: $0, field: field) }
        claims.removeAll { claim in
            guard claim.unit == position, let element = claim.element else { return false }
            return before.contains(element) && !now.contains(element)
        }
        func claim(_ element: ElementKey) -> Claim {
            Claim(
                unit: position,
                record: made.record,
                element: element,
                editTimestamp: made.metadata.editTimestamp,
                step: step
            )
        }
        replaced += before.filter { !now.contains($0) }.map(claim)
        claims += now.filter { !before.contains($0) }.map(claim)
    }

    /// The first claim that no version shows.
    func missing(in versions: [SyncRecord]) -> Claim? {
        claims.first { claim in
            !versions.contains { holds(version: $0, claim: claim) }
                && !replaced.contains { isSame(lhs: $0, rhs: claim) }
        }
    }

    private func isSame(lhs: Claim, rhs: Claim) -> Bool {
        guard lhs.unit == rhs.unit, lhs.element == rhs.element else { return false }
        return lhs.element != nil
            || Self.shows(unit: descriptor.layout.units[lhs.unit], lhs: lhs.record, rhs: rhs.record)
    }

    private func holds(version: SyncRecord, claim: Claim) -> Bool {
        guard !version.isDeleted else { return false }
        let unit = descriptor.layout.units[claim.unit]
        if let element = claim.element {
            return Self.elements(version: version, field: unit.fields[0]).contains(element)
        }
        if Self.shows(unit: unit, lhs: version.record, rhs: claim.record) { return true }
        guard let siblings = version.metadata.detail?.units[unit.name], siblings.count > 1 else {
            return false
        }
        return siblings.contains {
            $0.editTimestamp.device == claim.editTimestamp.device
                && $0.editTimestamp.sequence == claim.editTimestamp.sequence
        }
    }

    private static func shows(unit: MergeUnit, version: SyncRecord, record: Record) -> Bool {
        !version.isDeleted && Self.shows(unit: unit, lhs: version.record, rhs: record)
    }

    private static func shows(unit: MergeUnit, lhs: Record, rhs: Record) -> Bool {
        unit.fields.allSatisfy { lhs.values[$0] == rhs.values[$0] }
    }

    private static func elements(version: SyncRecord, field: Int) -> [ElementKey] {
        version.isDeleted ? [] : SetElements.read(value: version.record.values[field])
    }

    /// A claim as text.
    func words(claim: Claim) -> String {
        let unit = descriptor.layout.units[claim.unit]
        if let element = claim.element { return "\(element.text) in '\(unit.name)'" }
        let values = unit.fields.map { index in
            "\(descriptor.fields[index].name) \(claim.record.values[index]?.json ?? "absent")"
        }
        return values.joined(separator: ", ")
    }
}
