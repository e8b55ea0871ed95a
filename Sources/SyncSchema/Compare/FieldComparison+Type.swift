/// Compares the types of two versions of a field.
extension FieldComparison {
    func typeChanges(isNested: Bool) -> [SchemaChange] {
        switch (old.type, new.type) {
        case (.object(let before), .object(let after)):
            return FieldListComparison(entity: entity, old: before, new: after, prefix: path + ".").changes()
        case (
            .array(let before, let wasSet, let oldMinimum, let oldMaximum),
            .array(let after, let isSet, let newMinimum, let newMaximum)
        ):
            var changes = bounds(
                bounds: [
                    ("minItems", oldMinimum.map { Double($0) }, newMinimum.map { Double($0) }, isLower: true),
                    (
                        "maxItems", oldMaximum.map { Double($0) }, newMaximum.map { Double($0) },
                        isLower: false
                    ),
                ]
            )
            changes += setChange(
                from: Repeats(isSet: wasSet, field: old),
                to: Repeats(isSet: isSet, field: new)
            )
            let element = FieldComparison(entity: entity, old: before, new: after, path: path + "[]")
            changes += element.typeChanges(isNested: true)
            return changes + [element.elementNullability()].compactMap { $0 }
        case (.map(let before), .map(let after)):
            let value = FieldComparison(entity: entity, old: before, new: after, path: path + "{}")
            return value.typeChanges(isNested: true) + [value.elementNullability()].compactMap { $0 }
        case (.enumeration(let before), .enumeration(let after)) where before.isInteger == after.isInteger:
            return enumChange(old: before, new: after)
        default:
            // An enum of integers takes every integer, as it is open.
            let plain = FieldComparison(
                entity: entity,
                old: old.withoutIntegerEnum,
                new: new.withoutIntegerEnum,
                path: path
            )
            let changes = plain.scalarChanges(isNested: isNested)
            let isEnumGone = changes.isEmpty && (plain.old.type != old.type || plain.new.type != new.type)
            return isEnumGone ? [either()] : changes
        }
    }

    private func either() -> SchemaChange {
        change(
            rule: .enumChanged,
            "the field was \(old.type.phrase) and is \(new.type.phrase); either takes every value of the other",
            help: "nothing needs to be done"
        )
    }

    private func scalarChanges(isNested: Bool) -> [SchemaChange] {
        if Self.bare(type: old.type) == Self.bare(type: new.type) {
            return bounds(bounds: Self.bounds(old: old.type, new: new.type)) + pattern()
        }
        let (before, after) = (old.type.phrase, new.type.phrase)
        switch (old.type, new.type) {
        case (.integer, .number) where !isKey, (.integer, .number) where isNested:
            return [
                change(
                    rule: .typeWidened,
                    "the field was an integer and is a number; stores follow where no integer is beyond 2^53,"
                        + " and older apps set records with fractions aside",
                    help: "write fractions only when every app is updated"
                )
            ]
        case (.enumeration, .string(nil, nil, nil, nil)), (.string, .enumeration): return [either()]
        case (.uuid, .string), (.uri, .string), (.date, .string), (.decimal, .string), (.uuid, .enumeration),
            (.uri, .enumeration), (.enumeration, .string):
            return [
                change(
                    rule: .typeWidened,
                    "the field was \(before) and is \(after); stores follow,"
                        + " and older apps set records aside whose value is not \(before)",
                    help: "write other values only when every app is updated"
                )
            ]
        case (.string, .uri), (.uuid, .uri), (.enumeration, .uri):
            return [tightened(words: "the field was \(before) and is \(after)")]
        case (.string, .uuid), (.uri, .uuid), (.enumeration, .uuid):
            return [
                change(
                    rule: .typeNarrowed,
                    "the field was \(before) and is \(after); stores follow,"
                        + " and records whose value is not \(after) are set aside, those in a store, too",
                    help: "make a new field for it"
                )
            ]
        default:
            if isNested {
                let message =
                    "the member was \(before) and is \(after);"
                    + " records of older apps are set aside, those in a store, too, and older apps set newer ones aside"
                return [change(rule: .memberTypeChanged, message, help: "make a new member for it")]
            }
            let message = "the field was \(before) and is \(after); a store that exists refuses to open"
            return [change(rule: .typeChanged, message, help: "make a new field for it")]
        }
    }

    private var isKey: Bool { entity.new.key.contains { ByteKey($0) == ByteKey(new.name) } }

    /// What an array says of its order and of elements that it holds twice.
    private enum Repeats {
        case list, set, orderedSet

        init(isSet: Bool, field: Property) {
            self = isSet ? .set : field.hasUniqueItems ? .orderedSet : .list
        }
    }

