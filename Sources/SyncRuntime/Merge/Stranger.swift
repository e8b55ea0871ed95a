import SyncCore

/// Members of a record that its schema here does not know, and that meet others on their own because a newer schema, on
/// another device, knows them as fields.
///
/// Where every field meets on its own these are all unknown members. Elsewhere they are those that carry marks; the
/// others belong to the record as a whole.
struct Strangers: Equatable {
    /// Their names, as marks have them.
    var names: Set<String> = []
    /// Those that are sets, which meet by their elements.
    var sets: Set<String> = []

    init(_ version: SyncRecord, _ descriptor: EntityDescriptor) {
        let known = descriptor.layout.markNames
        if descriptor.meetsByField {
            for member in version.record.unknown where !known.contains(member.path) {
                names.insert(member.path)
            }
        }
        guard let detail = version.stamp.detail else { return }
        for name in detail.elements.keys where !known.contains(name) {
            sets.insert(name)
            names.insert(name)
        }
        for name in detail.units.keys where !known.contains(name) { names.insert(name) }
    }

    /// Those of either.
    func union(_ other: Strangers) -> Strangers {
        var all = self
        all.names.formUnion(other.names)
        all.sets.formUnion(other.sets)
        return all
    }
}

/// One member that the schema here does not know, with its marks.
struct Stranger: Equatable {
    /// Marks and kept values as the app wrote them that knows the field; the first is that of the value shown. None where
    /// the version came without the member, from an app that does not know it either.
    var siblings: [Sibling]
    /// The value, or nil when it is absent.
    var json: String?
    /// The elements with their marks; nil when it is no set.
    var elements: [ElementKey: [EditMark]]?
    /// Whether the member lies inside another one that is a stranger as well.
    let isInside: Bool
    /// Whether marks name fields inside the member.
    private var hasFields = false

    init(_ version: SyncRecord, _ name: String, isSet: Bool) {
        let detail = version.stamp.detail
        let origin = detail?.origin ?? version.stamp.mark
        json = version.record.unknown.first { $0.path.utf8.elementsEqual(name.utf8) }?.json
        isInside = version.record.unknown.contains { parent in
            let prefix = parent.path.hasPrefix("/") ? parent.path + "/" : "/\(parent.path)/"
            return name.hasPrefix(prefix)
        }
        siblings = detail?.units[name] ?? []
        if siblings.isEmpty {
            // NB: the newer schema may have fields inside this member, whose marks name their own places.
            let prefix = name.hasPrefix("/") ? name + "/" : "/\(name)/"
            let inner = detail?.units.filter { $0.key.hasPrefix(prefix) }.values.compactMap(\.first?.mark)
                .max()
            let isUnsaid = json == nil && inner == nil && !isInside
            if !isUnsaid { siblings = [Sibling(mark: inner ?? origin)] }
            hasFields = inner != nil
        }
        guard isSet else { return }
        elements = MergeState.marks(
            SetElements.read(json.map { .json($0) }),
            detail?.elements[name],
            siblings.isEmpty ? nil : siblings,
            origin
        )
        siblings = Array(siblings.prefix(1))
    }

    /// The mark of the value shown; nil where there is nothing to mark.
    var mark: EditMark? { siblings.first?.mark }

    /// Whether the member meets as one value.
    var isWhole: Bool { elements == nil && !isInside && !hasFields }

    /// The values of the edits that nobody has overwritten, as JSON; nil for one that took the member away.
    var values: [EditMark: String?] {
        siblings.reduce(into: [:]) { values, sibling in
            switch sibling.value {
            case .own: values.updateValue(json, forKey: sibling.mark)
            case .absent: values.updateValue(nil, forKey: sibling.mark)
            case .value(let value): values.updateValue(value.json, forKey: sibling.mark)
            }
        }
    }

