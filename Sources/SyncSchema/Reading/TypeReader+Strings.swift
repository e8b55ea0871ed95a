extension TypeReader {
    /// Formats that JSON Schema defines and this package does not check.
    private static let uncheckedFormats: Set<String> = [
        "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri-reference",
        "iri",
        "iri-reference", "uri-template", "json-pointer", "relative-json-pointer", "regex",
    ]
    private static let checkedFormats = ["uuid", "date-time", "date", "uri", "decimal"]

    /// Reads the type of a string from its enum, encoding or format; otherwise plain text.
    func string(keywords: Keywords, hint: NameHint) -> SchemaType? {
        if keywords.mentions(name: "enum") {
            let bounds = ["contentEncoding", "minLength", "maxLength", "maxBytes", "pattern"]
            return enumeration(keywords: keywords, hint: hint, isInteger: false, bounds: bounds)
        }
        if let constant = keywords["const"] {
            warnWithoutEffect(
                keywords,
                names: ["format", "contentEncoding", "minLength", "maxLength", "maxBytes", "pattern"],
                reason: "the constant already names the value"
            )
            return only(constant, hint: hint).map { .enumeration($0) }
        }
        if let encoding = keywords["contentEncoding"] {
            guard encoding.string == "base64" else {
                diagnostics.add(.unsupportedEncoding, at: encoding.position)
                return nil
            }
            warnWithoutEffect(
                keywords,
                names: ["format", "minLength", "maxLength", "maxBytes", "pattern"],
                reason: "the text is base64"
            )
            return .data
        }
        guard let format = keywords["format"], let name = format.string else {
            return plainText(keywords: keywords)
        }
        return formatted(keywords: keywords, format: name, at: format.position)
    }

    private func formatted(keywords: Keywords, format: String, at position: Position) -> SchemaType? {
        let type: SchemaType
        switch format {
        case "uuid": type = .uuid
        case "date-time": type = .dateTime
        case "date": type = .date
        case "decimal": type = .decimal
        case "uri":
            warnWithoutEffect(
                keywords,
                names: ["minLength", "maxBytes", "pattern"],
                reason: "the format decides the text"
            )
            return .uri(maxLength: keywords.count(name: "maxLength"))
        case _ where Self.uncheckedFormats.contains(format):
            diagnostics.add(.formatNotChecked(format), at: position)
            return plainText(keywords: keywords)
        default:
            diagnostics.add(.unknownFormat(name: format, known: Self.checkedFormats), at: position)
            return nil
        }
        warnWithoutEffect(
            keywords,
            names: ["minLength", "maxLength", "maxBytes", "pattern"],
            reason: "the format decides the text"
        )
        return type
    }

    private func plainText(keywords: Keywords) -> SchemaType? {
        checkRange("minLength", greatest: "maxLength", keywords: keywords)
        if let pattern = keywords["pattern"], let text = pattern.string {
            do throws(PatternError) { _ = try Pattern(text) } catch {
                diagnostics.add(.pattern(error), at: pattern.position)
            }
        }
        return .string(
            minLength: keywords.count(name: "minLength"),
            maxLength: keywords.count(name: "maxLength"),
            pattern: keywords.string("pattern"),
            maxBytes: keywords.count(name: "maxBytes")
        )
    }

    /// A constant is an enum of one value.
    private func only(_ node: JSONNode, hint: NameHint) -> EnumType? {
        guard let text = node.string else {
            diagnostics.add(
                .keywordType(name: "const", expected: "a string", found: node.kindName),
                at: node.position
            )
            return nil
        }
        var names = EnumCaseNames()
        return EnumType(
            typeName: scope.typeNames.claim(hint.wanted, parent: hint.parent),
            cases: [EnumType.Case(name: names.claim(text, position: 1), value: text)]
        )
    }

    /// Reads an enum. Its values are strings, or integers as digits. `bounds` are keywords that have no effect beside it.
    func enumeration(keywords: Keywords, hint: NameHint, isInteger: Bool, bounds: [String]) -> SchemaType? {
        warnWithoutEffect(
            keywords,
            names: ["const", "format"] + bounds,
            reason: "the enum already names the values"
        )
        guard let node = keywords["enum"], let values = node.elements else { return nil }
        guard values.count <= SchemaScope.maxEnumValues else {
            diagnostics.add(
                .schemaTooLarge(what: "enum values", limit: SchemaScope.maxEnumValues),
                at: node.position
            )
            return nil
        }
        var cases: [EnumType.Case] = []
        var names = EnumCaseNames()
        // NB: this must be `String` and not its bytes, because generated code compares values as Swift strings.
        var seen: Set<String> = []
        var hasNull = false
        for (index, value) in values.enumerated() where !value.isInvalid {
            if value.isNull {
                hasNull = true
                continue
            }
            guard let text = isInteger ? value.integer.map({ "\($0)" }) : value.string else {
                diagnostics.add(.enumValue(found: value, isInteger: isInteger), at: value.position)
                continue
            }
            guard seen.insert(text).inserted else {
                diagnostics.add(.enumTwice, at: value.position)
                continue
            }
            let words = isInteger ? text.replacing("-", with: "minus ") : text
            cases.append(EnumType.Case(name: names.claim(words, position: index + 1), value: text))
        }
        reportNull(keywords, isListed: hasNull, at: node.position)
        guard !cases.isEmpty else {
            let help = "list at least one \(isInteger ? "integer" : "string")"
            diagnostics.add(.emptyList("enum", help: help), at: node.position)
            return nil
        }
        let typeName = scope.typeNames.claim(hint.wanted, parent: hint.parent)
        return .enumeration(EnumType(typeName: typeName, cases: cases, isInteger: isInteger))
    }

    /// Reports null if only one of `type` and `enum` allows it; JSON Schema requires both.
    private func reportNull(_ keywords: Keywords, isListed: Bool, at position: Position) {
        guard let type = keywords["type"] else { return }
        let isAllowed = (type.elements ?? []).contains { $0.string == "null" }
        if isListed && !isAllowed { diagnostics.add(.enumNullNotInType, at: position) }
        if isAllowed && !isListed { diagnostics.add(.typeNullNotInEnum, at: position) }
    }

    private func warnWithoutEffect(_ keywords: Keywords, names: [String], reason: String) {
        for name in names where keywords[name] != nil {
            diagnostics.add(.keywordWithoutEffect(name: name, reason: reason), at: keywords.place(name: name))
        }
    }

    /// Reports a minimum count over the maximum.
    func checkRange(_ least: String, greatest: String, keywords: Keywords) {
        guard let low = keywords.count(name: least), let high = keywords.count(name: greatest), low > high
        else { return }
        diagnostics.add(
            .emptyRange(least, greatest: greatest),
            at: keywords[greatest]?.position ?? keywords.position
        )
    }
}
