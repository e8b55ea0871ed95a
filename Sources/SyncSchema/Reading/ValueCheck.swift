/// Checks a JSON value of the schema itself, such as a `default`, against a type.
enum ValueCheck {
    /// The longest default, as canonical text.
    static let maxBytes = 65_536

    /// Where and why a value does not fit.
    struct InvalidValue {
        var position: Position
        var reason: String
    }

    /// The first misfit, or nil when the value fits.
    static func misfit(node: JSONNode, type: SchemaType, isNullable: Bool) -> InvalidValue? {
        switch node.value {
        case .invalid: return nil
        case .null:
            return isNullable
                ? nil : InvalidValue(position: node.position, reason: "null is not allowed here")
        case .array(let elements): return list(elements: elements, node: node, type: type)
        case .object(let members): return object(members: members, node: node, type: type)
        case .bool:
            return reason(isFit: type == .boolean, text: "a boolean does not fit the type", node: node)
        case .number: return number(node: node, type: type)
        case .string(let text):
            return string(text: text, type: type).map { InvalidValue(position: node.position, reason: $0) }
        }
    }

    private static func reason(isFit: Bool, text: String, node: JSONNode) -> InvalidValue? {
        isFit ? nil : InvalidValue(position: node.position, reason: text)
    }

    private static func number(node: JSONNode, type: SchemaType) -> InvalidValue? {
        switch type {
        case .integer(let minimum, let maximum):
            guard let value = node.integer else {
                return InvalidValue(position: node.position, reason: "the number is no integer of 64 bits")
            }
            return reason(
                isFit: value >= minimum ?? .min && value <= maximum ?? .max,
                text: "the number is out of range",
                node: node
            )
        case .number(let minimum, let maximum):
            guard let value = node.double, value.isFinite else {
                return InvalidValue(position: node.position, reason: "the number is too great")
            }
            if node.vanishes {
                return InvalidValue(position: node.position, reason: "the number is too close to zero")
            }
            let isInside = value >= minimum ?? -.infinity && value <= maximum ?? .infinity
            return reason(isFit: isInside, text: "the number is out of range", node: node)
        case .decimal:
            return InvalidValue(position: node.position, reason: "a decimal is written as a string")
        default: return InvalidValue(position: node.position, reason: "a number does not fit the type")
        }
    }

    private static func list(elements: [JSONNode], node: JSONNode, type: SchemaType) -> InvalidValue? {
        guard case .array(let item, let isSet, let minItems, let maxItems) = type else {
            return InvalidValue(position: node.position, reason: "an array does not fit the type")
        }
        if elements.count < minItems ?? 0 || elements.count > maxItems ?? .max {
            return InvalidValue(position: node.position, reason: "the array has too few or too many items")
        }
        var seen: Set<ByteKey> = []
        for element in elements {
            if let misfit = misfit(node: element, type: item.type, isNullable: item.isNullable) {
                return misfit
            }
            if isSet, !seen.insert(ByteKey(text(node: element, type: item.type))).inserted {
                return InvalidValue(position: element.position, reason: "the item stands twice in a set")
            }
        }
        return nil
    }

    private static func object(members: [JSONMember], node: JSONNode, type: SchemaType) -> InvalidValue? {
        guard case .object(let object) = type else {
            return InvalidValue(position: node.position, reason: "an object does not fit the type")
        }
        let properties = Dictionary(object.properties.map { (ByteKey($0.name), $0) }) { first, _ in first }
        for member in members {
            guard let property = properties[ByteKey(member.name)] else {
                return InvalidValue(
                    position: member.namePosition,
                    reason: "the member \(member.name.quoted) is unknown"
                )
            }
            if let misfit = misfit(node: member.node, type: property.type, isNullable: property.isNullable) {
                return misfit
            }
        }
        let given = Set(members.map { ByteKey($0.name) })
        let missing = object.properties.first {
            $0.isRequired && $0.defaultJSON == nil && !given.contains(ByteKey($0.name))
        }
        return missing.map {
            InvalidValue(position: node.position, reason: "the member \($0.name.quoted) is missing")
        }
    }

