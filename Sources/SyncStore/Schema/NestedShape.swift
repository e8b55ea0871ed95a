import SyncCore

/// The shape of a list or nested object in a column, according to the schema that wrote it: its members' names in the
/// column and on the wire. It allows converting a value back to its wire form, whatever the present schema is.
indirect enum NestedShape: Sendable, Equatable {
    /// A scalar value, by its kind.
    case single(String)
    case list(NestedShape, isSet: Bool)
    case object([Member])

    struct Member: Sendable, Equatable {
        let name: String
        let wire: String
        let shape: NestedShape
    }

    /// The shape of values of a type.
    init(_ type: FieldType) {
        switch type {
        case .array(let element, _, let isSet, _, _): self = .list(NestedShape(element), isSet: isSet)
        case .object(let fields):
            self = .object(
                fields.map {
                    Member(name: $0.name, wire: $0.wirePath.last ?? $0.name, shape: NestedShape($0.type))
                }
            )
        default: self = .single(type.kind)
        }
    }

    /// A column's JSON with wire names.
    func wire(json: String) throws -> String {
        var text = json
        return try text.withUTF8 { buffer in
            var reader = try JSONReader(buffer)
            var writer = JSONWriter()
            try copy(&reader, to: &writer)
            return writer.text
        }
    }

    private func copy(_ reader: inout JSONReader, to writer: inout JSONWriter) throws {
        switch (self, try reader.peek()) {
        case (.list(let element, _), UInt8(ascii: "[")):
            writer.beginArray()
            if try reader.beginArray() {
                repeat { try element.copy(&reader, to: &writer) } while try reader.nextElement()
            }
            writer.endArray()
        case (.object(let members), UInt8(ascii: "{")):
            writer.beginObject()
            if try reader.beginObject() {
                repeat {
                    let name = try reader.name().decode()
                    let member = members.first { $0.name.hasSameBytes(as: name) }
                    writer.name(member?.wire ?? name)
                    try (member?.shape ?? .single("")).copy(&reader, to: &writer)
                } while try reader.nextMember()
            }
            writer.endObject()
        default: writer.minified(try reader.skipValue())
        }
    }
}

/// The shape in the catalogue: `"text"`, `{"list":…}`, `{"set":…}` or `{"members":[["name","wire",…]]}`.
extension NestedShape {
    func append(to writer: inout JSONWriter) {
        if case .single(let kind) = self { return writer.string(kind) }
        writer.beginObject()
        switch self {
        case .single: break
        case .list(let element, let isSet):
            writer.name(isSet ? "set" : "list")
            element.append(to: &writer)
        case .object(let members):
            writer.name("members")
            writer.beginArray()
            for member in members {
                writer.beginArray()
                writer.string(member.name)
                writer.string(member.wire)
                member.shape.append(to: &writer)
                writer.endArray()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Reads what `append` writes. Throws `JSONError`.
    init(_ reader: inout JSONReader) throws {
        if try reader.peek() == UInt8(ascii: "\"") {
            self = .single(try reader.string().decode())
            return
        }
        guard try reader.beginObject() else { throw reader.error(kind: .unexpectedByte) }
        switch try reader.name().decode() {
        case "list": self = .list(try NestedShape(&reader), isSet: false)
        case "set": self = .list(try NestedShape(&reader), isSet: true)
        default: self = .object(try Self.members(reader: &reader))
        }
        if try reader.nextMember() { throw reader.error(kind: .unexpectedByte) }
    }

    private static func members(reader: inout JSONReader) throws -> [Member] {
        var members: [Member] = []
        guard try reader.beginArray() else { return members }
        repeat {
            guard try reader.beginArray() else { throw reader.error(kind: .unexpectedByte) }
            let name = try reader.string().decode()
            guard try reader.nextElement() else { throw reader.error(kind: .unexpectedByte) }
            let wire = try reader.string().decode()
            guard try reader.nextElement() else { throw reader.error(kind: .unexpectedByte) }
            members.append(Member(name: name, wire: wire, shape: try NestedShape(&reader)))
            if try reader.nextElement() { throw reader.error(kind: .unexpectedByte) }
        } while try reader.nextElement()
        return members
    }
}
