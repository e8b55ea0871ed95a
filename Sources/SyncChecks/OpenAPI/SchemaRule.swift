import Foundation

/// A parsed keyword of a schema.
enum SchemaRule {
    /// The index of a parsed schema.
    typealias Index = Int

    /// Matches nothing.
    case nothing
    /// A rule that cannot be checked, with the reason.
    case unsound(String)
    case schema(Index)
    case type(String?)
    case values([JSONTree], words: String)
    case all([Index])
    case any([Index])
    case one([Index])
    case pattern(NSRegularExpression?)
    case minLength(Int64?)
    case maxLength(Int64?)
    case minimum(Int64?)
    case maximum(Int64?)
    case minItems(Int64)
    case maxItems(Int64)
    case maxProperties(Int64)
    case items(Index)
    case prefixItems([Index])
    case required([String])
    case properties([String: Index])
    case additionalProperties(Index, except: Set<String>)
}

/// Parses the schemas of a document and their references, each once.
struct SchemaReader {
    private(set) var schemas: [[SchemaRule]] = []
    private let document: JSONTree
    private var patterns: [String: NSRegularExpression] = [:]
    private var places: [String: SchemaRule.Index] = [:]

    /// Prepares the document's patterns. Throws for an invalid one.
    init(_ document: JSONTree) throws {
        self.document = document
        try collect(document)
    }

    /// Parses a schema and returns its index.
    mutating func read(schema: JSONTree) -> SchemaRule.Index {
        let index = reserve()
        fill(index, schema: schema)
        return index
    }

    /// The target of a `$ref` within the document.
    func resolve(_ tree: JSONTree) -> JSONTree? {
        guard let reference = tree["$ref"]?.text else { return tree }
        return target(reference: reference).flatMap(resolve)
    }

    private mutating func collect(_ tree: JSONTree) throws {
        for member in tree.members {
            if member.name == "pattern", let text = member.value.text, patterns[text] == nil {
                patterns[text] = try NSRegularExpression(pattern: text)
            }
            try collect(member.value)
        }
        for element in tree.elements { try collect(element) }
    }

    private func target(reference: String) -> JSONTree? {
        guard reference.hasPrefix("#/") else { return nil }
        var found: JSONTree? = document
        for part in reference.dropFirst(2).split(separator: "/") { found = found?[String(part)] }
        return found
    }

    private mutating func reserve() -> SchemaRule.Index {
        schemas.append([])
        return schemas.count - 1
    }

    private mutating func fill(_ index: SchemaRule.Index, schema: JSONTree) {
        if schema == .boolean(false) {
            schemas[index] = [.nothing]
        } else {
            schemas[index] = schema.members.compactMap { rule(keyword: $0.name, value: $0.value, of: schema) }
        }
    }

    /// Parses a reference, which may be recursive.
    private mutating func reference(text: String?) -> SchemaRule {
        guard let text, let tree = target(reference: text) else {
            return .unsound(": a reference leads nowhere")
        }
        if let known = places[text] { return .schema(known) }
        let index = reserve()
        places[text] = index
        fill(index, schema: tree)
        return .schema(index)
    }

    private mutating func rule(keyword: String, value: JSONTree, of schema: JSONTree) -> SchemaRule? {
        switch keyword {
        case "description": return nil
        case "$ref": return reference(text: value.text)
        case "type": return .type(value.text)
        case "const": return .values([value], words: "is another constant")
        case "enum": return .values(value.elements, words: "is none of the values")
        case "allOf": return .all(readAll(schemas: value))
        case "anyOf": return .any(readAll(schemas: value))
        case "oneOf": return .one(readAll(schemas: value))
        case "pattern": return .pattern(value.text.flatMap { patterns[$0] })
        case "minLength": return .minLength(value.integer)
        case "maxLength": return .maxLength(value.integer)
        case "minimum": return .minimum(value.integer)
        case "maximum": return .maximum(value.integer)
        case "minItems": return value.integer.map { .minItems($0) }
        case "maxItems": return value.integer.map { .maxItems($0) }
        case "maxProperties": return value.integer.map { .maxProperties($0) }
        case "items": return .items(read(schema: value))
        case "prefixItems": return .prefixItems(readAll(schemas: value))
        case "required": return .required(value.elements.compactMap(\.text))
        case "properties":
            return .properties(value.members.reduce(into: [:]) { $0[$1.name] = read(schema: $1.value) })
        case "additionalProperties":
            let named = schema["properties"]?.members.map(\.name) ?? []
            return .additionalProperties(read(schema: value), except: Set(named))
        default: return .unsound(": the check does not know the keyword \(keyword)")
        }
    }

    private mutating func readAll(schemas: JSONTree) -> [SchemaRule.Index] {
        schemas.elements.map { read(schema: $0) }
    }
}
