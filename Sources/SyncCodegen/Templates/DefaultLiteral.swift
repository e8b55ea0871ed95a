import SyncSchema

/// A schema's default as a Swift expression.
struct DefaultLiteral {
    /// The entity's type, which contains nested types.
    let entity: String
    /// Whether Swift has another type than the JSON, which the runtime reads.
    var isRead = false

    /// A literal if Swift has one; otherwise the runtime reads the JSON text.
    func swift(json: String, type: SchemaType) -> Code {
        if isRead, json != "[]" { return read(json: json, type: type) }
        return switch type {
        case .boolean, .number: .text(json)
        case .integer: Int64(json) == nil ? read(json: json, type: type) : .text(json)
        case .string, .uri: text(json: json).map(Code.string) ?? read(json: json, type: type)
        case .enumeration(let type):
            (type.isInteger ? json : text(json: json)).map { value(text: $0, of: type) }
                ?? read(json: json, type: .enumeration(type))
        case .map: json == "{}" ? .text("[:]") : read(json: json, type: type)
        case .array: json == "[]" ? .text("[]") : read(json: json, type: type)
        case .uuid, .dateTime, .date, .decimal, .data, .object: read(json: json, type: type)
        }
    }

    private func value(text: String, of type: EnumType) -> Code {
        let known = type.cases.first { $0.value.utf8.elementsEqual(text.utf8) }
        let literal: Code = type.isInteger ? .text(text) : .string(text)
        return known.map { .text(".\($0.name)") } ?? .call(".unknown", [.init(label: nil, literal)])
    }

    private func read(json: String, type: SchemaType) -> Code {
        let fieldType = DescriptorTemplate(entity: entity).fieldType(type: type, withConstraints: false)
        return .call(
            "\(Runtime.defaultValue).of",
            [.init(label: "json", .string(json)), .init(label: "type", fieldType)]
        )
    }

    /// The text of a JSON string without escapes; nil with escapes, which the runtime reads.
    private func text(json: String) -> String? {
        guard json.utf8.count >= 2, json.utf8.first == UInt8(ascii: "\""),
            json.utf8.last == UInt8(ascii: "\""),
            !json.utf8.contains(UInt8(ascii: "\\"))
        else { return nil }
        // By bytes: a mark that combines with a quotation mark is one character with it.
        return String(decoding: json.utf8.dropFirst().dropLast(), as: UTF8.self)
    }
}
