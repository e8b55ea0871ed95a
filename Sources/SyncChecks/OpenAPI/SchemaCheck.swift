import Foundation

/// Validates values against the parsed JSON Schemas of one document. It supports only the keywords that the
/// document uses, and reports all others.
struct SchemaCheck: @unchecked Sendable {
    // NB: nothing is written after `init`, and matching a pattern is thread-safe.
    private let schemas: [[SchemaRule]]

    /// Takes the schemas of a reader.
    init(_ reader: SchemaReader) { schemas = reader.schemas }

    /// The errors in a value, one sentence each; empty for a valid value.
    func findings(value: JSONTree, schema: SchemaRule.Index, at place: String) -> [String] {
        var findings: [String] = []
        check(value, schema: schema, place: place, findings: &findings)
        return findings
    }

    /// Adds the errors in a value. The position is formatted only if there are any.
    private func check(
        _ value: JSONTree,
        schema: SchemaRule.Index,
        place: @autoclosure () -> String,
        findings: inout [String]
    ) {
        for rule in schemas[schema] {
            switch rule {
            case .schema(let target): check(value, schema: target, place: place(), findings: &findings)
            case .all(let parts):
                for part in parts { check(value, schema: part, place: place(), findings: &findings) }
            case .items(let element):
                for (index, item) in value.elements.enumerated() {
                    check(item, schema: element, place: "\(place())/\(index)", findings: &findings)
                }
            case .prefixItems(let elements):
                for (index, (item, element)) in zip(value.elements, elements).enumerated() {
                    check(item, schema: element, place: "\(place())/\(index)", findings: &findings)
                }
            case .required(let names):
                guard case .object = value else { continue }
                for name in names where value[name] == nil { findings.append("\(place()) lacks \(name)") }
            case .properties(let rules):
                for member in value.members {
                    guard let rule = rules[member.name] else { continue }
                    check(member.value, schema: rule, place: "\(place())/\(member.name)", findings: &findings)
                }
            case .additionalProperties(let rule, let named):
                for member in value.members where !named.contains(member.name) {
                    check(member.value, schema: rule, place: "\(place())/\(member.name)", findings: &findings)
                }
            default:
                if let words = finding(value: value, rule: rule) { findings.append("\(place())\(words)") }
            }
        }
    }

    /// The error in a value as a whole; nil if it is valid.
    private func finding(value: JSONTree, rule: SchemaRule) -> String? {
        switch rule {
        case .nothing: return " must not be there"
        case .unsound(let words): return words
        case .type(let name):
            return name.map { Self.isA(value: value, type: $0) } ?? false ? nil : " is of another type"
        case .values(let values, let words): return values.contains(value) ? nil : " \(words)"
        case .any(let parts):
            return parts.contains { fits(value: value, schema: $0) } ? nil : " fits 0 of anyOf"
        case .one(let parts):
            let count = parts.count { fits(value: value, schema: $0) }
            return count == 1 ? nil : " fits \(count) of oneOf"
        case .minItems(let bound):
            guard case .array(let elements) = value else { return nil }
            return elements.count >= bound ? nil : " breaks minItems"
        case .maxItems(let bound):
            guard case .array(let elements) = value else { return nil }
            return elements.count <= bound ? nil : " breaks maxItems"
        case .maxProperties(let bound): return value.members.count <= bound ? nil : " breaks maxProperties"
        case .minimum(let bound): return range(value: value, bound: bound, isMinimum: true)
        case .maximum(let bound): return range(value: value, bound: bound, isMinimum: false)
        default: return value.text.flatMap { finding(text: $0, rule: rule) }
        }
    }

    private func finding(text: String, rule: SchemaRule) -> String? {
        switch rule {
        case .pattern(let pattern):
            let range = NSRange(location: 0, length: text.utf16.count)
            return pattern?.firstMatch(in: text, range: range) != nil ? nil : " breaks pattern"
        case .minLength(let bound):
            return bound.map { text.unicodeScalars.count >= $0 } ?? false ? nil : " breaks minLength"
        case .maxLength(let bound):
            return bound.map { text.unicodeScalars.count <= $0 } ?? false ? nil : " breaks maxLength"
        default: return nil
        }
    }

    private func fits(value: JSONTree, schema: SchemaRule.Index) -> Bool {
        var findings: [String] = []
        check(value, schema: schema, place: "", findings: &findings)
        return findings.isEmpty
    }

    private func range(value: JSONTree, bound: Int64?, isMinimum: Bool) -> String? {
        guard case .number(let text) = value else { return nil }
        guard Self.isA(value: value, type: "integer"), let bound else { return " is no integer" }
        // An integer that overflows is beyond any bound on its side.
        let holds = value.integer.map { isMinimum ? $0 >= bound : $0 <= bound }
        if holds ?? (text.hasPrefix("-") != isMinimum) { return nil }
        return isMinimum ? " breaks minimum" : " breaks maximum"
    }

    private static func isA(value: JSONTree, type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.boolean, "boolean"), (.number, "number"), (.string, "string"),
            (.array, "array"), (.object, "object"):
            true
        case (.number(let text), "integer"): text.utf8.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) }
        default: false
        }
    }
}
