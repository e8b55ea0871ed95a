import SyncCore

/// A field of a drawn schema.
struct DrawnField {
    /// The field's name.
    var name: String
    /// Its type, from which the JSON is made.
    var type: FieldType
    /// The name in `$defs` that the field refers to; nil if it has a type of its own.
    var definition: String?
    /// Whether null is allowed.
    var isNullable = false
    /// Whether every record has it.
    var isRequired = false
    /// Whether it stays on the device.
    var isLocalOnly = false
    /// The JSON of its default; nil for none.
    var defaultJSON: String?
    /// The values of an enum of integers; empty for every other field.
    var listedIntegers: [Int] = []
    /// Whether bounds are written as those that are not reached themselves.
    var hasOpenBounds = false
    /// The members of its `sync`, as JSON.
    var sync: [(name: String, json: String)] = []

    /// The field's schema.
    var json: String {
        let text = SchemaTypeText(hasOpenBounds: hasOpenBounds)
        var members = text.members(of: type, isNullable: isNullable && !isNullableByKeyword)
        if !listedIntegers.isEmpty {
            let values = listedIntegers.map(String.init) + (isNullable ? ["null"] : [])
            members.append(("enum", "[\(values.joined(separator: ", "))]"))
        }
        if isNullableByKeyword { members.append(("nullable", "true")) }
        if let definition { members = [("$ref", "#/$defs/\(definition)".quoted)] }
        if let defaultJSON { members.append(("default", defaultJSON)) }
        if !sync.isEmpty { members.append(("sync", SchemaTypeText.object(sync))) }
        return SchemaTypeText.object(members)
    }
}

extension DrawnField {
    /// Whether null is allowed by a keyword of its own, as OpenAPI has it.
    fileprivate var isNullableByKeyword: Bool {
        if case .enumeration = type { return false }
        return isNullable && hasOpenBounds && definition == nil && listedIntegers.isEmpty
    }
}

/// Writes types as JSON Schema.
struct SchemaTypeText {
    /// Whether bounds are written as `exclusiveMinimum` and `exclusiveMaximum`, where that changes no meaning.
    var hasOpenBounds = false

    /// The members of a type's schema, as JSON.
    func members(of type: FieldType, isNullable: Bool) -> [(name: String, json: String)] {
        func word(_ word: String) -> (name: String, json: String) {
            ("type", isNullable ? "[\(word.quoted), \"null\"]" : word.quoted)
        }
        func text(format: String) -> [(name: String, json: String)] {
            [word("string"), ("format", format.quoted)]
        }
        switch type {
        case .string(let least, let most, let pattern, let maxBytes):
            return [word("string")]
                + Self.bounds([("minLength", least), ("maxLength", most), ("maxBytes", maxBytes)])
                + (pattern.map { [("pattern", $0.quoted)] } ?? [])
        case .integer(let least, let most):
            return [word("integer")] + integerBounds(least: least, most: most)
        case .number(let least, let most):
            let bounds = [("minimum", least), ("maximum", most)]
            return [word("number")] + bounds.compactMap { name, bound in bound.map { (name, Self.json($0)) } }
        case .boolean: return [word("boolean")]
        case .uuid: return text(format: "uuid")
        case .dateTime: return text(format: "date-time")
        case .date: return text(format: "date")
        case .uri(let most): return text(format: "uri") + Self.bounds([("maxLength", most)])
        case .decimal: return text(format: "decimal")
        case .data: return [word("string"), ("contentEncoding", "base64".quoted)]
        case .enumeration(let values):
            if values.count == 1, !isNullable { return [word("string"), ("const", values[0].quoted)] }
            return [word("string"), ("enum", Self.list(values, isNullable: isNullable))]
        case .array(let element, let elementIsNullable, let isSet, let least, let most):
            let items = members(of: element, isNullable: elementIsNullable)
            return [word("array"), ("items", Self.object(items))]
                + (isSet ? [("uniqueItems", "true")] : [])
                + Self.bounds([("minItems", least), ("maxItems", most)])
        case .object(let fields): return [word("object")] + (fields.isEmpty ? [] : object(of: fields))
        case .map(let value, let isNullable):
            let values = members(of: value, isNullable: isNullable)
            return [word("object"), ("additionalProperties", Self.object(values))]
        }
    }

    private func object(of fields: [FieldDescriptor]) -> [(name: String, json: String)] {
        let properties = fields.map { field in
            let value = members(of: field.type, isNullable: field.isNullable)
            return (field.name, Self.object(value + (field.defaultJSON.map { [("default", $0)] } ?? [])))
        }
        let required = fields.filter(\.isRequired).map(\.name)
        return [("properties", Self.object(properties))]
            + (required.isEmpty ? [] : [("required", Self.list(required))])
    }

    private func integerBounds(least: Int64?, most: Int64?) -> [(name: String, json: String)] {
        guard hasOpenBounds else {
            return Self.bounds([("minimum", least.map { Int($0) }), ("maximum", most.map { Int($0) })])
        }
        let (below, above) = (least.map { Int($0) - 1 }, most.map { Int($0) + 1 })
        return Self.bounds([("exclusiveMinimum", below), ("exclusiveMaximum", above)])
    }

    private static func bounds(_ bounds: [(name: String, bound: Int?)]) -> [(name: String, json: String)] {
        bounds.compactMap { name, bound in bound.map { (name, "\($0)") } }
    }

    private static func json(_ number: Double) -> String {
        var writer = JSONWriter()
        writer.number(number)
        return writer.text
    }

    /// An object of members that are JSON already.
    static func object(_ members: [(name: String, json: String)]) -> String {
        "{ " + members.map { "\($0.name.quoted): \($0.json)" }.joined(separator: ", ") + " }"
    }

    /// A list of texts, with null at its end where that is a value.
    static func list(_ texts: [String], isNullable: Bool = false) -> String {
        "[" + (texts.map(\.quoted) + (isNullable ? ["null"] : [])).joined(separator: ", ") + "]"
    }
}

extension String {
    /// The text as JSON.
    var quoted: String {
        var writer = JSONWriter()
        writer.string(self)
        return writer.text
    }
}
