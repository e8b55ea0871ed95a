import SyncCore

/// Unknown fields that merge separately: another device's newer schema knows them as fields.
///
/// If every field merges separately, these are all unknown fields. Otherwise they are those with timestamps; the
/// others belong to the record as a whole.
struct UnknownFieldPaths: Equatable {
    /// Their names, as in field timestamps.
    var names: Set<String> = []
    /// Those that are sets, which merge by element.
    var sets: Set<String> = []

    init(version: SyncRecord, descriptor: EntityDescriptor) {
        let known = descriptor.layout.markNames
        if descriptor.meetsByField {
            for member in version.record.unknown where !known.contains(member.path) {
                names.insert(member.path)
            }
        }
        guard let detail = version.metadata.detail else { return }
        for name in detail.elements.keys where !known.contains(name) {
            sets.insert(name)
            names.insert(name)
        }
        for name in detail.units.keys where !known.contains(name) {
            // If this app merges the record as a whole, what was not touched since the origin belongs to it.
            if descriptor.meetsByField || !detail.isUntouched(name: name) { names.insert(name) }
        }
    }

    /// The unknown fields of both.
    func union(_ other: UnknownFieldPaths) -> UnknownFieldPaths {
        var all = self
        all.names.formUnion(other.names)
        all.sets.formUnion(other.sets)
        return all
    }
}

/// One unknown field with its timestamps.
struct UnknownFieldState: Equatable {
    /// Timestamps and kept values as written by an app that knows the field; the first belongs to the shown value.
    /// Empty if the version came without the field, from an app that does not know it either.
    var siblings: [Sibling]
    /// The value as JSON; nil if absent.
    var json: String?
    /// The elements with their timestamps; nil if it is not a set.
    var elements: [ElementKey: [EditTimestamp]]?
    /// Whether the field is inside another unknown field.
    let isInside: Bool
    /// Whether timestamps name fields inside this one.
    private var hasFields = false

    /// `unlisted` is the timestamp of a field that the version does not list.
    init(version: SyncRecord, name: String, isSet: Bool, unlisted origin: EditTimestamp) {
        let detail = version.metadata.detail
        json = version.record.unknown.first { $0.path.utf8.elementsEqual(name.utf8) }?.json
        isInside = version.record.unknown.contains { parent in
            let prefix = parent.path.hasPrefix("/") ? parent.path + "/" : "/\(parent.path)/"
            return name.hasPrefix(prefix)
        }
        siblings = detail?.units[name] ?? []
        if siblings.isEmpty {
            // The newer schema may have fields inside this one, whose timestamps have their own paths.
            let prefix = name.hasPrefix("/") ? name + "/" : "/\(name)/"
            let inner = detail?.units.filter { $0.key.hasPrefix(prefix) }.values.compactMap(
                \.first?.editTimestamp
            )
            .max()
            let isUnsaid = json == nil && inner == nil && !isInside
            if !isUnsaid { siblings = [Sibling(editTimestamp: inner ?? origin)] }
            hasFields = inner != nil
        }
        guard isSet else { return }
        elements = MergeState.editTimestamps(
            shown: SetElements.read(value: json.map { .json($0) }),
            listed: detail?.elements[name],
            siblings: siblings.isEmpty ? nil : siblings,
            origin: detail?.elements[name] == nil ? origin : version.metadata.origin
        )
        siblings = Array(siblings.prefix(1))
    }

    /// The timestamp of the shown value; nil if there is none.
    var editTimestamp: EditTimestamp? { siblings.first?.editTimestamp }

    /// Whether the field merges as one value.
    var isWhole: Bool { elements == nil && !isInside && !hasFields }

    /// The values of edits that nobody has overwritten, as JSON; nil for an edit that removed the field.
    var values: [EditTimestamp: String?] {
        siblings.reduce(into: [:]) { values, sibling in
            switch sibling.value {
            case .own: values.updateValue(json, forKey: sibling.editTimestamp)
            case .absent: values.updateValue(nil, forKey: sibling.editTimestamp)
            case .value(let value): values.updateValue(value.json, forKey: sibling.editTimestamp)
            }
        }
    }

    /// The field with these values; it shows the latest.
    func latestFirst(values: [EditTimestamp: String?]) -> UnknownFieldState {
        let ordered = values.sorted { $0.key > $1.key }
        var result = self
        result.json = ordered.first?.value
        result.siblings = ordered.enumerated().map { index, entry in
            let kept = entry.value.map { SiblingValue.value(.json($0)) } ?? .absent
            return Sibling(editTimestamp: entry.key, value: index == 0 ? .own : kept)
        }
        return result
    }

    /// Whether the timestamps must be stored, because they do not follow from the record's origin.
    func needsTimestamp(origin: EditTimestamp) -> Bool {
        if siblings.isEmpty { return false }
        return siblings != [Sibling(editTimestamp: origin)] || (json == nil && !isInside)
    }
}

