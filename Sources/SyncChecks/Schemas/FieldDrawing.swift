import SyncCore

/// Draws fields: their types, constraints, defaults and merge rules.
struct FieldDrawing {
    var draw: Seed
    /// The number of the next field, which makes its name unlike any other.
    private var number = 0

    init(draw: Seed) {
        self.draw = draw
    }

    /// Whether something is the case that is so in some of a hundred draws.
    mutating func isSo(percent: Int) -> Bool { Int.random(in: 0..<100, using: &draw) < percent }

    /// One of some values; never called without any.
    mutating func one<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &draw)]
    }

    /// A new name.
    mutating func name(_ word: String) -> String {
        number += 1
        return "\(word)\(number)"
    }

    // MARK: Types

    /// A type that a key, or a part of one, can have.
    mutating func keyType() -> FieldType {
        switch Int.random(in: 0..<12, using: &draw) {
        case 0...2: .string()
        case 3: .string(minLength: 1, maxLength: 60)
        case 4: .string(pattern: "^[a-z]+[0-9]+$")
        case 5...8: .uuid
        case 9: one([.integer(), .integer(minimum: 0)])
        case 10: .date
        default: .uri()
        }
    }

    /// A type whose values are no lists or objects.
    mutating func scalarType() -> FieldType {
        switch Int.random(in: 0..<20, using: &draw) {
        case 0...4: .string()
        case 5: .string(minLength: 1, maxLength: 200, maxBytes: 600)
        case 6: one([.string(maxLength: 8), .string(minLength: 2, maxLength: 30, pattern: "^[a-z ]+")])
        case 7: .string(pattern: one(["^[a-z]{2,5}$", "[0-9]+", "^#?[0-9a-f]{6}$"]))
        case 8: one([.enumeration(["open", "done", "in-progress"]), .enumeration(["open"])])
        case 9: .uuid
        case 10: .dateTime
        case 11: .date
        case 12: .uri(maxLength: one([nil, 60]))
        case 13: .decimal
        case 14: .data
        case 15: .integer()
        case 16: .integer(minimum: one([nil, 0, -5]), maximum: one([nil, 100, 7]))
        case 17: .number(minimum: one([nil, 0]), maximum: one([nil, 10]))
        default: .boolean
        }
    }

    private mutating func elementType() -> FieldType {
        one([
            .string(), .string(), .string(maxLength: 30), .integer(), .uuid, .date, .boolean, .decimal,
            .enumeration(["red", "green", "blue"]),
        ])
    }

    private mutating func listType(isSet: Bool) -> FieldType {
        let element = elementType()
        let isShort = if case .boolean = element { true } else { false }
        return .array(
            element: element,
            elementIsNullable: !isSet && isSo(percent: 20),
            isSet: isSet,
            minItems: one([nil, nil, nil, 1]),
            maxItems: isShort ? nil : one([nil, nil, 5])
        )
    }

    private mutating func objectType() -> FieldType {
        let count = Int.random(in: 1...3, using: &draw)
        let fields = (0..<count).map { index in
            var field = FieldDescriptor(name: "part\(index)", type: scalarType())
            field.isNullable = isSo(percent: 30)
            field.isRequired = isSo(percent: 50)
            if isSo(percent: 25) { field.defaultJSON = value(of: field.type, isNullable: field.isNullable) }
            return field
        }
        return .object(fields)
    }

    /// Any type.
    mutating func type() -> FieldType {
        switch Int.random(in: 0..<10, using: &draw) {
        case 0...5: scalarType()
        case 6: listType(isSet: false)
        case 7, 8: listType(isSet: true)
        default: isSo(percent: 70) ? objectType() : .array(element: objectType())
        }
    }

    // MARK: Fields

    /// A field that is neither a key nor a reference.
    mutating func field() -> DrawnField {
        var field = DrawnField(name: name("field"), type: type())
        field.isNullable = isSo(percent: 35)
        field.isRequired = isSo(percent: 45)
        field.hasOpenBounds = isSo(percent: 30)
        if isSo(percent: 35), !field.isRequired {
            field.defaultJSON = value(of: field.type, isNullable: field.isNullable)
        }
        if isSo(percent: 12) {
            field.isLocalOnly = true
            if !field.isNullable, field.defaultJSON == nil { field.isRequired = false }
            field.sync.append(("localOnly", "true"))
        } else if isSo(percent: 40), let rule = mergeRule(of: field.type) {
            field.sync.append(("merge", rule.rawValue.quoted))
        }
        vary(&field)
        return field
    }

    /// Makes every other integer without bounds an enum, and some objects maps or free in form. That takes no draw.
    private func vary(_ field: inout DrawnField) {
        switch field.type {
        case .integer(nil, nil) where number.isMultiple(of: 2):
            let isOrdered = field.sync.contains { ["\"max\"", "\"min\""].contains($0.json) }
            // Those that records are made of. Edge values are unknown ones.
            if !isOrdered { field.listedIntegers = Array(1...ValueGenerator.width) }
        case .object(let parts) where parts.count == 1 && field.defaultJSON == nil:
            let part = parts[0]
            field.type =
                number.isMultiple(of: 2)
                ? .object([]) : .map(value: part.type, valueIsNullable: part.isNullable)
        default: break
        }
    }

    /// Sometimes gives a field another name on the wire, or a former one.
    mutating func rename(_ field: inout DrawnField) {
        number += 1
        if !field.isLocalOnly, isSo(percent: 12) {
            field.sync.append(("name", one(["wire_\(number)", "/at\(number)/value"]).quoted))
        }
        if isSo(percent: 8) { field.sync.append(("renamedFrom", "former\(number)".quoted)) }
    }

    /// Lets every other set without a merge by element keep its order. That takes no draw, so that a seed gives what it
    /// gave before in all else.
    mutating func order(_ field: inout DrawnField) {
        let isUnion = field.sync.contains { $0.json == MergeRule.union.rawValue.quoted }
        guard field.type.isSet, !isUnion, number.isMultiple(of: 2) else { return }
        field.sync.append(("ordered", "true"))
    }

    /// Gives every other link a Swift type of its own, which changes nothing else. That takes no draw either.
    func nameType(_ field: inout DrawnField) {
        guard case .uri = field.type, number.isMultiple(of: 2) else { return }
        field.sync.append(("swiftType", "URL".quoted))
    }

    /// A merge rule that fits a type; nil where none was drawn that does.
    mutating func mergeRule(of type: FieldType) -> MergeRule? {
        switch type {
        case .array(_, _, true, _, _): one([.union, .union, .lastWriteWins, .preserveLocal])
        case .integer, .number, .decimal, .dateTime, .date:
            one([.max, .min, .max, .min, .lastWriteWins, .preserveLocal])
        case .boolean: one([.or, .and, .lastWriteWins, .preserveLocal])
        default: one([.lastWriteWins, .preserveLocal])
        }
    }

    /// A value as JSON, one of the few that records have, so that some written value equals a default.
    mutating func value(of type: FieldType, isNullable: Bool) -> String? {
        if isNullable, isSo(percent: 25) { return "null" }
        let field = FieldDescriptor(name: "value", type: type)
        let nothing = EntityDescriptor(
            name: "drawn",
            typeName: "Drawn",
            fields: [field],
            key: ["value"],
            strategy: .lastWriteWins
        )
        return ValueGenerator(descriptor: nothing).value(type: type, seed: &draw)?.json
    }
}
