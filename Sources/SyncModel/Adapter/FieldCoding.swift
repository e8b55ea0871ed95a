import Foundation

/// The values of a field group through `Codable`: members by schema name.
enum FieldCoding {
    /// Reads the members of a keyed container. Throws `DecodingError`.
    static func decode(_ fields: [FieldDescriptor], from decoder: any Decoder) throws -> Record {
        let container = try decoder.container(keyedBy: MemberName.self)
        var record = Record(values: Array(repeating: nil, count: fields.count))
        for (index, field) in fields.enumerated() {
            let name = MemberName(field.name)
            guard container.contains(name) else { continue }
            record.values[index] = try value(name: name, type: field.type, in: container)
        }
        for name in container.allKeys
        where !fields.contains(where: { isSame(left: $0.name, right: name.stringValue) }) {
            let json = try container.decode(AnyJSON.self, forKey: name).text
            record.unknown.append(UnknownField(path: path(of: name.stringValue, fields: fields), json: json))
        }
        record.unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return record
    }

    /// Writes fields in schema order, then unknown members. Throws `EncodingError`.
    static func encode(_ record: Record, fields: [FieldDescriptor], to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (field, value) in zip(fields, record.values) {
            let name = MemberName(field.name)
            switch value {
            case nil: break
            case .null: try container.encodeNil(forKey: name)
            case .boolean(let value): try container.encode(value, forKey: name)
            case .integer(let value): try container.encode(value, forKey: name)
            case .number(let value): try container.encode(value, forKey: name)
            case .timestamp(let value): try container.encode(value.description, forKey: name)
            case .text(let value): try container.encode(value, forKey: name)
            case .bytes(let value): try container.encode(Base64.encode(value), forKey: name)
            case .json(let value): try container.encode(AnyJSON(text: value), forKey: name)
            }
        }
        for member in record.unknown {
            let components = UnknownPath.components(path: member.path)
            let name = MemberName(components.count == 1 ? components[0] : member.path)
            try container.encode(AnyJSON(text: member.json), forKey: name)
        }
    }

    private static func value(
        name: MemberName,
        type: FieldType,
        in container: KeyedDecodingContainer<MemberName>
    ) throws -> FieldValue {
        if try container.decodeNil(forKey: name) { return .null }
        func mismatch(expected: String) -> DecodingError {
            .dataCorruptedError(forKey: name, in: container, debugDescription: "Expected \(expected).")
        }
        switch type {
        case .boolean: return .boolean(try container.decode(Bool.self, forKey: name))
        case .integer: return .integer(try container.decode(Int64.self, forKey: name))
        case .number: return .number(try container.decode(Double.self, forKey: name))
        case .dateTime:
            guard let value = Timestamp(try container.decode(String.self, forKey: name)) else {
                throw mismatch(expected: "a date-time")
            }
            return .timestamp(value)
        case .data:
            guard let value = Data(base64Encoded: try container.decode(String.self, forKey: name)) else {
                throw mismatch(expected: "base64")
            }
            return .bytes([UInt8](value))
        case .array, .object: return .json(try container.decode(AnyJSON.self, forKey: name).text)
        case .string, .uuid, .date, .uri, .decimal, .enumeration:
            return .text(try container.decode(String.self, forKey: name))
        }
    }

    /// The path of an unknown member: a pointer stays one where the schema flattens the object that it points into.
    private static func path(of name: String, fields: [FieldDescriptor]) -> String {
        let parents = UnknownPath.components(path: name).dropLast()
        let isPointer =
            !parents.isEmpty
            && fields.contains { field in
                field.wirePath.count > parents.count
                    && zip(field.wirePath, parents).allSatisfy { isSame(left: $0, right: $1) }
            }
        return isPointer ? name : UnknownPath.make(parents: [], name: name)
    }

    private static func isSame(left: String, right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }
}