extension ValueMerge {
    /// The surviving state, and the side that lost a value (true: left); nil for a conflict.
    ///
    /// NB: the newer schema's rule for the field is not known here. Sets merge by element, as everywhere. Of other
    /// values the later one is shown; the other goes to the journal and is kept as a sibling.
    func unknownField(
        lhs: UnknownFieldState,
        rhs: UnknownFieldState,
        rule: MergeRule
    ) -> (unknownField: UnknownFieldState, lostLeft: Bool?)? {
        guard let leftTimestamp = lhs.editTimestamp, let rightTimestamp = rhs.editTimestamp else {
            return (withElements(shown: lhs.editTimestamp == nil ? rhs : lhs, lhs: lhs, rhs: rhs), nil)
        }
        if lhs.isWhole, rhs.isWhole { return kept(lhs: lhs, rhs: rhs, rule: rule) }
        let keepsLeftValue = editTimestamp(lhs: leftTimestamp, rhs: rightTimestamp) == leftTimestamp
        var result = keepsLeftValue ? lhs : rhs
        if leftTimestamp == rightTimestamp, lhs.json != rhs.json { result = latest(lhs: lhs, rhs: rhs) }
        if lhs.elements != nil, rhs.elements != nil {
            return (withElements(shown: result, lhs: lhs, rhs: rhs), nil)
        }
        let needsNoDecision =
            lhs.json == rhs.json || leftTimestamp == rightTimestamp
            || !areApart(lhs: leftTimestamp, rhs: rightTimestamp)
        if needsNoDecision { return (result, nil) }
        if rule == .preserveLocal { return keepsLeft ? (lhs, nil) : nil }
        return (result, !keepsLeftValue)
    }

    /// The values that nobody has overwritten, the latest shown. The others are kept, so that an app that knows the
    /// field's rule can decide again.
    private func kept(lhs: UnknownFieldState, rhs: UnknownFieldState, rule: MergeRule)
        -> (unknownField: UnknownFieldState, lostLeft: Bool?)?
    {
        let (mine, theirs) = (lhs.values, rhs.values)
        var values = mine.filter { editTimestamp, _ in
            theirs[editTimestamp] != nil || !right.covers(editTimestamp)
        }
        for (editTimestamp, json) in theirs
        where mine[editTimestamp] != nil || !left.covers(editTimestamp) {
            // An app that merged the record as a whole may have given one edit's timestamp to another's value.
            let other = values[editTimestamp] ?? json
            values[editTimestamp] =
                (other ?? "").utf8.lexicographicallyPrecedes((json ?? "").utf8) ? json : other
        }
        // Both sides can have seen the other's timestamp only if they kept one and the same edit.
        if values.isEmpty { values = mine.merging(theirs) { mine, _ in mine } }
        let result = lhs.latestFirst(values: values)
        guard let shown = result.editTimestamp, values.contains(where: { $0.value != result.json }) else {
            return (result, nil)
        }
        if rule == .preserveLocal { return keepsLeft ? (lhs, nil) : nil }
        return (result, mine[shown] == nil)
    }

    /// A set with the merged elements.
    private func withElements(shown: UnknownFieldState, lhs: UnknownFieldState, rhs: UnknownFieldState)
        -> UnknownFieldState
    {
        var result = shown
        if let mine = lhs.elements, let theirs = rhs.elements {
            let elements = elements(lhs: mine, rhs: theirs)
            result.elements = elements
            let presence = result.siblings.first?.value ?? .absent
            let isArray = presence == .own && result.json?.utf8.first == UInt8(ascii: "[")
            if elements.isEmpty {
                if isArray { result.json = "[]" }
                if case .value(let value) = presence { result.json = value.json }
                if presence == .absent { result.json = nil }
                if !result.siblings.isEmpty { result.siblings[0].value = .own }
            } else {
                // A set with elements may still be one that a person made null, in an app that knows the field.
                if !isArray, presence == .own {
                    result.siblings[0].value = result.json == nil ? .absent : .value(.null)
                }
                result.json = SetElements.text(elements: elements.keys)
            }
        }
        return result
    }

    /// The timestamp of a unit in two versions: the one that the other side has not seen, or the later one.
    func editTimestamp(lhs: EditTimestamp, rhs: EditTimestamp) -> EditTimestamp {
        let (isOneSeen, isTwoSeen) = (right.covers(lhs), left.covers(rhs))
        if lhs == rhs || isOneSeen == isTwoSeen { return max(lhs, rhs) }
        return isOneSeen ? rhs : lhs
    }

    private func areApart(lhs: EditTimestamp, rhs: EditTimestamp) -> Bool {
        !right.covers(lhs) && !left.covers(rhs)
    }

    private func latest(lhs: UnknownFieldState, rhs: UnknownFieldState) -> UnknownFieldState {
        (rhs.json ?? "").utf8.lexicographicallyPrecedes((lhs.json ?? "").utf8) ? lhs : rhs
    }
}
