import SyncCore

/// A JSON value as a tree, for checks of arbitrary documents.
public indirect enum JSONTree: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// A number as written.
    case number(String)
    case string(String)
    case array([JSONTree])
    /// Members as written, in order.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSONTree
    }

    /// Parses a text. Throws `JSONError`.
    public init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            let tree = try Self.read(reader: &reader)
            try reader.end()
            return tree
        }
    }

    /// The member of an object with this name; nil if there is none.
    public subscript(name: String) -> JSONTree? { members.first { $0.name == name }?.value }

    /// The members of an object; empty for any other value.
    public var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements of an array; empty for any other value.
    public var elements: [JSONTree] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The text of a string; nil for any other value.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a 64-bit integer; nil for any other value.
    public var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    private static func read(reader: inout JSONReader) throws -> JSONTree {
        switch try reader.peek() {
        case UInt8(ascii: "{"):
            var members: [Member] = []
            guard try reader.beginObject() else { return .object([]) }
            repeat {
                let name = try reader.name().decode()
                members.append(Member(name: name, value: try read(reader: &reader)))
            } while try reader.nextMember()
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONTree] = []
            guard try reader.beginArray() else { return .array([]) }
            repeat { elements.append(try read(reader: &reader)) } while try reader.nextElement()
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try reader.string().decode())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean(try reader.boolean())
        case UInt8(ascii: "n"):
            _ = try reader.null()
            return .null
        default: return .number(String(decoding: try reader.number(), as: UTF8.self))
        }
    }
}
