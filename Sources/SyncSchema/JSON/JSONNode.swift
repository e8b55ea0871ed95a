/// A position in a file: line and column from 1, with columns counted in UTF-8 bytes.
package struct Position: Sendable, Hashable, Comparable {
    package var line: Int32
    package var column: Int32

    /// The position of the first byte.
    package static let start = Position(line: 1, column: 1)

    package static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A JSON value with the position of its text.
package struct JSONNode: Sendable {
    package var position: Position
    package var value: Value

    /// The kinds of JSON values.
    package enum Value: Sendable {
        case null
        case bool(Bool)
        /// The number as written, so that no digit is lost.
        case number(String)
        case string(String)
        case array([JSONNode])
        /// Members in file order with unique names.
        case object([JSONMember])
        /// An unreadable value that has been reported. Later checks ignore it.
        case invalid
    }
}

/// One member of a JSON object.
package struct JSONMember: Sendable {
    package var name: String
    package var namePosition: Position
    package var node: JSONNode
}

extension JSONNode {
    /// The text of a string; nil for any other value.
    package var string: String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// The value of a boolean; nil for any other value.
    package var bool: Bool? {
        if case .bool(let truth) = value { truth } else { nil }
    }

    /// The elements of an array; nil for any other value.
    package var elements: [JSONNode]? {
        if case .array(let elements) = value { elements } else { nil }
    }

    /// The members of an object; nil for any other value.
    package var members: [JSONMember]? {
        if case .object(let members) = value { members } else { nil }
    }

    /// Whether the value was unreadable and has been reported.
    var isInvalid: Bool {
        if case .invalid = value { true } else { false }
    }

    var isNull: Bool {
        if case .null = value { true } else { false }
    }

    /// The kind of the value in a sentence, for example `an array`.
    var kindName: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        case .invalid: "an unreadable value"
        }
    }
}