    private func setChange(from before: Repeats, to after: Repeats) -> [SchemaChange] {
        let message =
            switch (before, after) {
            case (.list, .list), (.set, .set), (.orderedSet, .orderedSet): String?.none
            case (.list, .set):
                "the list is a set now; records that hold an element twice are set aside when they come"
            case (.set, .list):
                "the set is a list now; older apps set records aside that hold an element twice"
            case (.set, .orderedSet):
                "the set keeps its order now; older apps sort it again in each record that they edit"
            case (.orderedSet, .set):
                "the list is sorted now; the order that older apps give it is lost"
            case (.list, .orderedSet):
                "the list takes no element twice now; records that hold one twice are set aside when they come"
            case (.orderedSet, .list):
                "the list takes an element twice now; older apps set such records aside"
            }
        return message.map { [change(rule: .setChanged, $0, help: "make a new field for it")] } ?? []
    }

    private func elementNullability() -> SchemaChange? {
        guard old.isNullable != new.isNullable else { return nil }
        return change(
            rule: new.isNullable ? .nullAllowed : .nullForbidden,
            new.isNullable
                ? "elements may be null; older apps set such records aside"
                : "elements may not be null any more; records with such elements are set aside when they come",
            help: "make a new field for it"
        )
    }

    private func enumChange(old: EnumType, new: EnumType) -> [SchemaChange] {
        let (before, after) = (
            Set(old.cases.map { ByteKey($0.value) }), Set(new.cases.map { ByteKey($0.value) })
        )
        guard before != after else { return [] }
        let count = (after.subtracting(before).count, before.subtracting(after).count)
        return [
            change(
                rule: .enumChanged,
                "\(count.0) values were added and \(count.1) removed;"
                    + " apps keep values that they do not know and show them as unknown",
                help: "nothing needs to be done"
            )
        ]
    }

    /// A bound before and after; nil means none.
    private typealias Bound = (name: String, old: Double?, new: Double?, isLower: Bool)

    private func bounds(bounds: [Bound]) -> [SchemaChange] {
        bounds.compactMap { bound in
            guard bound.old != bound.new else { return nil }
            let unbounded = bound.isLower ? -Double.infinity : Double.infinity
            let (before, after) = (bound.old ?? unbounded, bound.new ?? unbounded)
            let words =
                "\(bound.name.quoted) was \(Self.text(bound: bound.old)) and is \(Self.text(bound: bound.new))"
            return (after > before) == bound.isLower ? tightened(words: words) : loosened(words: words)
        }
    }

    private func pattern() -> [SchemaChange] {
        guard case .string(_, _, let before, _) = old.type, case .string(_, _, let after, _) = new.type,
            before.map(ByteKey.init) != after.map(ByteKey.init)
        else { return [] }
        if after == nil { return [loosened(words: "'pattern' is gone")] }
        return [tightened(words: before == nil ? "there is a 'pattern' now" : "'pattern' is another")]
    }

    private func tightened(words: String) -> SchemaChange {
        change(
            rule: .constraintTightened,
            "\(words); records outside are set aside when they come, and refused at their next edit",
            help: "keep the bound, or check in the app what is written anew"
        )
    }

    private func loosened(words: String) -> SchemaChange {
        change(
            rule: .constraintLoosened,
            "\(words); older apps set records outside their bounds aside",
            help: "write such values only when every app is updated"
        )
    }

    private static func text(bound: Double?) -> String {
        guard let bound else { return "not there" }
        return Int64(exactly: bound).map { "\($0)" } ?? "\(bound)"
    }

    private static func bounds(old: SchemaType, new: SchemaType) -> [Bound] {
        switch (old, new) {
        case (
            .string(let oldLeast, let oldMost, _, let oldBytes),
            .string(let newLeast, let newMost, _, let newBytes)
        ):
            [
                ("minLength", oldLeast.map(Double.init), newLeast.map(Double.init), true),
                ("maxLength", oldMost.map(Double.init), newMost.map(Double.init), false),
                ("maxBytes", oldBytes.map(Double.init), newBytes.map(Double.init), false),
            ]
        case (.integer(let oldLeast, let oldMost), .integer(let newLeast, let newMost)):
            [
                ("minimum", oldLeast.map(Double.init), newLeast.map(Double.init), true),
                ("maximum", oldMost.map(Double.init), newMost.map(Double.init), false),
            ]
        case (.number(let oldLeast, let oldMost), .number(let newLeast, let newMost)):
            [("minimum", oldLeast, newLeast, true), ("maximum", oldMost, newMost, false)]
        case (.uri(let oldMost), .uri(let newMost)):
            [("maxLength", oldMost.map(Double.init), newMost.map(Double.init), false)]
        default: []
        }
    }

    /// The type without its constraints.
    private static func bare(type: SchemaType) -> SchemaType {
        switch type {
        case .string: .string(minLength: nil, maxLength: nil, pattern: nil)
        case .integer: .integer(minimum: nil, maximum: nil)
        case .number: .number(minimum: nil, maximum: nil)
        case .uri: .uri(maxLength: nil)
        default: type
        }
    }
}

extension Property {
    /// The field as any integer where it is an enum of integers.
    fileprivate var withoutIntegerEnum: Property {
        guard case .enumeration(let type) = self.type, type.isInteger else { return self }
        var property = self
        property.type = .integer(minimum: nil, maximum: nil)
        return property
    }
}
