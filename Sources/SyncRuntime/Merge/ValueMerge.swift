import SyncCore

/// Merges single units, elements and life tokens of two versions.
struct ValueMerge {
    let left: VersionVector
    let right: VersionVector
    /// Whether the left side is kept if the rule does not decide.
    var keepsLeft = false
    /// Edits that nobody made.
    var seeds: Set<EditTimestamp> = []

    typealias Values = [MergeState.UnitValue]

    /// The surviving values, the shown one first, and the side that lost a value (true: left); nil for a conflict.
    ///
    /// NB: a side that never wrote the unit comes from an app that does not know it. Any value beats that, whatever
    /// the timestamps.
    func unit(lhs: Values, rhs: Values, rule: MergeRule) -> (values: Values, lostLeft: Bool?)? {
        if lhs.isEmpty || rhs.isEmpty { return (lhs.isEmpty ? rhs : lhs, nil) }
        if !seeds.isEmpty {
            let (isLeftSeed, isRightSeed) = (isSeed(lhs), isSeed(rhs))
            if isLeftSeed != isRightSeed { return (isLeftSeed ? rhs : lhs, nil) }
            if isLeftSeed { return (lhs[0].editTimestamp < rhs[0].editTimestamp ? rhs : lhs, nil) }
        }
        if lhs.count > 1 || rhs.count > 1, rule == .lastWriteWins || rule == .preserveLocal {
            return ofSeveralEdits(lhs: lhs, rhs: rhs, rule: rule)
        }
        var survivors = siblings(lhs: lhs, rhs: rhs)
        if rule == .preserveLocal { survivors = people(survivors, lhs: lhs) }
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

    /// Whether nobody wrote a value.
    private func isSeed(_ values: Values) -> Bool { values.allSatisfy { seeds.contains($0.editTimestamp) } }

    /// The same for values that have the timestamps of several edits each, as other parts merged before: a value wins
    /// without a loser only if it holds every edit of the other one.
    private func ofSeveralEdits(
        lhs: Values,
        rhs: Values,
        rule: MergeRule
    ) -> (values: Values, lostLeft: Bool?)? {
        let mine = lhs.filter { !right.covers($0.editTimestamp) }
        let theirs = rhs.filter { !left.covers($0.editTimestamp) }
        if mine.isEmpty, !theirs.isEmpty { return (rhs, nil) }
        if theirs.isEmpty, !mine.isEmpty { return (lhs, nil) }
        if sameValue(lhs: lhs[0], rhs: rhs[0]) {
            let more = rhs.filter { value in !lhs.contains { $0.editTimestamp == value.editTimestamp } }
            return ((lhs + more).sorted { $0.editTimestamp > $1.editTimestamp }, nil)
        }
        if rule == .preserveLocal { return keepsLeft ? (lhs, nil) : nil }
        // Compared from the latest edit on, so that the result is the same on every device.
        let (ours, others) = mine.isEmpty ? (lhs, rhs) : (mine, theirs)
        let isLeft = !Self.latestFirst(ours).lexicographicallyPrecedes(Self.latestFirst(others))
        return (isLeft ? lhs : rhs, !isLeft)
    }

    /// The values about which somebody has to be asked: not those that only follow from edits which the other side has
    /// seen. What follows from an unseen edit may be a person's value, such as one whose reference was redirected.
    private func people(_ values: Values, lhs: Values) -> Values {
        guard values.contains(where: \.editTimestamp.device.isConclusion) else { return values }
        let given = values.filter { value in
            guard value.editTimestamp.device.isConclusion else { return true }
            let isLeft = lhs.contains { $0.editTimestamp == value.editTimestamp }
            return !hasSeenPeople(isLeft ? right : left, of: isLeft ? left : right)
        }
        return given.isEmpty ? values : given
    }

    /// Whether a version vector includes all edits of people that another one has.
    private func hasSeenPeople(_ vector: VersionVector, of other: VersionVector) -> Bool {
        other.entries.allSatisfy { $0.device.isConclusion || vector[$0.device] >= $0.sequence }
    }

    private static func latestFirst(_ values: Values) -> [EditTimestamp] {
        values.map(\.editTimestamp).sorted(by: >)
    }

    /// The values of concurrent edits that a rule keeps; the shown one is first.
    static func ruled(values: Values, rule: MergeRule) -> Values {
        guard values.count > 1 else { return values }
        switch rule {
        case .preserveLocal, .lastWriteWins, .union:
            return [values.dropFirst().reduce(values[0]) { $1.editTimestamp > $0.editTimestamp ? $1 : $0 }]
        case .max, .min, .or, .and: return values.sorted { precedes(lhs: $0, rhs: $1, rule: rule) }
        }
    }

    /// Merges elements: an element keeps every timestamp that both sides have, or that the side without it has not
    /// seen.
    ///
    /// If each side's add of an element was removed on the other side, the element goes. Only then does merging three
    /// versions give one result in every order (`everyMergeRuleGivesOneResultInEveryOrder`).
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

    /// Timestamps that both sides have, and those that the other side has not seen; sorted.
    func tokens(lhs: [EditTimestamp], rhs: [EditTimestamp]) -> [EditTimestamp] {
        if lhs.count < 2, rhs.count < 2 { return single(lhs: lhs, rhs: rhs) }
        var result = Set(lhs).intersection(rhs)
        for editTimestamp in lhs where !right.covers(editTimestamp) {
            result.insert(editTimestamp)
        }
        for editTimestamp in rhs where !left.covers(editTimestamp) {
            result.insert(editTimestamp)
        }
        return result.sorted()
    }

    /// Fast path of `tokens` for at most one timestamp on each side, as nearly all elements have.
    private func single(lhs: [EditTimestamp], rhs: [EditTimestamp]) -> [EditTimestamp] {
        if lhs == rhs { return lhs }
        let keepsLeftValue = lhs.first.map { !right.covers($0) } ?? false
        let keepsRightValue = rhs.first.map { !left.covers($0) } ?? false
        if keepsLeftValue, keepsRightValue { return (lhs + rhs).sorted() }
        return keepsLeftValue ? lhs : keepsRightValue ? rhs : []
    }

    private func siblings(lhs: Values, rhs: Values) -> Values {
        var result = lhs.filter { mine in
            rhs.contains { $0.editTimestamp == mine.editTimestamp }
                || !right.covers(mine.editTimestamp)
        }
        for theirs in rhs
        where !left.covers(theirs.editTimestamp)
            && !result.contains(where: { $0.editTimestamp == theirs.editTimestamp })
        {
            result.append(theirs)
        }
        if !result.isEmpty { return result }
        // Both sides can have seen the other's timestamp only if they kept one and the same edit, or if one took back
        // what had only followed from others: a cleared reference that returned.
        let given = (lhs + rhs).filter { !$0.editTimestamp.device.isConclusion }
        return given.isEmpty ? lhs + rhs : given
    }

    private func sameValue(lhs: MergeState.UnitValue, rhs: MergeState.UnitValue) -> Bool {
        lhs.values == rhs.values && lhs.unknown == rhs.unknown
    }

    /// Whether the left value is shown: by the rule's value, then by the greater timestamp.
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

/// The order of values for `max`, `min`, `or` and `and`. Any value is preferred to null, and null to absent.
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
