import SyncCore
import SyncRuntime

/// What people wrote in a story, kept apart from what planning does with it: what of it must still be somewhere.
struct PlanLedger {
    /// A value that a person gave to a unit, or an element of a set.
    struct Claim {
        var unit: Int
        var record: Record
        var element: ElementKey?
        var mark: EditMark
        var step: Int
    }

    /// What one edit or delete of a person had seen.
    struct Act {
        var key: Int
        var mark: EditMark
        var isDelete: Bool
    }

    let descriptor: EntityDescriptor
    private(set) var claims: [Claim] = []
    /// Values that somebody replaced knowingly: who says the same elsewhere is answered by that, too.
    private var replaced: [Claim] = []
    private(set) var acts: [Act] = []

    init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// Notes what a person wrote over what they saw.
    mutating func note(key: Int, seen: [SyncRecord], made: SyncRecord, step: Int) {
        acts.append(Act(key: key, mark: made.stamp.mark, isDelete: made.isDeleted))
        for (position, unit) in descriptor.layout.units.enumerated() {
            if unit.rule == .union, let field = unit.fields.first {
                note(set: field, position, seen, made, step)
                continue
            }
            for version in seen where !version.isDeleted && !Self.shows(unit, made, version.record) {
                replaced.append(
                    Claim(unit: position, record: version.record, mark: version.stamp.mark, step: step)
                )
            }
            let isNew = !seen.contains { Self.shows(unit, $0, made.record) } && !made.isDeleted
            claims.removeAll { claim in
                claim.unit == position && claim.element == nil
                    && seen.contains { Self.shows(unit, $0, claim.record) }
                    && !Self.shows(unit, made, claim.record)
            }
            if isNew, unit.fields.contains(where: { made.record.values[$0] != nil }) {
                claims.append(
                    Claim(unit: position, record: made.record, mark: made.stamp.mark, step: step)
                )
            }
        }
    }

    private mutating func note(
        set field: Int,
        _ position: Int,
        _ seen: [SyncRecord],
        _ made: SyncRecord,
        _ step: Int
    ) {
        let now = Self.elements(made, field)
        let before = seen.flatMap { Self.elements($0, field) }
        claims.removeAll { claim in
            guard claim.unit == position, let element = claim.element else { return false }
            return before.contains(element) && !now.contains(element)
        }
        func claim(_ element: ElementKey) -> Claim {
            Claim(unit: position, record: made.record, element: element, mark: made.stamp.mark, step: step)
        }
        replaced += before.filter { !now.contains($0) }.map(claim)
        claims += now.filter { !before.contains($0) }.map(claim)
    }

    /// The first claim that none of the versions shows.
    func missing(in versions: [SyncRecord]) -> Claim? {
        claims.first { claim in
            !versions.contains { holds($0, claim) } && !replaced.contains { isSame($0, claim) }
        }
    }

    private func isSame(_ one: Claim, _ two: Claim) -> Bool {
        guard one.unit == two.unit, one.element == two.element else { return false }
        return one.element != nil || Self.shows(descriptor.layout.units[one.unit], one.record, two.record)
    }

    private func holds(_ version: SyncRecord, _ claim: Claim) -> Bool {
        guard !version.isDeleted else { return false }
        let unit = descriptor.layout.units[claim.unit]
        if let element = claim.element {
            return Self.elements(version, unit.fields[0]).contains(element)
        }
        if Self.shows(unit, version.record, claim.record) { return true }
        guard let siblings = version.stamp.detail?.units[unit.name], siblings.count > 1 else { return false }
        return siblings.contains {
            $0.mark.device == claim.mark.device && $0.mark.sequence == claim.mark.sequence
        }
    }

    private static func shows(_ unit: MergeUnit, _ version: SyncRecord, _ record: Record) -> Bool {
        !version.isDeleted && Self.shows(unit, version.record, record)
    }

    private static func shows(_ unit: MergeUnit, _ one: Record, _ two: Record) -> Bool {
        unit.fields.allSatisfy { one.values[$0] == two.values[$0] }
    }

    private static func elements(_ version: SyncRecord, _ field: Int) -> [ElementKey] {
        version.isDeleted ? [] : SetElements.read(version.record.values[field])
    }

    /// What a claim says, for people.
    func words(_ claim: Claim) -> String {
        let unit = descriptor.layout.units[claim.unit]
        if let element = claim.element { return "\(element.text) in '\(unit.name)'" }
        let values = unit.fields.map { index in
            "\(descriptor.fields[index].name) \(claim.record.values[index]?.json ?? "absent")"
        }
        return values.joined(separator: ", ")
    }
}
