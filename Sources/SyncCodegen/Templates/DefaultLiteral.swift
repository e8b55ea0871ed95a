import SyncSchema

/// A schema's default as a Swift expression.
struct DefaultLiteral {
    /// The entity's type, in which nested types lie.
    let entity: String

    /// A literal where Swift has one; else the runtime reads the JSON text.
    func swift(_ json: String, _ type: SchemaType) -> String {
        switch type {
        case .boolean, .number: json
        case .integer: Int64(json) == nil ? read(json, type) : json
        case .string, .uri: text(json).map(Swift.string) ?? read(json, type)
        case .enumeration(let type): text(json).map { value($0, of: type) } ?? read(json, .enumeration(type))
        case .array: json == "[]" ? "[]" : read(json, type)
        case .uuid, .dateTime, .date, .decimal, .data, .object: read(json, type)
        }
    }

    private func value(_ text: String, of type: EnumType) -> String {
        let known = type.cases.first { $0.value.utf8.elementsEqual(text.utf8) }
        return known.map { ".\($0.name)" } ?? ".unknown(\(Swift.string(text)))"
    }

    private func read(_ json: String, _ type: SchemaType) -> String {
        let fieldType = DescriptorTemplate(entity: entity).fieldType(type, withConstraints: false)
        return "\(Runtime.defaultValue).of(\(Swift.string(json)), \(fieldType.flat))"
    }

    /// The text of a JSON string without escapes; nil for one with escapes, which the runtime reads.
    private func text(_ json: String) -> String? {
        guard json.utf8.count >= 2, json.utf8.first == UInt8(ascii: "\""),
            json.utf8.last == UInt8(ascii: "\""),
            !json.utf8.contains(UInt8(ascii: "\\"))
        else { return nil }
        return String(json.dropFirst().dropLast())
    }
}