    /// The member with these values, of which it shows the latest.
    func latestFirst(_ values: [EditMark: String?]) -> Stranger {
        let ordered = values.sorted { $0.key > $1.key }
        var result = self
        result.json = ordered.first?.value
        result.siblings = ordered.enumerated().map { index, entry in
            let kept = entry.value.map { SiblingValue.value(.json($0)) } ?? .absent
            return Sibling(mark: entry.key, value: index == 0 ? .own : kept)
        }
        return result
    }

    /// Whether the marks must travel, because they do not follow from the record's origin.
    func needsMark(_ origin: EditMark) -> Bool {
        if siblings.isEmpty { return false }
        return siblings != [Sibling(mark: origin)] || (json == nil && !isInside)
    }
}

extension UnitMerge {
    /// The surviving member, and whose value was lost (true: left's); nil for a conflict.
    ///
    /// NB: the rule that a newer schema has for the field is not known here. Sets meet by their elements as everywhere; of
    /// other values the later one is shown, and the other goes to the journal and stays beside it.
    func stranger(
        _ one: Stranger,
        _ two: Stranger,
        _ rule: MergeRule
    ) -> (stranger: Stranger, lostLeft: Bool?)? {
        guard let oneMark = one.mark, let twoMark = two.mark else {
            return (withElements(one.mark == nil ? two : one, one, two), nil)
        }
        if one.isWhole, two.isWhole { return kept(one, two, rule) }
        let keepsOne = mark(oneMark, twoMark) == oneMark
        var result = keepsOne ? one : two
        if oneMark == twoMark, one.json != two.json { result = latest(one, two) }
        if one.elements != nil, two.elements != nil { return (withElements(result, one, two), nil) }
        let isSettled = one.json == two.json || oneMark == twoMark || !areApart(oneMark, twoMark)
        if isSettled { return (result, nil) }
        if rule == .preserveLocal { return keepsLeft ? (one, nil) : nil }
        return (result, !keepsOne)
    }

    /// The later of the values that nobody has overwritten, with the others beside it, so that an app that knows the
    /// field's rule can decide once more.
    private func kept(_ one: Stranger, _ two: Stranger, _ rule: MergeRule)
        -> (stranger: Stranger, lostLeft: Bool?)?
    {
        let (mine, theirs) = (one.values, two.values)
        var values = mine.filter { mark, _ in theirs[mark] != nil || !covers(right, mark) }
        for (mark, json) in theirs where mine[mark] != nil || !covers(left, mark) {
            // NB: an app that met the record as a whole can have given one edit's mark to another's value.
            let other = values[mark] ?? json
            values[mark] = (other ?? "").utf8.lexicographicallyPrecedes((json ?? "").utf8) ? json : other
        }
        // NB: both sides can have seen the other's mark only when one and the same edit was kept on both.
        if values.isEmpty { values = mine.merging(theirs) { mine, _ in mine } }
        let result = one.latestFirst(values)
        guard let shown = result.mark, values.contains(where: { $0.value != result.json }) else {
            return (result, nil)
        }
        if rule == .preserveLocal { return keepsLeft ? (one, nil) : nil }
        return (result, mine[shown] == nil)
    }

    /// A member that is a set, with the elements that both make.
    private func withElements(_ shown: Stranger, _ one: Stranger, _ two: Stranger) -> Stranger {
        var result = shown
        if let mine = one.elements, let theirs = two.elements {
            let elements = elements(mine, theirs)
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
                result.json = SetElements.text(elements.keys)
            }
        }
        return result
    }

    /// The mark of what two versions hold of one unit: of the one that has not been seen by the other, or the later.
    func mark(_ one: EditMark, _ two: EditMark) -> EditMark {
        let (isOneSeen, isTwoSeen) = (covers(right, one), covers(left, two))
        if one == two || isOneSeen == isTwoSeen { return max(one, two) }
        return isOneSeen ? two : one
    }

    private func areApart(_ one: EditMark, _ two: EditMark) -> Bool {
        !covers(right, one) && !covers(left, two)
    }

    private func latest(_ one: Stranger, _ two: Stranger) -> Stranger {
        (two.json ?? "").utf8.lexicographicallyPrecedes((one.json ?? "").utf8) ? one : two
    }
}
