/// Checks a JSON value of the schema itself, such as a `default`, against a type.
enum ValueCheck {
    /// The longest default, as canonical text.
    static let maxBytes = 65_536

    /// Where and why a value does not fit.
    struct Misfit {
        var position: Position
        var reason: String
    }

    /// The first misfit, or nil when the value fits.
    static func misfit(_ node: JSONNode, type: SchemaType, isNullable: Bool) -> Misfit? {
        switch node.value {
        case .invalid: return nil
        case .null:
            return isNullable ? nil : Misfit(position: node.position, reason: "null is not allowed here")
        case .array(let elements): return list(elements, node, type)
        case .object(let members): return object(members, node, type)
        case .bool: return reason(type == .boolean, "a boolean does not fit the type", node)
        case .number: return number(node, type)
        case .string(let text): return string(text, type).map { Misfit(position: node.position, reason: $0) }
        }
    }

    private static func reason(_ isFit: Bool, _ text: String, _ node: JSONNode) -> Misfit? {
        isFit ? nil : Misfit(position: node.position, reason: text)
    }

    private static func number(_ node: JSONNode, _ type: SchemaType) -> Misfit? {
        switch type {
        case .integer(let minimum, let maximum):
            guard let value = node.integer else {
                return Misfit(position: node.position, reason: "the number is no integer of 64 bits")
            }
            return reason(
                value >= minimum ?? .min && value <= maximum ?? .max,
                "the number is out of range",
                node
            )
        case .number(let minimum, let maximum):
            guard let value = node.double, value.isFinite else {
                return Misfit(position: node.position, reason: "the number is too great")
            }
            if node.vanishes {
                return Misfit(position: node.position, reason: "the number is too close to zero")
            }
            let isInside = value >= minimum ?? -.infinity && value <= maximum ?? .infinity
            return reason(isInside, "the number is out of range", node)
        case .decimal: return Misfit(position: node.position, reason: "a decimal is written as a string")
        default: return Misfit(position: node.position, reason: "a number does not fit the type")
        }
    }

    private static func list(_ elements: [JSONNode], _ node: JSONNode, _ type: SchemaType) -> Misfit? {
        guard case .array(let item, let isSet, let minItems, let maxItems) = type else {
            return Misfit(position: node.position, reason: "an array does not fit the type")
        }
        if elements.count < minItems ?? 0 || elements.count > maxItems ?? .max {
            return Misfit(position: node.position, reason: "the array has too few or too many items")
        }
        var seen: Set<ByteKey> = []
        for element in elements {
            if let misfit = misfit(element, type: item.type, isNullable: item.isNullable) { return misfit }
            if isSet, !seen.insert(ByteKey(text(element, type: item.type))).inserted {
                return Misfit(position: element.position, reason: "the item stands twice in a set")
            }
        }
        return nil
    }

    private static func object(_ members: [JSONMember], _ node: JSONNode, _ type: SchemaType) -> Misfit? {
        guard case .object(let object) = type else {
            return Misfit(position: node.position, reason: "an object does not fit the type")
        }
        let properties = Dictionary(object.properties.map { (ByteKey($0.name), $0) }) { first, _ in first }
        for member in members {
            guard let property = properties[ByteKey(member.name)] else {
                return Misfit(
                    position: member.namePosition,
                    reason: "the member \(member.name.quoted) is unknown"
                )
            }
            if let misfit = misfit(member.node, type: property.type, isNullable: property.isNullable) {
                return misfit
            }
        }
        let given = Set(members.map { ByteKey($0.name) })
        let missing = object.properties.first {
            $0.isRequired && $0.defaultJSON == nil && !given.contains(ByteKey($0.name))
        }
        return missing.map {
            Misfit(position: node.position, reason: "the member \($0.name.quoted) is missing")
        }
    }

    private static func string(_ text: String, _ type: SchemaType) -> String? {
        switch type {
        case .string(let minLength, let maxLength, let pattern):
            let length = text.unicodeScalars.count
            if length < minLength ?? 0 || length > maxLength ?? .max {
                return "the text is too short or too long"
            }
            guard let pattern, PatternCheck.matches(text, pattern: pattern) == false else { return nil }
            return "the text does not match the pattern"
        case .uuid: return TextForms.uuid(text) == nil ? "the text is no UUID" : nil
        case .dateTime:
            return TextForms.dateTime(text) == nil
                ? "the text is no RFC 3339 date-time of the years 0001 to 9999 in UTC" : nil
        case .date: return TextForms.date(text) == nil ? "the text is no calendar date yyyy-mm-dd" : nil
        case .uri(let maxLength):
            if text.unicodeScalars.count > maxLength ?? .max { return "the text is too long" }
            return TextForms.uri(text) == nil ? "the text is no URI" : nil
        case .decimal:
            return TextForms.decimal(text) == nil ? "the text is no decimal number of at most 38 digits" : nil
        case .data: return TextForms.base64(text) == nil ? "the text is not base64" : nil
        case .enumeration(let type):
            return type.cases.contains { ByteKey($0.value) == ByteKey(text) }
                ? nil : "the enum does not list the value"
        default: return "a string does not fit the type"
        }
    }
}

extension ValueCheck {
    /// The canonical text of a value that fits its type: what the store would keep of it.
    static func text(_ node: JSONNode, type: SchemaType) -> String {
        CanonicalJSON.text(normalized(node, type: type), sortsMembers: false)
    }

    /// The value in its type's one spelling: numbers without exponent where it can be done without, decimals without zeros
    /// that do not count, instants in UTC, sets sorted, members in the schema's order with the defaults of missing ones.
    private static func normalized(_ node: JSONNode, type: SchemaType) -> JSONNode {
        var result = node
        switch (node.value, type) {
        case (.number, .integer):
            if let integer = node.integer { result.value = .number(String(integer)) }
        case (.number, .number):
            if let double = node.double, double.isFinite { result.value = .number(Self.text(double)) }
        case (.string(let text), .uuid): result.value = .string(TextForms.uuid(text) ?? text)
        case (.string(let text), .dateTime): result.value = .string(TextForms.dateTime(text) ?? text)
        case (.string(let text), .decimal): result.value = .string(TextForms.decimal(text) ?? text)
        case (.string(let text), .data): result.value = .string(TextForms.base64(text) ?? text)
        case (.array(let elements), .array(let item, let isSet, _, _)):
            let elements = elements.map { normalized($0, type: item.type) }
            result.value = .array(isSet ? elements.sorted { key($0) < key($1) } : elements)
        case (.object(let members), .object(let object)):
            result.value = .object(normalized(members, object.properties))
        default: break
        }
        return result
    }

    private static func normalized(_ members: [JSONMember], _ properties: [Property]) -> [JSONMember] {
        let given = Dictionary(members.map { (ByteKey($0.name), $0) }) { first, _ in first }
        return properties.compactMap { property in
            if var member = given[ByteKey(property.name)] {
                member.node = normalized(member.node, type: property.type)
                return member
            }
            guard property.isRequired, let json = property.defaultJSON,
                let node = JSONParser.parse(Array(json.utf8), problems: ProblemList())
            else { return nil }
            return JSONMember(name: property.name, namePosition: .start, node: node)
        }
    }

    /// What sets are sorted by.
    private static func key(_ node: JSONNode) -> ByteKey {
        ByteKey(CanonicalJSON.text(node, sortsMembers: false))
    }

    /// The shortest text that reads back as the same double; 0 also for -0, which no column keeps.
    private static func text(_ double: Double) -> String {
        let text = (double == 0 ? 0 : double).description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
