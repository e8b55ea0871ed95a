import SyncCore

/// Members of a record that its schema here does not know, and that meet others on their own because a newer schema, on
/// another device, knows them as fields.
///
/// Where every field meets on its own these are all unknown members. Elsewhere they are those that carry marks; the
/// others belong to the record as a whole.
struct UnknownFieldPaths: Equatable {
    /// Their names, as marks have them.
    var names: Set<String> = []
    /// Those that are sets, which meet by their elements.
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
        for name in detail.units.keys where !known.contains(name) { names.insert(name) }
    }

    /// Those of either.
    func union(_ other: UnknownFieldPaths) -> UnknownFieldPaths {
        var all = self
        all.names.formUnion(other.names)
        all.sets.formUnion(other.sets)
        return all
    }
}

/// One member that the schema here does not know, with its marks.
struct UnknownFieldState: Equatable {
    /// Marks and kept values as the app wrote them that knows the field; the first is that of the value shown. None where
    /// the version came without the member, from an app that does not know it either.
    var siblings: [Sibling]
    /// The value, or nil when it is absent.
    var json: String?
    /// The elements with their marks; nil when it is no set.
    var elements: [ElementKey: [EditTimestamp]]?
    /// Whether the member lies inside another one that is a stranger as well.
    let isInside: Bool
    /// Whether marks name fields inside the member.
    private var hasFields = false

    init(version: SyncRecord, name: String, isSet: Bool) {
        let detail = version.metadata.detail
        let origin = detail?.origin ?? version.metadata.editTimestamp
        json = version.record.unknown.first { $0.path.utf8.elementsEqual(name.utf8) }?.json
        isInside = version.record.unknown.contains { parent in
            let prefix = parent.path.hasPrefix("/") ? parent.path + "/" : "/\(parent.path)/"
            return name.hasPrefix(prefix)
        }
        siblings = detail?.units[name] ?? []
        if siblings.isEmpty {
            // NB: the newer schema may have fields inside this member, whose marks name their own places.
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
            origin: origin
        )
        siblings = Array(siblings.prefix(1))
    }

    /// The mark of the value shown; nil where there is nothing to mark.
    var editTimestamp: EditTimestamp? { siblings.first?.editTimestamp }

    /// Whether the member meets as one value.
    var isWhole: Bool { elements == nil && !isInside && !hasFields }

    /// The values of the edits that nobody has overwritten, as JSON; nil for one that took the member away.
    var values: [EditTimestamp: String?] {
        siblings.reduce(into: [:]) { values, sibling in
            switch sibling.value {
            case .own: values.updateValue(json, forKey: sibling.editTimestamp)
            case .absent: values.updateValue(nil, forKey: sibling.editTimestamp)
            case .value(let value): values.updateValue(value.json, forKey: sibling.editTimestamp)
            }
        }
    }

    /// The member with these values, of which it shows the latest.
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

    /// Whether the marks must travel, because they do not follow from the record's origin.
    func needsTimestamp(origin: EditTimestamp) -> Bool {
        if siblings.isEmpty { return false }
        return siblings != [Sibling(editTimestamp: origin)] || (json == nil && !isInside)
    }
}

extension UnitMerge {
    /// The surviving member, and whose value was lost (true: left's); nil for a conflict.
    ///
    /// NB: the rule that a newer schema has for the field is not known here. Sets meet by their elements as everywhere; of
    /// other values the later one is shown, and the other goes to the journal and stays beside it.
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

    /// The later of the values that nobody has overwritten, with the others beside it, so that an app that knows the
    /// field's rule can decide once more.
    private func kept(lhs: UnknownFieldState, rhs: UnknownFieldState, rule: MergeRule)
        -> (unknownField: UnknownFieldState, lostLeft: Bool?)?
    {
        let (mine, theirs) = (lhs.values, rhs.values)
        var values = mine.filter { editTimestamp, _ in
            theirs[editTimestamp] != nil || !covers(vector: right, editTimestamp: editTimestamp)
        }
        for (editTimestamp, json) in theirs
        where mine[editTimestamp] != nil || !covers(vector: left, editTimestamp: editTimestamp) {
            // NB: an app that met the record as a whole can have given one edit's mark to another's value.
            let other = values[editTimestamp] ?? json
            values[editTimestamp] =
                (other ?? "").utf8.lexicographicallyPrecedes((json ?? "").utf8) ? json : other
        }
        // NB: both sides can have seen the other's mark only when one and the same edit was kept on both.
        if values.isEmpty { values = mine.merging(theirs) { mine, _ in mine } }
        let result = lhs.latestFirst(values: values)
        guard let shown = result.editTimestamp, values.contains(where: { $0.value != result.json }) else {
            return (result, nil)
        }
        if rule == .preserveLocal { return keepsLeft ? (lhs, nil) : nil }
        return (result, mine[shown] == nil)
    }

    /// A member that is a set, with the elements that both make.
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
                // NB: a set that shows elements can still be one that a person made null, as in the app that knows it.
                if !isArray, presence == .own {
                    result.siblings[0].value = result.json == nil ? .absent : .value(.null)
                }
                result.json = SetElements.text(elements: elements.keys)
            }
        }
        return result
    }

    /// The mark of what two versions hold of one unit: of the one that has not been seen by the other, or the later.
    func editTimestamp(lhs: EditTimestamp, rhs: EditTimestamp) -> EditTimestamp {
        let (isOneSeen, isTwoSeen) = (
            covers(vector: right, editTimestamp: lhs), covers(vector: left, editTimestamp: rhs)
        )
        if lhs == rhs || isOneSeen == isTwoSeen { return max(lhs, rhs) }
        return isOneSeen ? rhs : lhs
    }

    private func areApart(lhs: EditTimestamp, rhs: EditTimestamp) -> Bool {
        !covers(vector: right, editTimestamp: lhs) && !covers(vector: left, editTimestamp: rhs)
    }

    private func latest(lhs: UnknownFieldState, rhs: UnknownFieldState) -> UnknownFieldState {
        (rhs.json ?? "").utf8.lexicographicallyPrecedes((lhs.json ?? "").utf8) ? lhs : rhs
    }
}
