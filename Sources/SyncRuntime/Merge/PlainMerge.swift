package import SyncCore

/// Two versions as almost all are: alive, without members that the schema does not know, and with one value of each unit.
/// They meet by the rules of `UnitMerge`, but without every mark being written out first as `MergeState` does.
extension Merge {
    /// What `unitByUnit` comes to; nil for versions that are not plain, or do not come to a plain one.
    package func plainly(_ left: SyncRecord, _ right: SyncRecord, joinsTimes: Bool) -> MergeOutcome? {
        guard var one = PlainSide(left), var two = PlainSide(right) else { return nil }
        let context = UnitMerge(left: left.stamp.vector, right: right.stamp.vector)
        var result = MergeDraft(isGreater(left, right) ? left : keepingLocalOnly(right, of: left))
        var marks = PlainMarks(origin: context.mark(one.origin, two.origin))
        var (losesLeft, losesRight) = (false, false)
        for unit in descriptor.layout.marked {
            guard let mine = one.said(unit, descriptor), let theirs = two.said(unit, descriptor) else {
                return nil
            }
            var isEmpty = true
            if unit.rule == .union {
                guard let set = context.plainSet(unit, one, mine, two, theirs, &marks) else { return nil }
                one.foundSets += mine.elements == nil ? 0 : 1
                two.foundSets += theirs.elements == nil ? 0 : 1
                if let value = set.value { result.record.values[unit.fields[0]] = value }
                isEmpty = set.value == nil
            }
            guard let choice = choose(unit, one, mine, two, theirs, context) else { return nil }
            guard case .side(let isLeft, let mark, let isLoss) = choice else {
                // NB: under set-union two live versions can come to a tombstone, about which nobody is asked.
                if choice == .conflict { return descriptor.strategy == .setUnion ? nil : .conflict }
                continue
            }
            let values = isLeft ? one.values : two.values
            if unit.rule != .union {
                for field in unit.fields { result.record.values[field] = values[field] }
                if isLoss { if isLeft { losesRight = true } else { losesLeft = true } }
            } else {
                let isArray = if case .json? = values[unit.fields[0]] { true } else { false }
                // A set that shows elements although somebody made it null is not plain.
                guard isEmpty || isArray else { return nil }
                if isEmpty {
                    result.record.values[unit.fields[0]] =
                        isArray ? MergeState.emptySet : values[unit.fields[0]]
                }
            }
            if mark != marks.origin || MergeState.isUnsaid(unit, result.record.values, descriptor) {
                marks.units[unit.name] = [Sibling(mark: mark)]
            }
        }
        // What was not found are marks of what the schema does not know.
        guard one.isFound, two.isFound else { return nil }
        let mark = joinedMark(left, right, isDeleted: result.isDeleted)
        if descriptor.strategy == .setUnion {
            let life = context.tokens(one.life ?? [left.stamp.mark], two.life ?? [right.stamp.mark])
            if life.isEmpty { return nil }
            if life != [mark] { marks.life = life }
        }
        result.mergedInto = nil
        if joinsTimes { joinTimes(&result, left, right) }
        let stamp = Stamp(
            mark: mark,
            vector: left.stamp.vector.union(right.stamp.vector),
            detail: marks.detail(mark)
        )
        var lost: [SyncRecord] = []
        if losesLeft { lost.append(left) }
        if losesRight { lost.append(right) }
        return .merged(result.version(stamp), lost: lost)
    }

    /// Whose value a unit has; nil where values stay beside each other.
    private func choose(
        _ unit: MergeUnit,
        _ one: PlainSide,
        _ mine: PlainSide.Said,
        _ two: PlainSide,
        _ theirs: PlainSide.Said,
        _ context: UnitMerge
    ) -> PlainChoice? {
        guard let mark = mine.mark, let other = theirs.mark else {
            // Who says nothing of the unit does not know it.
            if let mark = mine.mark { return .side(isLeft: true, mark, isLoss: false) }
            return theirs.mark.map { .side(isLeft: false, $0, isLoss: false) } ?? .nobody
        }
        let keepsMine = mark == other || !context.covers(context.right, mark)
        let keepsTheirs = mark != other && !context.covers(context.left, other)
        if keepsMine != keepsTheirs {
            return .side(isLeft: keepsMine, keepsMine ? mark : other, isLoss: false)
        }
        let isDistinct =
            unit.rule != .union && unit.fields.contains { one.values[$0] != two.values[$0] }
        switch unit.rule {
        case .max, .min, .or, .and: return nil
        case .preserveLocal where isDistinct: return .conflict
        case .preserveLocal, .lastWriteWins, .union:
            let isLeft = !(other > mark)
            return .side(isLeft: isLeft, isLeft ? mark : other, isLoss: isDistinct)
        }
    }
}

private enum PlainChoice: Equatable {
    case nobody, conflict
    case side(isLeft: Bool, EditMark, isLoss: Bool)
}

/// One of two plain versions.
private struct PlainSide {
    let origin: EditMark
    let values: [FieldValue?]
    let life: [EditMark]?
    private let units: [String: [Sibling]]
    private let elements: [String: [ElementKey: [EditMark]]]
    private var foundUnits = 0
    var foundSets = 0

