import EntitySync
import SyncCore

/// Reads a query expression: `surahNumber = 2 and not (note is null or tags has 'read')`.
struct QueryExpression {
    private let tokens: [QueryToken]
    /// The column after the last character.
    private let end: Int
    private let entities: [EntityDescriptor]
    private var place = 0
    /// How many brackets, 'not's and references the present place is inside of.
    private var depth = 0
    /// The deepest that this reader goes. SQLite refuses much less.
    private static let deepest = 200

    /// The condition that an expression describes; nil for an empty one. Throws `usage` with the place of an error.
    static func filter(_ text: String, entity: EntityDescriptor, among entities: [EntityDescriptor]) throws
        -> StoreQuery.Filter?
    {
        let tokens = try QueryToken.all(of: text)
        var expression = QueryExpression(tokens: tokens, end: text.count + 1, entities: entities)
        guard !expression.tokens.isEmpty else { return nil }
        let filter = try expression.alternatives(of: entity)
        guard expression.next == nil else { throw expression.error(expecting: "'and', 'or' or the end") }
        return filter
    }

    private init(tokens: [QueryToken], end: Int, entities: [EntityDescriptor]) {
        (self.tokens, self.end, self.entities) = (tokens, end, entities)
    }

    private var next: QueryToken.Kind? { place < tokens.count ? tokens[place].kind : nil }

    private func error(expecting expected: String) -> SyncError {
        let column = place < tokens.count ? tokens[place].column : end
        return .badExpression(column: column, expected: expected)
    }

    /// Takes a word, in any letter case, or a sign, if it comes next.
    private mutating func take(_ choices: String...) -> Bool {
        let isNext =
            switch next {
            case .word(let word): choices.contains(word.lowercased())
            case .sign(let sign): choices.contains(sign)
            default: false
            }
        if isNext { place += 1 }
        return isNext
    }

    private mutating func require(_ sign: String) throws {
        guard take(sign) else { throw error(expecting: "'\(sign)'") }
    }

    private mutating func alternatives(of entity: EntityDescriptor) throws -> StoreQuery.Filter {
        var parts = [try terms(of: entity)]
        while take("or", "||") { parts.append(try terms(of: entity)) }
        return .anyOf(parts)
    }

    private mutating func terms(of entity: EntityDescriptor) throws -> StoreQuery.Filter {
        var parts = [try term(of: entity)]
        while take("and", "&&") { parts.append(try term(of: entity)) }
        return .allOf(parts)
    }

