/// Checks a JSON value in a schema, such as a `default`, against its type. It applies the rules for record
/// values, and also refuses enum values and members that the schema does not list, because a default cannot
/// come from a newer client.
enum DefaultCheck {
    /// The most bytes of a default in canonical form.
    static let maxBytes = 65_536

    /// The position and the reason of an invalid value.
    struct InvalidValue {
        var position: Position
        var reason: String
    }

    /// Returns the first invalid value; nil if all are valid.
    static func invalidValue(node: JSONNode, type: SchemaType, isNullable: Bool) -> InvalidValue? {
        switch node.value {
        case .invalid: return nil
        case .null:
            return isNullable
                ? nil : InvalidValue(position: node.position, reason: "null is not allowed here")
        case .array(let elements): return list(elements: elements, node: node, type: type)
        case .object(let members): return object(members: members, node: node, type: type)
        case .bool, .number, .string: return scalar(node: node, type: type)
        }
    }

    private static func scalar(node: JSONNode, type: SchemaType) -> InvalidValue? {
        if case .enumeration(let type) = type,
            let text = type.isInteger ? node.integer.map({ "\($0)" }) : node.string
        {
            let isListed = type.cases.contains { $0.value.hasSameBytes(as: text) }
            return isListed
                ? nil : InvalidValue(position: node.position, reason: "the enum does not list the value")
        }
        do {
            _ = try canonical(node: node, type: FieldType(type))
            return nil
        } catch let error as FieldError {
            return InvalidValue(position: node.position, reason: reason(error, node: node, type: type))
        } catch {
            return InvalidValue(position: node.position, reason: "the value cannot be read")
        }
    }

    /// The reason in the terms of a schema, from the error that a record's value would cause.
    private static func reason(_ error: FieldError, node: JSONNode, type: SchemaType) -> String {
        switch (error.rule, type) {
        case ("type", .integer) where node.double != nil: "the number is no integer of 64 bits"
        case ("type", .decimal) where node.double != nil: "a decimal is written as a string"
        case ("type", _): "\(node.kindName) does not fit the type"
        case ("number-range", _) where node.double?.isFinite == true: "the number is too close to zero"
        case ("number-range", _): "the number is too great"
        case ("minimum", _), ("maximum", _): "the number is out of range"
        case ("max-length", .uri): "the text is too long"
        case ("uri", _): "the text is no URI with a scheme, as RFC 3986 has it"
        case ("min-length", _), ("max-length", _): "the text is too short or too long"
        case ("max-bytes", _): "the text has too many bytes"
        case ("pattern", _): "the text does not match the pattern"
        case ("uuid", _): "the text is no UUID"
        case ("date-time", _): "the text is no RFC 3339 date-time of the years 0001 to 9999 in UTC"
        case ("date", _): "the text is no calendar date yyyy-mm-dd"
        case ("decimal", _): "the text is no decimal number of at most 38 digits"
        case ("base64", _): "the text is not base64"
        default: error.message
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
            if let invalid = invalidValue(node: element, type: item.type, isNullable: item.isNullable) {
                return invalid
            }
            if isSet, !seen.insert(ByteKey(text(node: element, type: item.type))).inserted {
                return InvalidValue(position: element.position, reason: "the item is in the array twice")
            }
        }
        return nil
    }

    private static func object(members: [JSONMember], node: JSONNode, type: SchemaType) -> InvalidValue? {
        if case .map(let value) = type {
            for member in members {
                let invalid = invalidValue(node: member.node, type: value.type, isNullable: value.isNullable)
                if let invalid { return invalid }
            }
            return nil
        }
        guard case .object(let object) = type else {
            return InvalidValue(position: node.position, reason: "an object does not fit the type")
        }
        if object.properties.isEmpty { return nil }
        let properties = Dictionary(object.properties.map { (ByteKey($0.name), $0) }) { first, _ in first }
        for member in members {
            guard let property = properties[ByteKey(member.name)] else {
                return InvalidValue(
                    position: member.namePosition,
                    reason: "the member \(member.name.quoted) is unknown"
                )
            }
            if let invalid = invalidValue(
                node: member.node,
                type: property.hasUniqueItems ? property.type.array(isSet: true) : property.type,
                isNullable: property.isNullable
            ) {
                return invalid
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
}

extension DefaultCheck {
    /// The canonical text of a valid value, as the store would keep it. An invalid value is returned as
    /// written.
    static func text(node: JSONNode, type: SchemaType) -> String {
        (try? canonical(node: node, type: FieldType(type, keepsPatterns: false)))
            ?? CanonicalJSON.text(node: node, sortsMembers: false)
    }

    /// The value in the canonical form of its type. Throws if it is invalid.
    private static func canonical(node: JSONNode, type: FieldType) throws -> String {
        let patterns = PatternTable(fields: [FieldDescriptor(name: "", type: type)])
        let canonicalizer = Canonicalizer(patterns: patterns, input: .plain, output: .plain)
        var text = CanonicalJSON.text(node: node, sortsMembers: false)
        return try text.withUTF8 { bytes in
            var reader = JSONReader(validated: bytes)
            if try reader.null() { return "null" }
            var writer = JSONWriter()
            try canonicalizer.append(&reader, type: type, path: "", to: &writer)
            return writer.text
        }
    }
}
