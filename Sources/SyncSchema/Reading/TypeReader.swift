/// Reads the type of a field, of array items or of an entry in `$defs`.
struct TypeReader {
    let scope: SchemaScope
    /// The nesting depth of this type.
    var depth: Int

    var diagnostics: DiagnosticList { scope.diagnostics }

    /// The JSON types of values.
    enum Kind: String, CaseIterable {
        case string, integer, number, boolean, array, object

        /// The type in a sentence.
        var phrase: String {
            switch self {
            case .string: "a string"
            case .integer: "an integer"
            case .number: "a number"
            case .boolean: "a boolean"
            case .array: "an array"
            case .object: "an object"
            }
        }

        /// The keywords that constrain only this type.
        var keywords: [String] {
            switch self {
            case .string:
                [
                    "enum", "format", "minLength", "maxLength", "maxBytes", "pattern", "contentEncoding",
                    "contentMediaType",
                ]
            case .integer: ["enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
            case .number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
            case .boolean: []
            case .array: ["items", "uniqueItems", "minItems", "maxItems"]
            case .object: ["properties", "required", "additionalProperties"]
            }
        }
    }

    /// Reads the type that the keywords describe. Returns nil after reporting an error.
    func read(keywords: Keywords, hint: NameHint) -> ResolvedType? {
        guard depth <= SchemaScope.maxNesting else {
            diagnostics.add(.nestingTooDeep(limit: SchemaScope.maxNesting), at: keywords.position)
            return nil
        }
        if keywords.mentions(name: "$ref") { return reference(keywords: keywords) }
        guard let (kind, isNullable) = kind(of: keywords) else { return nil }
        reportForeignKeywords(keywords, kind: kind)
        guard var resolved = resolve(keywords, kind: kind, hint: hint) else { return nil }
        resolved.isNullable = isNullable || keywords.flag(name: "nullable")
        resolved.summary = keywords.string("description") ?? ""
        guard resolved.height <= SchemaScope.maxNesting else {
            diagnostics.add(.nestingTooDeep(limit: SchemaScope.maxNesting), at: keywords.position)
            return nil
        }
        guard resolved.weight <= SchemaScope.maxWeight else {
            diagnostics.add(
                .schemaTooLarge(what: "fields and items", limit: SchemaScope.maxWeight),
                at: keywords.position
            )
            return nil
        }
        return resolved
    }

    private func resolve(_ keywords: Keywords, kind: Kind, hint: NameHint) -> ResolvedType? {
        switch kind {
        case .string:
            return string(keywords: keywords, hint: hint).map { ResolvedType(type: $0, isNullable: false) }
        case .integer:
            return integer(keywords: keywords, hint: hint).map { ResolvedType(type: $0, isNullable: false) }
        case .number: return number(keywords: keywords).map { ResolvedType(type: $0, isNullable: false) }
        case .boolean: return ResolvedType(type: .boolean, isNullable: false)
        case .array: return array(keywords: keywords, hint: hint)
        case .object: return object(keywords: keywords, hint: hint)
        }
    }

    /// Whether a format says how other tools hold a number.
    private func isNumberFormat(_ format: String?, of kind: Kind) -> Bool {
        switch kind {
        case .integer: ["int32", "int64"].contains(format)
        case .number: ["float", "double"].contains(format)
        default: false
        }
    }

    /// The only JSON type besides null. Without `type`, an enum has that of its first value, and a constant its own.
    private func kind(of keywords: Keywords) -> (Kind, isNullable: Bool)? {
        guard let node = keywords["type"] else {
            if keywords.mentions(name: "type") { return nil }
            if let values = keywords["enum"]?.elements {
                let first = values.first { !$0.isNull }
                return (first?.exact == nil ? .string : .integer, values.contains(where: \.isNull))
            }
            if let value = keywords["const"], value.string != nil || value.exact != nil {
                return (value.string != nil ? .string : value.integer != nil ? .integer : .number, false)
            }
            diagnostics.add(.missingType, at: keywords.position)
            return nil
        }
        var kinds: [Kind] = []
        var isNullable = false
        for entry in node.elements ?? [node] {
            guard let name = entry.string else {
                if !entry.isInvalid {
                    diagnostics.add(
                        .keywordType(name: "type", expected: "strings", found: entry.kindName),
                        at: entry.position
                    )
                }
                return nil
            }
            if name == "null" {
                isNullable = true
            } else if let kind = Kind(rawValue: name) {
                kinds.append(kind)
            } else {
                diagnostics.add(
                    .unknownType(name: name, known: Kind.allCases.map(\.rawValue)),
                    at: entry.position
                )
                return nil
            }
        }
        guard let kind = kinds.first, kinds.count == 1 else {
            diagnostics.add(.unsupportedUnion, at: node.position)
            return nil
        }
        return (kind, isNullable)
    }

    /// Reports constraints of other types, which JSON Schema would silently ignore.
    private func reportForeignKeywords(_ keywords: Keywords, kind: Kind) {
        if [.boolean, .array, .object].contains(kind), keywords.mentions(name: "const") {
            diagnostics.add(.unsupportedConstant(found: kind.phrase), at: keywords.place(name: "const"))
        }
        for name in keywords.names where !kind.keywords.contains(name) {
            if name == "format", isNumberFormat(keywords.string(name), of: kind) { continue }
            guard let other = Kind.allCases.first(where: { $0.keywords.contains(name) }) else { continue }
            if name == "enum" {
                diagnostics.add(.unsupportedEnum(found: kind.phrase), at: keywords.place(name: name))
            } else {
                let owner = other == .integer ? "numbers" : other.phrase
                diagnostics.add(
                    .keywordForOtherType(name: name, type: kind.phrase, belongsTo: owner),
                    at: keywords.place(name: name)
                )
            }
        }
    }
}