    private mutating func term(of entity: EntityDescriptor) throws -> StoreQuery.Filter {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw error(expecting: "a condition inside of fewer others") }
        if take("not", "!") { return .not(try term(of: entity)) }
        if take("(") {
            let filter = try alternatives(of: entity)
            try require(")")
            return filter
        }
        guard case .word(let name) = next else { throw error(expecting: "a field, 'not' or '('") }
        if name.lowercased() == "matches", case .text(let words)? = tokens.dropFirst(place + 1).first?.kind {
            place += 2
            return .matches(TextSearch(words))
        }
        let field = try entity.queried(field: name)
        if case .object = field.type { return try test(field: path(of: entity), of: entity) }
        place += 1
        if take(".") { return try reference(field: name, of: entity) }
        return try test(field: name, of: entity)
    }

    /// A field of the entity, or the way to a member of an object: `address.city`.
    private mutating func path(of entity: EntityDescriptor) throws -> String {
        var names: [String] = []
        repeat {
            guard case .word(let name) = next else { throw error(expecting: "a member of the object") }
            names.append(name)
            _ = try entity.queried(field: names.joined(separator: "."))
            place += 1
        } while take(".")
        return names.joined(separator: ".")
    }

    /// `folderId.name = 'x'` or `folderId.(name = 'x' and …)`: a condition on the record that a field refers to.
    private mutating func reference(field: String, of entity: EntityDescriptor) throws -> StoreQuery.Filter {
        let reference = entity.references.first { $0.field == field }
        guard let reference, let target = entities.first(where: { $0.name == reference.entity }) else {
            place -= 1
            throw error(expecting: "no '.', as '\(field)' refers to no entity; an operator")
        }
        return .refers(field: field, entity: target.name, try term(of: target))
    }

    private mutating func test(field name: String, of entity: EntityDescriptor) throws -> StoreQuery.Filter {
        let field = try entity.queried(field: name)
        func filter(_ test: StoreQuery.Test) throws -> StoreQuery.Filter {
            try entity.filter(shown: .init(field: name, test: test))
        }
        if let comparison = try comparison(of: name, in: entity) { return comparison }
        if take("=", "==") { return try filter(.equals(try value(of: field.type))) }
        if take("!=", "<>") { return .not(try filter(.equals(try value(of: field.type)))) }
        for (sign, isLower, isIncluded) in [
            ("<=", false, true), (">=", true, true), ("<", false, false), (">", true, false),
        ] where take(sign) {
            if let cases = field.cases {
                return try filter(.oneOf(try places(in: cases, isAfter: isLower, isIncluded: isIncluded)))
            }
            let bound = StoreQuery.Bound(value: try value(of: field.type), isIncluded: isIncluded)
            return try filter(isLower ? .range(lower: bound, upper: nil) : .range(lower: nil, upper: bound))
        }
        if take("is") {
            let isNegated = take("not")
            guard take("null") else { throw error(expecting: isNegated ? "'null'" : "'null' or 'not null'") }
            let isNull = try filter(.equals(.null))
            return isNegated ? .not(isNull) : isNull
        }
        if take("in") { return try filter(.oneOf(try values(of: field.type))) }
        if take("between") {
            let lower = StoreQuery.Bound(value: try value(of: field.type), isIncluded: true)
            guard take("and") else { throw error(expecting: "'and' and the upper bound") }
            let upper = StoreQuery.Bound(value: try value(of: field.type), isIncluded: true)
            return try filter(.range(lower: lower, upper: upper))
        }
        if take("beginswith") {
            try requireText(field)
            return try filter(.prefix(try text()))
        }
        if take("contains") {
            try requireText(field)
            let folding = try folding()
            return try filter(.contains(try text(), ignoring: folding))
        }
        if take("has") {
            guard case .array(let element, _, _, _, _) = field.type else {
                place -= 1
                throw error(expecting: "another operator, as '\(field.name)' is no list,")
            }
            if take("any") { return try filter(.hasAnyElement(try values(of: element))) }
            if take("all") { return try filter(.hasAllElements(try values(of: element))) }
            return try filter(.hasAnyElement([try value(of: element)]))
        }
        throw error(expecting: "an operator such as '=', '<', 'in', 'contains', 'has' or 'is null'")
    }

    /// The operator before was one for texts.
    private mutating func requireText(_ field: FieldDescriptor) throws {
        switch field.type {
        case .string, .uri: return
        default:
            place -= 1
            throw error(expecting: "another operator, as '\(field.name)' is no text,")
        }
    }

    /// The values of an enumeration that come before or after one, as the schema lists them.
    private mutating func places(in cases: [String], isAfter: Bool, isIncluded: Bool) throws -> [FieldValue] {
        guard let value = cases.firstIndex(of: try text()) else {
            place -= 1
            throw error(expecting: "a value that the schema lists")
        }
        let found =
            isAfter
            ? cases[value...].dropFirst(isIncluded ? 0 : 1)
            : cases[..<value] + (isIncluded ? [cases[value]] : [])
        return found.map { .text($0) }
    }

    /// `startsOn <= endsOn`: a comparison with another field of the record; nil if no field follows an operator.
    private mutating func comparison(of field: String, in entity: EntityDescriptor) throws
        -> StoreQuery.Filter?
    {
        guard case .sign(let sign) = next, case .word(let word)? = tokens.dropFirst(place + 1).first?.kind,
            ["=", "==", "!=", "<>", "<", "<=", ">", ">="].contains(sign),
            (try? entity.queried(field: word)) != nil
        else { return nil }
        place += 1
        let other = try path(of: entity)
        func filter(_ left: String, _ comparison: StoreQuery.Comparison, than right: String)
            -> StoreQuery.Filter
        { .test(.init(field: left, test: .compares(comparison, field: right))) }
        switch sign {
        case "=", "==": return filter(field, .equals, than: other)
        case "!=", "<>": return .not(filter(field, .equals, than: other))
        case "<": return filter(field, .isLess, than: other)
        case "<=": return filter(field, .isLessOrEqual, than: other)
        case ">": return filter(other, .isLess, than: field)
        default: return filter(other, .isLessOrEqual, than: field)
        }
    }

    /// `[c]`, `[d]` or `[cd]` after `contains`: ignores letter case, diacritics or both.
    private mutating func folding() throws -> StoreQuery.TextFolding {
        guard take("[") else { return [] }
        guard case .word(let letters) = next, letters.allSatisfy({ "cd".contains($0) }) else {
            throw error(expecting: "'c', 'd' or 'cd'")
        }
        place += 1
        try require("]")
        var folding: StoreQuery.TextFolding = []
        if letters.contains("c") { folding.insert(.letterCase) }
        if letters.contains("d") { folding.insert(.diacritics) }
        return folding
    }

    private mutating func text() throws -> String {
        guard case .text(let text) = next else { throw error(expecting: "a text in quotation marks") }
        place += 1
        return text
    }

    private mutating func values(of type: FieldType) throws -> [FieldValue] {
        try require("(")
        var values = [try value(of: type)]
        while take(",") { values.append(try value(of: type)) }
        try require(")")
        return values
    }

    /// A value as the field's column holds it.
    private mutating func value(of type: FieldType) throws -> FieldValue {
        var writer = JSONWriter()
        writer.beginArray()
        switch (next, type) {
        case (.text(let text), .decimal), (.number(let text), .decimal):
            guard let number = DecimalText.canonical(text) else { throw error(expecting: "a decimal number") }
            writer.string(number)
        case (.text(let text), .uuid): writer.string(text.lowercased())
        case (.text(let text), _): writer.string(text)
        case (.number(let number), _): writer.raw(number)
        case (.word(let word), _) where ["true", "false", "null"].contains(word): writer.raw(word)
        default: throw error(expecting: "a value")
        }
        writer.endArray()
        do {
            guard let value = try FieldJSON.elements(of: writer.text, element: type).first else {
                throw error(expecting: "a value")
            }
            place += 1
            return value
        } catch is FieldError {
            throw error(expecting: "a value of the field's type")
        } catch is JSONError {
            throw error(expecting: "a number")
        }
    }
}

extension FieldDescriptor {
    /// The values of an enumeration of texts, as the schema lists them; nil for another type.
    var cases: [String]? { if case .enumeration(let cases) = type { cases } else { nil } }
}
