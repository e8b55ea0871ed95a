package import SyncCore

/// Two versions as almost all are: alive, without members that the schema does not know, and with one value of each unit.
/// They meet by the rules of `UnitMerge`, but without every mark being written out first as `MergeState` does.
extension Merge {
    /// What `unitByUnit` comes to; nil for versions that are not plain, or do not come to a plain one.
    package func plainly(left: SyncRecord, right: SyncRecord, joinsTimes: Bool) -> MergeOutcome? {
        guard var lhs = PlainSide(left), var rhs = PlainSide(right) else { return nil }
        let context = UnitMerge(left: left.metadata.vector, right: right.metadata.vector)
        var result = MergeDraft(
            isGreater(left: left, right: right) ? left : keepingLocalOnly(right, of: left)
        )
        var times = PlainMarks(origin: context.editTimestamp(lhs: lhs.origin, rhs: rhs.origin))
        var (losesLeft, losesRight) = (false, false)
        for unit in descriptor.layout.marked {
            guard let mine = lhs.said(unit: unit, descriptor: descriptor) else { return nil }
            guard let theirs = rhs.said(unit: unit, descriptor: descriptor) else { return nil }
            var isEmpty = true
            if unit.rule == .union {
                let set = context.plainSet(unit, lhs: (lhs, mine), rhs: (rhs, theirs), times: &times)
                guard let set else { return nil }
                lhs.foundSets += mine.elements == nil ? 0 : 1
                rhs.foundSets += theirs.elements == nil ? 0 : 1
                if let value = set.value { result.record.values[unit.fields[0]] = value }
                isEmpty = set.value == nil
            }
            guard let choice = choose(unit, lhs: lhs, mine: mine, rhs: rhs, theirs: theirs, context: context)
            else { return nil }
            guard case .side(let isLeft, let editTimestamp, let isLoss) = choice else {
                // NB: under set-union two live versions can come to a tombstone, about which nobody is asked.
                if choice == .conflict { return descriptor.strategy == .setUnion ? nil : .conflict }
                continue
            }
            let values = isLeft ? lhs.values : rhs.values
            if unit.rule != .union {
                for field in unit.fields { result.record.values[field] = values[field] }
                if isLoss { if isLeft { losesRight = true } else { losesLeft = true } }
            } else {
                let isArray = if case .json? = values[unit.fields[0]] { true } else { false }
                // A set that shows elements although somebody made it null is not plain.
                guard isEmpty || isArray else { return nil }
                if isEmpty {
                    let field = unit.fields[0]
                    result.record.values[field] = isArray ? MergeState.emptySet : values[field]
                }
            }
            let isUnsaid = MergeState.isUnsaid(
                unit: unit,
                values: result.record.values,
                descriptor: descriptor
            )
            if editTimestamp != times.origin || isUnsaid {
                times.units[unit.name] = [Sibling(editTimestamp: editTimestamp)]
            }
        }
        // What was not found are marks of what the schema does not know.
        guard lhs.isFound, rhs.isFound else { return nil }
        let editTimestamp = joinedTimestamp(left: left, right: right, isDeleted: result.isDeleted)
        if descriptor.strategy == .setUnion {
            let mine = lhs.life ?? [left.metadata.editTimestamp]
            let life = context.tokens(lhs: mine, rhs: rhs.life ?? [right.metadata.editTimestamp])
            if life.isEmpty { return nil }
            if life != [editTimestamp] { times.life = life }
        }
        result.mergedInto = nil
        if joinsTimes { joinTimes(&result, left: left, right: right) }
        let metadata = VersionMetadata(
            editTimestamp: editTimestamp,
            vector: left.metadata.vector.union(right.metadata.vector),
            detail: times.detail(editTimestamp: editTimestamp)
        )
        let lost = (losesLeft ? [left] : []) + (losesRight ? [right] : [])
        return .merged(result.version(metadata: metadata), lost: lost)
    }

    /// Whose value a unit has; nil where values stay beside each other.
    private func choose(
        _ unit: MergeUnit,
        lhs: PlainSide,
        mine: PlainSide.Said,
        rhs: PlainSide,
        theirs: PlainSide.Said,
        context: UnitMerge
    ) -> PlainChoice? {
        guard let editTimestamp = mine.editTimestamp, let other = theirs.editTimestamp else {
            // Who says nothing of the unit does not know it.
            if let editTimestamp = mine.editTimestamp {
                return .side(isLeft: true, editTimestamp, isLoss: false)
            }
            return theirs.editTimestamp.map { .side(isLeft: false, $0, isLoss: false) } ?? .nobody
        }
        let keepsMine =
            editTimestamp == other || !context.covers(vector: context.right, editTimestamp: editTimestamp)
        let keepsTheirs =
            editTimestamp != other && !context.covers(vector: context.left, editTimestamp: other)
        if keepsMine != keepsTheirs {
            return .side(isLeft: keepsMine, keepsMine ? editTimestamp : other, isLoss: false)
        }
        let isDistinct =
            unit.rule != .union && unit.fields.contains { lhs.values[$0] != rhs.values[$0] }
        switch unit.rule {
        case .max, .min, .or, .and: return nil
        case .preserveLocal where isDistinct: return .conflict
        case .preserveLocal, .lastWriteWins, .union:
            let isLeft = !(other > editTimestamp)
            return .side(isLeft: isLeft, isLeft ? editTimestamp : other, isLoss: isDistinct)
        }
    }
}

