import SyncCore

/// How single units, elements and life tokens of two versions meet.
struct UnitMerge {
    let left: VersionVector
    let right: VersionVector
    /// Whether the left side stays where the rule does not decide.
    var keepsLeft = false

    typealias Values = [MergeState.UnitValue]

    /// The surviving values with the shown one first, and whose value was lost (true: left's); nil for a conflict.
    ///
    /// NB: a side that says nothing of the unit comes from an app that does not know it: any value stands against that,
    /// whatever the marks.
    func unit(lhs: Values, rhs: Values, rule: MergeRule) -> (values: Values, lostLeft: Bool?)? {
        if lhs.isEmpty || rhs.isEmpty { return (lhs.isEmpty ? rhs : lhs, nil) }
        let survivors = siblings(lhs: lhs, rhs: rhs)
        let distinct = survivors.dropFirst().contains { !sameValue(lhs: $0, rhs: survivors[0]) }
        switch rule {
        case .preserveLocal:
            if distinct { return keepsLeft ? (lhs, nil) : nil }
            return (Self.ruled(values: survivors, rule: rule), nil)
        case .lastWriteWins, .union:
            let winner = Self.ruled(values: survivors, rule: rule)
            return (winner, distinct ? !lhs.contains { $0.editTimestamp == winner[0].editTimestamp } : nil)
        case .max, .min, .or, .and:
            let ordered = Self.ruled(values: survivors, rule: rule)
            return (ordered, distinct ? !lhs.contains { sameValue(lhs: $0, rhs: ordered[0]) } : nil)
        }
    }

    /// What a rule keeps of the values of concurrent edits, with the one that it shows first.
    static func ruled(values: Values, rule: MergeRule) -> Values {
        guard values.count > 1 else { return values }
        switch rule {
        case .preserveLocal, .lastWriteWins, .union:
            return [values.dropFirst().reduce(values[0]) { $1.editTimestamp > $0.editTimestamp ? $1 : $0 }]
        case .max, .min, .or, .and: return values.sorted { precedes(lhs: $0, rhs: $1, rule: rule) }
        }
    }

    /// An element stays by every mark that both sides have, or that the side without it has not seen.
    ///
    /// NB: an element that each side has by an add which the other saw removed goes: only so does every order of
    /// merging three versions give one result (`everyMergeRuleGivesOneResultInEveryOrder`).
    func elements(
        lhs: [ElementKey: [EditTimestamp]],
        rhs: [ElementKey: [EditTimestamp]]
    ) -> [ElementKey: [EditTimestamp]] {
        var result: [ElementKey: [EditTimestamp]] = [:]
        for element in Set(lhs.keys).union(rhs.keys) {
            let editTimestamps = tokens(lhs: lhs[element] ?? [], rhs: rhs[element] ?? [])
            if !editTimestamps.isEmpty { result[element] = editTimestamps }
        }
        return result
    }

    /// Marks that both have, and those that the other side has not seen; sorted.
    func tokens(lhs: [EditTimestamp], rhs: [EditTimestamp]) -> [EditTimestamp] {
        if lhs.count < 2, rhs.count < 2 { return single(lhs: lhs, rhs: rhs) }
        var result = Set(lhs).intersection(rhs)
        for editTimestamp in lhs where !covers(vector: right, editTimestamp: editTimestamp) {
            result.insert(editTimestamp)
        }
        for editTimestamp in rhs where !covers(vector: left, editTimestamp: editTimestamp) {
            result.insert(editTimestamp)
        }
        return result.sorted()
    }

    /// `tokens` of at most one mark on each side, as nearly all elements have.
    private func single(lhs: [EditTimestamp], rhs: [EditTimestamp]) -> [EditTimestamp] {
        if lhs == rhs { return lhs }
        let keepsLeftValue = lhs.first.map { !covers(vector: right, editTimestamp: $0) } ?? false
        let keepsRightValue = rhs.first.map { !covers(vector: left, editTimestamp: $0) } ?? false
        if keepsLeftValue, keepsRightValue { return (lhs + rhs).sorted() }
        return keepsLeftValue ? lhs : keepsRightValue ? rhs : []
    }

    private func siblings(lhs: Values, rhs: Values) -> Values {
        var result = lhs.filter { mine in
            rhs.contains { $0.editTimestamp == mine.editTimestamp }
                || !covers(vector: right, editTimestamp: mine.editTimestamp)
        }
        for theirs in rhs
        where !covers(vector: left, editTimestamp: theirs.editTimestamp)
            && !result.contains(where: { $0.editTimestamp == theirs.editTimestamp })
        {
            result.append(theirs)
        }
        // NB: both sides can have seen the other's mark only when one and the same edit was kept on both.
        return result.isEmpty ? lhs + rhs : result
    }

    /// Whether a side has seen an edit.
    func covers(vector: VersionVector, editTimestamp: EditTimestamp) -> Bool {
        vector.covers(editTimestamp)
    }

    private func sameValue(lhs: MergeState.UnitValue, rhs: MergeState.UnitValue) -> Bool {
        lhs.values == rhs.values && lhs.unknown == rhs.unknown
    }

    /// Whether `one` is shown rather than `two`: by the rule's value, then by the greater mark.
    private static func precedes(
        lhs: MergeState.UnitValue,
        rhs: MergeState.UnitValue,
        rule: MergeRule
    )
        -> Bool
    {
        let (left, right) = (lhs.values.first ?? nil, rhs.values.first ?? nil)
        let (leftRank, rightRank) = (ValueOrder.rank(value: left), ValueOrder.rank(value: right))
        if leftRank != rightRank { return leftRank > rightRank }
        let wantsGreater = rule == .max || rule == .or
        if ValueOrder.isLess(left: left, right: right) { return !wantsGreater }
        if ValueOrder.isLess(left: right, right: left) { return wantsGreater }
        return lhs.editTimestamp > rhs.editTimestamp
    }
}

/// The order of values that `max`, `min`, `or` and `and` use. Any value is preferred to null, and null to absent.
enum ValueOrder {
    static func isLess(left: FieldValue?, right: FieldValue?) -> Bool {
        switch (left, right) {
        case (.integer(let lhs)?, .integer(let rhs)?): lhs < rhs
        case (.number(let lhs)?, .number(let rhs)?): lhs < rhs
        case (.timestamp(let lhs)?, .timestamp(let rhs)?): lhs < rhs
        case (.boolean(let lhs)?, .boolean(let rhs)?): !lhs && rhs
        case (.text(let lhs)?, .text(let rhs)?): DecimalText.isLess(left: lhs, right: rhs)
        default: false
        }
    }

    static func rank(value: FieldValue?) -> Int {
        switch value {
        case nil: 0
        case .null: 1
        default: 2
        }
    }
}
