import SyncCore

/// A JSON value from the reader's single steps: texts as UTF-8 bytes, numbers as written.
indirect enum ReadValue: Equatable {
    case null
    case boolean(Bool)
    case number([UInt8])
    case string([UInt8])
    case array([ReadValue])
    case object([Member])

    struct Member: Equatable {
        var name: [UInt8]
        var value: ReadValue
    }

    /// Reads a whole text. Throws `JSONError`.
    init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            let value = try ReadValue(reader: &reader, depth: 0)
            try reader.end()
            return value
        }
    }

    private init(reader: inout JSONReader, depth: Int) throws {
        guard depth < JSONReader.maxDepth else { throw reader.error(kind: .tooDeep) }
        switch try reader.peek() {
        case UInt8(ascii: "n"):
            _ = try reader.null()
            self = .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean(try reader.boolean())
        case UInt8(ascii: "\""): self = .string(try Self.text(text: try reader.string()))
        case UInt8(ascii: "["):
            var elements: [ReadValue] = []
            if try reader.beginArray() {
                repeat {
                    elements.append(try ReadValue(reader: &reader, depth: depth + 1))
                } while try reader.nextElement()
            }
            self = .array(elements)
        case UInt8(ascii: "{"):
            var members: [Member] = []
            if try reader.beginObject() {
                repeat {
                    let name = try Self.text(text: try reader.name())
                    members.append(
                        Member(name: name, value: try ReadValue(reader: &reader, depth: depth + 1))
                    )
                } while try reader.nextMember()
            }
            self = .object(members)
        default: self = .number(Array(try reader.number()))
        }
    }

    /// A text's bytes. Both decoders must give the same result.
    private static func text(text: JSONText) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try text.decode(into: &bytes)
        let isSame = try text.decode().utf8.elementsEqual(bytes) && text.equals(bytes)
        try promise(isSame, kind: .valuesDiffer, of: "a string")
        return bytes
    }

    /// The value as text.
    var written: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let text): writer.raw(text)
        case .string(let text): text.withUnsafeBufferPointer { writer.string($0) }
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.name(String(decoding: member.name, as: UTF8.self))
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

extension ReadValue {
    /// The value with the members of every object sorted by name.
    var sorted: ReadValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.sorted) }
                    .sorted { $0.name.lexicographicallyPrecedes($1.name) }
            )
        default: self
        }
    }

    /// Whether an object has a repeated name, here or deeper.
    var repeatsName: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.repeatsName)
        case .object(let members): repeatsOwnName || members.contains(where: \.value.repeatsName)
        default: false
        }
    }

    /// Whether this object has a repeated name.
    var repeatsOwnName: Bool {
        guard case .object(let members) = self else { return false }
        return Set(members.map(\.name)).count < members.count
    }

    /// The nesting depth; 1 for a scalar.
    var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
        default: 1
        }
    }

    /// All numbers in the value.
    var numbers: [[UInt8]] {
        switch self {
        case .number(let text): [text]
        case .array(let elements): elements.flatMap(\.numbers)
        case .object(let members): members.flatMap(\.value.numbers)
        default: []
        }
    }
}
