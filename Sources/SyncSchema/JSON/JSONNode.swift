/// A place in a file: line and column from 1, columns counted in UTF-8 bytes.
package struct Position: Sendable, Hashable, Comparable {
    package var line: Int32
    package var column: Int32

    /// The first byte of a file.
    package static let start = Position(line: 1, column: 1)

    package static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// One JSON value with the place where its text begins.
package struct JSONNode: Sendable {
    package var position: Position
    package var value: Value

    /// What a JSON text can say.
    package enum Value: Sendable {
        case null
        case bool(Bool)
        /// The number as it was written, so that no digit is lost.
        case number(String)
        case string(String)
        case array([JSONNode])
        /// Members in file order, each name once.
        case object([JSONMember])
        /// A value that could not be read and has been reported; checks pass over it in silence.
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
    /// The text of a string, or nil.
    package var string: String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// The truth of a boolean, or nil.
    package var bool: Bool? {
        if case .bool(let truth) = value { truth } else { nil }
    }

    /// The elements of an array, or nil.
    package var elements: [JSONNode]? {
        if case .array(let elements) = value { elements } else { nil }
    }

    /// The members of an object, or nil.
    package var members: [JSONMember]? {
        if case .object(let members) = value { members } else { nil }
    }

    /// Whether the value has already been reported as unreadable.
    var isInvalid: Bool {
        if case .invalid = value { true } else { false }
    }

    /// What a reader would call the value, for example `an array`.
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
