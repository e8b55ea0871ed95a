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
        if descriptor.meetsByField { names.formUnion(version.record.unknown.map(\.path)) }
        guard version.stamp.detail != nil || !names.isEmpty else { return }
        var known: Set<String> = [""]
        for field in descriptor.fields where !field.isLocalOnly { known.insert(field.markName) }
        if let detail = version.stamp.detail {
            sets = Set(detail.elements.keys).subtracting(known)
            names.formUnion(sets)
            names.formUnion(detail.units.keys)
        }
        names.subtract(known)
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
        }
        guard isSet else { return }
        elements = MergeState.marks(
            SetElements.read(json.map { .json($0) }),
            detail?.elements[name],
            siblings.first?.mark ?? origin,
            origin
        )
    }

    /// The mark of the value shown; nil where there is nothing to mark.
    var mark: EditMark? { siblings.first?.mark }

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
    /// other values the later one is shown, and the other goes to the journal.
    func stranger(
        _ one: Stranger,
        _ two: Stranger,
        _ rule: MergeRule
    ) -> (stranger: Stranger, lostLeft: Bool?)? {
        guard let oneMark = one.mark, let twoMark = two.mark else {
            return (withElements(one.mark == nil ? two : one, one, two), nil)
        }
        let keepsOne = mark(oneMark, twoMark) == oneMark
        var result = keepsOne ? one : two
        if oneMark == twoMark, one.json != two.json { result = latest(one, two) }
        if one.elements != nil, two.elements != nil { return (withElements(result, one, two), nil) }
        let isSettled = one.json == two.json || oneMark == twoMark || !areApart(oneMark, twoMark)
        if isSettled { return (result, nil) }
        return rule == .preserveLocal ? nil : (result, !keepsOne)
    }

    /// A member that is a set, with the elements that both make.
    private func withElements(_ shown: Stranger, _ one: Stranger, _ two: Stranger) -> Stranger {
        var result = shown
        if let mine = one.elements, let theirs = two.elements {
            let elements = elements(mine, theirs)
            result.elements = elements
            let isSet = result.json?.utf8.first == UInt8(ascii: "[")
            if !elements.isEmpty {
                result.json = SetElements.text(elements.keys)
            } else if isSet {
                result.json = "[]"
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