    private static func string(text: String, type: SchemaType) -> String? {
        switch type {
        case .string(let minLength, let maxLength, let pattern):
            let length = text.unicodeScalars.count
            if length < minLength ?? 0 || length > maxLength ?? .max {
                return "the text is too short or too long"
            }
            guard let pattern, PatternCheck.matches(text: text, pattern: pattern) == false else { return nil }
            return "the text does not match the pattern"
        case .uuid: return TextForms.uuid(text: text) == nil ? "the text is no UUID" : nil
        case .dateTime:
            return TextForms.dateTime(text: text) == nil
                ? "the text is no RFC 3339 date-time of the years 0001 to 9999 in UTC" : nil
        case .date: return TextForms.date(text: text) == nil ? "the text is no calendar date yyyy-mm-dd" : nil
        case .uri(let maxLength):
            if text.unicodeScalars.count > maxLength ?? .max { return "the text is too long" }
            return TextForms.uri(text: text) == nil ? "the text is no URI" : nil
        case .decimal:
            return TextForms.decimal(text: text) == nil
                ? "the text is no decimal number of at most 38 digits" : nil
        case .data: return TextForms.base64(text: text) == nil ? "the text is not base64" : nil
        case .enumeration(let type):
            return type.cases.contains { ByteKey($0.value) == ByteKey(text) }
                ? nil : "the enum does not list the value"
        default: return "a string does not fit the type"
        }
    }
}

extension ValueCheck {
    /// The canonical text of a value that fits its type: what the store would keep of it.
    static func text(node: JSONNode, type: SchemaType) -> String {
        CanonicalJSON.text(node: normalized(node: node, type: type), sortsMembers: false)
    }

    /// The value in its type's one spelling: numbers without exponent where it can be done without, decimals without zeros
    /// that do not count, instants in UTC, sets sorted, members in the schema's order with the defaults of missing ones.
    private static func normalized(node: JSONNode, type: SchemaType) -> JSONNode {
        var result = node
        switch (node.value, type) {
        case (.number, .integer):
            if let integer = node.integer { result.value = .number(String(integer)) }
        case (.number, .number):
            if let double = node.double, double.isFinite {
                result.value = .number(Self.text(double: double))
            }
        case (.string(let text), .uuid): result.value = .string(TextForms.uuid(text: text) ?? text)
        case (.string(let text), .dateTime): result.value = .string(TextForms.dateTime(text: text) ?? text)
        case (.string(let text), .decimal): result.value = .string(TextForms.decimal(text: text) ?? text)
        case (.string(let text), .data): result.value = .string(TextForms.base64(text: text) ?? text)
        case (.array(let elements), .array(let item, let isSet, _, _)):
            let elements = elements.map { normalized(node: $0, type: item.type) }
            result.value = .array(isSet ? elements.sorted { key(node: $0) < key(node: $1) } : elements)
        case (.object(let members), .object(let object)):
            result.value = .object(normalized(members: members, properties: object.properties))
        default: break
        }
        return result
    }

    private static func normalized(members: [JSONMember], properties: [Property]) -> [JSONMember] {
        let given = Dictionary(members.map { (ByteKey($0.name), $0) }) { first, _ in first }
        return properties.compactMap { property in
            if var member = given[ByteKey(property.name)] {
                member.node = normalized(node: member.node, type: property.type)
                return member
            }
            guard property.isRequired, let json = property.defaultJSON,
                let node = JSONParser.parse(Array(json.utf8), problems: ProblemList())
            else { return nil }
            return JSONMember(name: property.name, namePosition: .start, node: node)
        }
    }

    /// What sets are sorted by.
    private static func key(node: JSONNode) -> ByteKey {
        ByteKey(CanonicalJSON.text(node: node, sortsMembers: false))
    }

    /// The shortest text that reads back as the same double; 0 also for -0, which no column keeps.
    private static func text(double: Double) -> String {
        let text = (double == 0 ? 0 : double).description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