private enum PlainChoice: Equatable {
    case nobody, conflict
    case side(isLeft: Bool, EditTimestamp, isLoss: Bool)
}

/// One of two plain versions.
private struct PlainSide {
    let origin: EditTimestamp
    let values: [FieldValue?]
    let life: [EditTimestamp]?
    private let units: [String: [Sibling]]
    private let elements: [String: [ElementKey: [EditTimestamp]]]
    private var foundUnits = 0
    var foundSets = 0

    /// What a version says of a unit.
    struct Said {
        /// The mark of the one value; nil where nobody has said anything.
        var editTimestamp: EditTimestamp?
        /// The mark of elements that are not listed.
        var elementTimestamp: EditTimestamp
        /// Listed elements of a set.
        var elements: [ElementKey: [EditTimestamp]]?
    }

    init?(_ version: SyncRecord) {
        guard !version.isDeleted, version.record.unknown.isEmpty else { return nil }
        values = version.record.values
        let detail = version.metadata.detail
        origin = detail?.origin ?? version.metadata.editTimestamp
        units = detail?.units ?? [:]
        elements = detail?.elements ?? [:]
        life = detail?.life
    }

    /// Whether all that is marked was met among the units of the schema.
    var isFound: Bool { foundUnits == units.count && foundSets == elements.count }

    /// What is said of a unit; nil where values are kept beside each other.
    mutating func said(unit: MergeUnit, descriptor: EntityDescriptor) -> Said? {
        var said = Said(editTimestamp: nil, elementTimestamp: origin)
        if !units.isEmpty, let siblings = units[unit.name] {
            guard siblings.count == 1, siblings[0].value == .own else { return nil }
            foundUnits += 1
            said.editTimestamp = siblings[0].editTimestamp
            said.elementTimestamp = siblings[0].editTimestamp
        } else if !MergeState.isUnsaid(unit: unit, values: values, descriptor: descriptor) {
            said.editTimestamp = origin
        }
        if unit.rule == .union, !elements.isEmpty, let listed = elements[unit.name] {
            said.elements = listed
            said.elementTimestamp = origin
        }
        return said
    }
}

/// The marks that a plain version comes to.
private struct PlainMarks {
    let origin: EditTimestamp
    var units: [String: [Sibling]] = [:]
    /// Every set, with the elements that do not just carry the origin.
    var sets: [String: [ElementKey: [EditTimestamp]]] = [:]
    var life: [EditTimestamp]?

    /// As they travel; nil where they follow from the version's mark.
    func detail(editTimestamp: EditTimestamp) -> FieldTimestamps? {
        if origin == editTimestamp, units.isEmpty, life == nil, sets.values.allSatisfy(\.isEmpty) {
            return nil
        }
        var detail = FieldTimestamps(origin: origin)
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
        lhs: (side: PlainSide, said: PlainSide.Said),
        rhs: (side: PlainSide, said: PlainSide.Said),
        times: inout PlainMarks
    ) -> (value: FieldValue?, Void)? {
        let field = unit.fields[0]
        guard let mine = SetElements.canonical(value: lhs.side.values[field]),
            let theirs = SetElements.canonical(value: rhs.side.values[field])
        else { return nil }
        let (mineUnlisted, theirsUnlisted) = ([lhs.said.elementTimestamp], [rhs.said.elementTimestamp])
        var listed: [ElementKey: [EditTimestamp]] = [:]
        var kept: [ElementKey] = []
        kept.reserveCapacity(mine.count + theirs.count)
        var (isMine, isTheirs) = (true, true)
        var (left, right) = (0, 0)
        while left < mine.count || right < theirs.count {
            let isInTheirs = right < theirs.count && (left == mine.count || !(mine[left] < theirs[right]))
            let isInMine = left < mine.count && (!isInTheirs || mine[left] == theirs[right])
            let element = isInMine ? mine[left] : theirs[right]
            let tokens = tokens(
                lhs: isInMine ? lhs.said.elements?[element] ?? mineUnlisted : [],
                rhs: isInTheirs ? rhs.said.elements?[element] ?? theirsUnlisted : []
            )
            if isInMine == tokens.isEmpty { isMine = false }
            if isInTheirs == tokens.isEmpty { isTheirs = false }
            if !tokens.isEmpty { kept.append(element) }
            if !tokens.isEmpty, tokens.count > 1 || tokens[0] != times.origin {
                listed[element] = tokens
            }
            left += isInMine ? 1 : 0
            right += isInTheirs ? 1 : 0
        }
        times.sets[unit.name] = listed
        if kept.isEmpty { return (nil, ()) }
        if isMine { return (lhs.side.values[field], ()) }
        return (isTheirs ? rhs.side.values[field] : SetElements.write(kept), ())
    }
}

extension SetElements {
    /// The elements of a column as it is written here: sorted, each one once, without white space. Nil for another one.
    fileprivate static func canonical(value: FieldValue?) -> [ElementKey]? {
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
