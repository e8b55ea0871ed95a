/// The `pattern` constraints of an entity, ready to match, by their texts.
package final class PatternTable: Sendable {
    /// A pattern that this engine does not match, with the fields that it stands on.
    package struct Unchecked: Sendable, Hashable {
        /// The field, with the names of the objects around it: `address.zip`.
        package var field: String
        /// Why it is not matched.
        package var error: PatternError
    }

    /// Patterns that are not checked, in field order. `validate` refuses them, but a schema may be older.
    package let unchecked: [Unchecked]
    private let patterns: [String: Pattern]

    package init(fields: [FieldDescriptor]) {
        var found: [(field: String, pattern: String)] = []
        for field in fields { Self.collect(field.type, path: field.name, into: &found) }
        var patterns: [String: Pattern] = [:]
        var unchecked: [Unchecked] = []
        for (field, text) in found where patterns[text] == nil {
            do throws(PatternError) {
                patterns[text] = try Pattern(text)
            } catch {
                unchecked.append(Unchecked(field: field, error: error))
            }
        }
        (self.patterns, self.unchecked) = (patterns, unchecked)
    }

    /// Whether a text has a pattern of the entity. A pattern that is not matched here refuses nothing: that it
    /// cannot be checked says nothing about the text.
    package func matches(text: String, pattern: String) -> Bool {
        patterns[pattern]?.matches(text) ?? true
    }

    /// The same for valid UTF-8.
    func matches(utf8 text: UnsafeBufferPointer<UInt8>, pattern: String) -> Bool {
        patterns[pattern]?.matches(utf8: text) ?? true
    }

    private static func collect(
        _ type: FieldType,
        path: String,
        into found: inout [(field: String, pattern: String)]
    ) {
        switch type {
        case .string(_, _, let pattern?, _): found.append((path, pattern))
        case .array(let element, _, _, _, _), .map(let element, _):
            collect(element, path: path, into: &found)
        case .object(let fields):
            for field in fields { collect(field.type, path: "\(path).\(field.name)", into: &found) }
        default: break
        }
    }
}
