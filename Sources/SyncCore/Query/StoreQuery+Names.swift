extension EntityDescriptor {
    /// A field that a query names. Throws for one that the entity does not have.
    package func queried(field: String) throws -> FieldDescriptor {
        if let position = layout.position(of: field) { return fields[position] }
        var members = fields
        var found: FieldDescriptor?
        for name in StoreQuery.path(of: field) {
            found = members.first { $0.name == name }
            if case .object(let inner)? = found?.type { members = inner } else { members = [] }
        }
        guard let found else { throw SyncError.unknownField(entity: name, field: field) }
        return found
    }
}

extension FieldDescriptor {
    /// What a model shows where the field is missing: its default; nil if it shows that there is no value.
    package func shownIfMissing() throws -> FieldValue? {
        guard !isRequired, !isNullable, let defaultJSON else { return nil }
        return try FieldJSON.elements(of: "[\(defaultJSON)]", element: type).first
    }
}

extension EntityDescriptor {
    /// The condition for what a model shows: where a field is missing, its default. A member of an object is missing only if
    /// there is the object.
    package func filter(shown condition: StoreQuery.Condition) throws -> StoreQuery.Filter {
        let field = try queried(field: condition.field)
        guard let shown = try field.shownIfMissing(), condition.test.isMet(by: shown, of: field.type) else {
            return .test(condition)
        }
        let isMissing = StoreQuery.Condition(field: condition.field, test: .equals(.null))
        let object = StoreQuery.path(of: condition.field).dropLast().joined(separator: ".")
        if object.isEmpty { return .any([.test(condition), .test(isMissing)]) }
        let hasObject = StoreQuery.Condition(field: object, test: .range(lower: nil, upper: nil))
        return .any([.test(condition), .all([.test(isMissing), .test(hasObject)])])
    }
}

extension StoreQuery.Sort {
    /// What an order compares of a value: its place among `ranks`, or itself. `missing` is what is shown without a value.
    package func compared(value: FieldValue, missing: FieldValue?) -> FieldValue {
        guard let ranks else { return value }
        let shown = value == .null ? missing ?? .null : value
        guard shown != .null else { return shown }
        return .integer(Int64(ranks.firstIndex(of: shown) ?? ranks.count))
    }
}

extension FieldValue {
    /// Whether a store sorts it before another value of its field: null first, then by number or by bytes.
    package func precedes(_ other: FieldValue, as type: FieldType) -> Bool {
        switch (self, other) {
        case (.null, _): other != .null
        case (.boolean(let value), .boolean(let other)): !value && other
        case (.integer(let value), .integer(let other)): value < other
        case (.number(let value), .number(let other)): value < other
        case (.timestamp(let value), .timestamp(let other)): value < other
        case (.text(let value), .text(let other)):
            if case .decimal = type {
                DecimalText.isLess(left: value, right: other)
            } else {
                value.precedesByBytes(other: other)
            }
        case (.json(let value), .json(let other)): value.precedesByBytes(other: other)
        case (.bytes(let value), .bytes(let other)): value.lexicographicallyPrecedes(other)
        default: false
        }
    }
}

extension StoreQuery {
    /// The names on the way to a member of nested objects: `address.city`. One name for a field of the entity.
    package static func path(of field: String) -> [String] { field.split(separator: ".").map(String.init) }
}

extension StoreQuery.Test {
    /// Whether a test holds for a value: one that an index serves, or one of a list's elements.
    package func isMet(by value: FieldValue, of type: FieldType) -> Bool {
        switch self {
        case .equals(let other): return value == other
        case .oneOf(let others): return others.contains(value)
        case .range(let lower, let upper):
            let isBelow = lower.map { bound in
                value.precedes(bound.value, as: type) || !bound.isIncluded && value == bound.value
            }
            let isAbove = upper.map { bound in
                bound.value.precedes(value, as: type) || !bound.isIncluded && value == bound.value
            }
            return isBelow != true && isAbove != true
        case .hasAnyElement(let values):
            return values.contains(where: Self.elements(of: value, type).contains)
        case .hasAllElements(let values): return values.allSatisfy(Self.elements(of: value, type).contains)
        case .contains, .compares: return false
        }
    }

    private static func elements(of value: FieldValue, _ type: FieldType) -> [FieldValue] {
        guard case .json(let text) = value, case .array(let element, _, _, _, _) = type else { return [] }
        return (try? FieldJSON.elements(of: text, element: element)) ?? []
    }

    /// Text that begins with a prefix, as a range.
    package static func prefix(_ prefix: String) -> Self {
        let lower = StoreQuery.Bound(value: .text(prefix), isIncluded: true)
        return .range(
            lower: lower,
            upper: successor(prefix).map { StoreQuery.Bound(value: .text($0), isIncluded: false) }
        )
    }

    /// The least text after all texts with a prefix, by bytes; nil if there is none.
    private static func successor(_ prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no characters of a text.
            let next = last.value == 0xd7ff ? 0xe000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                var text = String.UnicodeScalarView(scalars)
                text.append(scalar)
                return String(text)
            }
        }
        return nil
    }
}
