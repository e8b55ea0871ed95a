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
    func unit(_ one: Values, _ two: Values, _ rule: MergeRule) -> (values: Values, lostLeft: Bool?)? {
        if one.isEmpty || two.isEmpty { return (one.isEmpty ? two : one, nil) }
        let survivors = siblings(one, two)
        let distinct = survivors.dropFirst().contains { !sameValue($0, survivors[0]) }
        switch rule {
        case .preserveLocal:
            if distinct { return keepsLeft ? (one, nil) : nil }
            return (Self.ruled(survivors, rule), nil)
        case .lastWriteWins, .union:
            let winner = Self.ruled(survivors, rule)
            return (winner, distinct ? !one.contains { $0.mark == winner[0].mark } : nil)
        case .max, .min, .or, .and:
            let ordered = Self.ruled(survivors, rule)
            return (ordered, distinct ? !one.contains { sameValue($0, ordered[0]) } : nil)
        }
    }

    /// What a rule keeps of the values of concurrent edits, with the one that it shows first.
    static func ruled(_ values: Values, _ rule: MergeRule) -> Values {
        guard values.count > 1 else { return values }
        switch rule {
        case .preserveLocal, .lastWriteWins, .union:
            return [values.dropFirst().reduce(values[0]) { $1.mark > $0.mark ? $1 : $0 }]
        case .max, .min, .or, .and: return values.sorted { precedes($0, $1, rule) }
        }
    }

    /// An element stays by every mark that both sides have, or that the side without it has not seen.
    ///
    /// NB: an element that each side has by an add which the other saw removed goes: only so does every order of
    /// merging three versions give one result (`everyMergeRuleGivesOneResultInEveryOrder`).
    func elements(
        _ one: [ElementKey: [EditMark]],
        _ two: [ElementKey: [EditMark]]
    ) -> [ElementKey: [EditMark]] {
        var result: [ElementKey: [EditMark]] = [:]
        for element in Set(one.keys).union(two.keys) {
            let marks = tokens(one[element] ?? [], two[element] ?? [])
            if !marks.isEmpty { result[element] = marks }
        }
        return result
    }

    /// Marks that both have, and those that the other side has not seen; sorted.
    func tokens(_ one: [EditMark], _ two: [EditMark]) -> [EditMark] {
        if one.count < 2, two.count < 2 { return single(one, two) }
        var result = Set(one).intersection(two)
        for mark in one where !covers(right, mark) { result.insert(mark) }
        for mark in two where !covers(left, mark) { result.insert(mark) }
        return result.sorted()
    }

    /// `tokens` of at most one mark on each side, as nearly all elements have.
    private func single(_ one: [EditMark], _ two: [EditMark]) -> [EditMark] {
        if one == two { return one }
        let keepsOne = one.first.map { !covers(right, $0) } ?? false
        let keepsTwo = two.first.map { !covers(left, $0) } ?? false
        if keepsOne, keepsTwo { return (one + two).sorted() }
        return keepsOne ? one : keepsTwo ? two : []
    }

    private func siblings(_ one: Values, _ two: Values) -> Values {
        var result = one.filter { mine in
            two.contains { $0.mark == mine.mark } || !covers(right, mine.mark)
        }
        for theirs in two
        where !covers(left, theirs.mark) && !result.contains(where: { $0.mark == theirs.mark }) {
            result.append(theirs)
        }
        // NB: both sides can have seen the other's mark only when one and the same edit was kept on both.
        return result.isEmpty ? one + two : result
    }

    /// Whether a side has seen an edit.
    func covers(_ vector: VersionVector, _ mark: EditMark) -> Bool {
        vector.covers(mark)
    }

    private func sameValue(_ one: MergeState.UnitValue, _ two: MergeState.UnitValue) -> Bool {
        one.values == two.values && one.unknown == two.unknown
    }

    /// Whether `one` is shown rather than `two`: by the rule's value, then by the greater mark.
    private static func precedes(_ one: MergeState.UnitValue, _ two: MergeState.UnitValue, _ rule: MergeRule)
        -> Bool
    {
        let (left, right) = (one.values.first ?? nil, two.values.first ?? nil)
        let (leftRank, rightRank) = (ValueOrder.rank(left), ValueOrder.rank(right))
        if leftRank != rightRank { return leftRank > rightRank }
        let wantsGreater = rule == .max || rule == .or
        if ValueOrder.isLess(left, right) { return !wantsGreater }
        if ValueOrder.isLess(right, left) { return wantsGreater }
        return one.mark > two.mark
    }
}

/// The order of values that `max`, `min`, `or` and `and` use. Any value is preferred to null, and null to absent.
enum ValueOrder {
    static func isLess(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
        switch (left, right) {
        case (.integer(let one)?, .integer(let two)?): one < two
        case (.number(let one)?, .number(let two)?): one < two
        case (.timestamp(let one)?, .timestamp(let two)?): one < two
        case (.boolean(let one)?, .boolean(let two)?): !one && two
        case (.text(let one)?, .text(let two)?): DecimalText.isLess(one, two)
        default: false
        }
    }

    static func rank(_ value: FieldValue?) -> Int {
        switch value {
        case nil: 0
        case .null: 1
        default: 2
        }
    }
}
