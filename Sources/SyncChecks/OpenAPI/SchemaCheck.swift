import Foundation

/// Holds values to the JSON Schemas of one document. It knows just the keywords that the document uses, and reports any
/// other one instead of passing it by.
struct SchemaCheck: @unchecked Sendable {
    // `patterns` is written in `init` only; matching is safe from any thread.
    private let document: JSONTree
    private let patterns: [String: NSRegularExpression]

    /// Prepares the document's patterns. Throws where one cannot be read.
    init(_ document: JSONTree) throws {
        self.document = document
        var patterns: [String: NSRegularExpression] = [:]
        func collect(_ tree: JSONTree) throws {
            for member in tree.members {
                if member.name == "pattern", let text = member.value.text {
                    patterns[text] = try NSRegularExpression(pattern: text)
                }
                try collect(member.value)
            }
            for element in tree.elements { try collect(element) }
        }
        try collect(document)
        self.patterns = patterns
    }

    /// What does not fit, one sentence each; empty when the value fits.
    func findings(_ value: JSONTree, _ schema: JSONTree, at place: String) -> [String] {
        if case .boolean(let allows) = schema { return allows ? [] : ["\(place) must not be there"] }
        var findings: [String] = []
        for keyword in schema.members {
            findings += check(value, keyword.name, keyword.value, schema, place)
        }
        return findings
    }

    /// The value that a `$ref` within the document points to.
    func resolve(_ tree: JSONTree) -> JSONTree? {
        guard let reference = tree["$ref"]?.text else { return tree }
        guard reference.hasPrefix("#/") else { return nil }
        var found: JSONTree? = document
        for part in reference.dropFirst(2).split(separator: "/") { found = found?[String(part)] }
        return found.flatMap(resolve)
    }

    private func check(
        _ value: JSONTree,
        _ keyword: String,
        _ rule: JSONTree,
        _ schema: JSONTree,
        _ place: String
    ) -> [String] {
        func unless(_ holds: Bool, _ words: String) -> [String] { holds ? [] : ["\(place) \(words)"] }
        switch keyword {
        case "description": return []
        case "$ref":
            guard let target = resolve(schema) else { return ["\(place): a reference leads nowhere"] }
            return findings(value, target, at: place)
        case "type": return unless(rule.text.map { Self.isA(value, $0) } ?? false, "is of another type")
        case "const": return unless(value == rule, "is another constant")
        case "enum": return unless(rule.elements.contains(value), "is none of the values")
        case "allOf": return rule.elements.flatMap { findings(value, $0, at: place) }
        case "anyOf", "oneOf":
            let fitting = rule.elements.filter { findings(value, $0, at: place).isEmpty }.count
            return unless(keyword == "anyOf" ? fitting > 0 : fitting == 1, "fits \(fitting) of \(keyword)")
        case "pattern", "minLength", "maxLength":
            guard let text = value.text else { return [] }
            return unless(fits(text, keyword, rule), "breaks \(keyword)")
        case "minimum", "maximum":
            guard case .number(let text) = value else { return [] }
            guard Self.isA(value, "integer"), let bound = rule.integer else {
                return unless(false, "is no integer")
            }
            // One that does not fit is beyond any bound on its side.
            let isMinimum = keyword == "minimum"
            let holds = value.integer.map { isMinimum ? $0 >= bound : $0 <= bound }
            return unless(holds ?? (text.hasPrefix("-") != isMinimum), "breaks \(keyword)")
        case "minItems", "maxItems":
            guard case .array(let elements) = value, let bound = rule.integer else { return [] }
            return unless(
                keyword == "minItems" ? elements.count >= bound : elements.count <= bound,
                "breaks \(keyword)"
            )
        case "items":
            return value.elements.enumerated().flatMap { findings($1, rule, at: "\(place)/\($0)") }
        case "prefixItems":
            return zip(value.elements, rule.elements).enumerated().flatMap {
                findings($1.0, $1.1, at: "\(place)/\($0)")
            }
        case "required":
            guard case .object = value else { return [] }
            return rule.elements.compactMap(\.text).filter { value[$0] == nil }.map { "\(place) lacks \($0)" }
        case "properties":
            return value.members.flatMap { member in
                rule[member.name].map { findings(member.value, $0, at: "\(place)/\(member.name)") } ?? []
            }
        case "additionalProperties":
            return value.members.filter { schema["properties"]?[$0.name] == nil }.flatMap {
                findings($0.value, rule, at: "\(place)/\($0.name)")
            }
        default: return ["\(place): the check does not know the keyword \(keyword)"]
        }
    }

    private func fits(_ text: String, _ keyword: String, _ rule: JSONTree) -> Bool {
        switch keyword {
        case "pattern":
            guard let pattern = rule.text.flatMap({ patterns[$0] }) else { return false }
            return pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        case "minLength": return rule.integer.map { text.unicodeScalars.count >= $0 } ?? false
        default: return rule.integer.map { text.unicodeScalars.count <= $0 } ?? false
        }
    }

    private static func isA(_ value: JSONTree, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.boolean, "boolean"), (.number, "number"), (.string, "string"),
            (.array, "array"), (.object, "object"):
            true
        case (.number(let text), "integer"): text.utf8.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) }
        default: false
        }
    }
}
