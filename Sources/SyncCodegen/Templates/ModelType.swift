import SyncSchema

/// Types of model properties.
struct ModelType {
    /// The entity's type, which contains nested types.
    let entity: String
    /// The type of a scalar, or of a list's elements, where it is not the usual one.
    var chosen: String?

    func name(type: SchemaType) -> String {
        switch type {
        case .string, .uri, .integer, .uuid, .date: chosen ?? Self.usual(type: type)
        case .number: "Double"
        case .boolean: "Bool"
        case .dateTime: Runtime.date
        case .decimal: Runtime.decimal
        case .data: Runtime.data
        case .enumeration(let type): "\(entity).\(type.typeName)"
        case .object(let type): "\(entity).\(type.typeName)"
        case .array(let item, _, _, _): "[\(name(type: item.type))\(item.isNullable ? "?" : "")]"
        case .map(let value): "[String: \(name(type: value.type))\(value.isNullable ? "?" : "")]"
        }
    }

    /// The usual type of what can be a key.
    private static func usual(type: SchemaType) -> String {
        switch type {
        case .integer: "Int"
        case .uuid: Runtime.uuid
        case .date: Runtime.calendarDate
        default: "String"
        }
    }
}

/// Types of DTO properties: JSON's types, and text for the rest.
struct WireType {
    /// The entity's type.
    let entity: String

    func name(type: SchemaType) -> String {
        switch type {
        case .enumeration(let type): type.isInteger ? "Int" : "String"
        case .integer: "Int"
        case .number: "Double"
        case .boolean: "Bool"
        case .object(let type): "\(entity)\(Runtime.dtoSuffix).\(type.typeName)"
        case .array(let item, _, _, _): "[\(name(type: item.type))\(item.isNullable ? "?" : "")]"
        case .map(let value): "[String: \(name(type: value.type))\(value.isNullable ? "?" : "")]"
        case .string, .uri, .uuid, .dateTime, .date, .decimal, .data: "String"
        }
    }

    /// A note about the text in the documentation of a DTO property.
    static func format(_ type: SchemaType) -> String? {
        switch type {
        case .uuid: "a UUID in lower case"
        case .dateTime: "a date-time of RFC 3339 in UTC"
        case .date: "a date, `yyyy-mm-dd`"
        case .decimal: "an exact decimal number"
        case .data: "base64"
        case .array(let item, _, _, _), .map(let item): format(item.type).map { "each \($0)" }
        case .string, .uri, .integer, .number, .boolean, .enumeration, .object: nil
        }
    }
}

extension SchemaType {
    /// This type and the types nested in it, each once, outer ones first.
    func nestedTypes(found: inout [SchemaType]) {
        switch self {
        case .enumeration:
            if !found.contains(self) { found.append(self) }
        case .object(let type):
            if found.contains(self) { return }
            found.append(self)
            for property in type.properties { property.type.nestedTypes(found: &found) }
        case .array(let item, _, _, _), .map(let item): item.type.nestedTypes(found: &found)
        default: break
        }
    }

    /// The name of a type that is nested in the entity's; nil for others.
    var nestedName: String? {
        switch self {
        case .enumeration(let type): type.typeName
        case .object(let type): type.typeName
        default: nil
        }
    }

    /// Whether it is a list whose order has no meaning.
    var isSet: Bool { if case .array(_, true, _, _) = self { true } else { false } }

    /// Whether the value has a type of Foundation, unless the schema chooses it.
    fileprivate var usesFoundation: Bool {
        switch self {
        case .uuid, .dateTime, .decimal, .data: true
        case .array(let item, _, _, _), .map(let item): item.type.usesFoundation
        case .object(let type): type.properties.useFoundation
        default: false
        }
    }
}

extension [Property] {
    /// Whether a value has a type of Foundation.
    var useFoundation: Bool { contains { $0.swiftType == .url || $0.type.usesFoundation } }
}
