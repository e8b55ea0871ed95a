import SyncCore

/// A JSON value as a tree, for checks that look at any document.
public indirect enum JSONTree: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// A number as it was written.
    case number(String)
    case string(String)
    case array([JSONTree])
    /// Members in the order in which they were written.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSONTree
    }

    /// Reads a whole text. Throws `JSONProblem`.
    public init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            let tree = try Self.read(reader: &reader)
            try reader.end()
            return tree
        }
    }

    /// The member of an object; nil where there is none, or no object.
    public subscript(name: String) -> JSONTree? { members.first { $0.name == name }?.value }

    /// The members of an object; empty for anything else.
    public var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements of an array; empty for anything else.
    public var elements: [JSONTree] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The text of a string; nil for anything else.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an integer that fits; nil for anything else.
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