    /// What a version says of a unit.
    struct Said {
        /// The mark of the one value; nil where nobody has said anything.
        var mark: EditMark?
        /// The mark of elements that are not listed.
        var elementMark: EditMark
        /// Listed elements of a set.
        var elements: [ElementKey: [EditMark]]?
    }

    init?(_ version: SyncRecord) {
        guard !version.isDeleted, version.record.unknown.isEmpty else { return nil }
        values = version.record.values
        let detail = version.stamp.detail
        origin = detail?.origin ?? version.stamp.mark
        units = detail?.units ?? [:]
        elements = detail?.elements ?? [:]
        life = detail?.life
    }

    /// Whether all that is marked was met among the units of the schema.
    var isFound: Bool { foundUnits == units.count && foundSets == elements.count }

    /// What is said of a unit; nil where values are kept beside each other.
    mutating func said(_ unit: MergeUnit, _ descriptor: EntityDescriptor) -> Said? {
        var said = Said(mark: nil, elementMark: origin)
        if !units.isEmpty, let siblings = units[unit.name] {
            guard siblings.count == 1, siblings[0].value == .own else { return nil }
            foundUnits += 1
            said.mark = siblings[0].mark
            said.elementMark = siblings[0].mark
        } else if !MergeState.isUnsaid(unit, values, descriptor) {
            said.mark = origin
        }
        if unit.rule == .union, !elements.isEmpty, let listed = elements[unit.name] {
            said.elements = listed
            said.elementMark = origin
        }
        return said
    }
}

/// The marks that a plain version comes to.
private struct PlainMarks {
    let origin: EditMark
    var units: [String: [Sibling]] = [:]
    /// Every set, with the elements that do not just carry the origin.
    var sets: [String: [ElementKey: [EditMark]]] = [:]
    var life: [EditMark]?

    /// As they travel; nil where they follow from the version's mark.
    func detail(_ mark: EditMark) -> StampDetail? {
        if origin == mark, units.isEmpty, life == nil, sets.values.allSatisfy(\.isEmpty) { return nil }
        var detail = StampDetail(origin: origin)
        detail.units = units
        detail.elements = sets
        detail.life = life
        return detail
    }
}

extension UnitMerge {
    /// The set that both make, nil in it for one without elements; nil where a set is not spelled as it is written here.
    fileprivate func plainSet(
        _ unit: MergeUnit,
        _ one: PlainSide,
        _ oneSaid: PlainSide.Said,
        _ two: PlainSide,
        _ twoSaid: PlainSide.Said,
        _ marks: inout PlainMarks
    ) -> (value: FieldValue?, Void)? {
        let field = unit.fields[0]
        guard let mine = SetElements.canonical(one.values[field]),
            let theirs = SetElements.canonical(two.values[field])
        else { return nil }
        let (mineUnlisted, theirsUnlisted) = ([oneSaid.elementMark], [twoSaid.elementMark])
        var listed: [ElementKey: [EditMark]] = [:]
        var kept: [ElementKey] = []
        kept.reserveCapacity(mine.count + theirs.count)
        var (isMine, isTheirs) = (true, true)
        var (left, right) = (0, 0)
        while left < mine.count || right < theirs.count {
            let isInTheirs = right < theirs.count && (left == mine.count || !(mine[left] < theirs[right]))
            let isInMine = left < mine.count && (!isInTheirs || mine[left] == theirs[right])
            let element = isInMine ? mine[left] : theirs[right]
            let tokens = tokens(
                isInMine ? oneSaid.elements?[element] ?? mineUnlisted : [],
                isInTheirs ? twoSaid.elements?[element] ?? theirsUnlisted : []
            )
            if isInMine == tokens.isEmpty { isMine = false }
            if isInTheirs == tokens.isEmpty { isTheirs = false }
            if !tokens.isEmpty { kept.append(element) }
            if !tokens.isEmpty, tokens.count > 1 || tokens[0] != marks.origin { listed[element] = tokens }
            left += isInMine ? 1 : 0
            right += isInTheirs ? 1 : 0
        }
        marks.sets[unit.name] = listed
        if kept.isEmpty { return (nil, ()) }
        if isMine { return (one.values[field], ()) }
        return (isTheirs ? two.values[field] : SetElements.write(kept), ())
    }
}

extension SetElements {
    /// The elements of a column as it is written here: sorted, each one once, without white space. Nil for another one.
    fileprivate static func canonical(_ value: FieldValue?) -> [ElementKey]? {
        guard case .json(let text)? = value else { return [] }
        return text.utf8.withContiguousStorageIfAvailable { bytes -> [ElementKey]? in
            var elements: [ElementKey] = []
            var reader = JSONReader(validated: bytes)
            var length = 1
            var last: UnsafeBufferPointer<UInt8>?
            do {
                guard try reader.beginArray() else { return bytes.count == 2 ? [] : nil }
                repeat {
                    let span = try reader.skipValue()
                    if let last, !last.lexicographicallyPrecedes(span) { return nil }
                    last = span
                    length += span.count + 1
                    elements.append(ElementKey(String(decoding: span, as: UTF8.self)))
                } while try reader.nextElement()
            } catch { return nil }
            return length == bytes.count ? elements : nil
        } ?? nil
    }
}
