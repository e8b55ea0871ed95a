/// A statement that reads, with its arguments.
///
/// ```swift
/// let query: SQLQuery = "SELECT notes FROM bookmark_live WHERE surahNumber = \(2)"
/// ```
///
/// A value in the text is bound as an argument. It never becomes a part of the statement.
public struct SQLQuery: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The statement, with a parameter for each argument.
    public let text: String
    /// The values of the parameters, from the first on.
    public let arguments: [SQLValue]

    /// A statement with `?` where an argument belongs.
    public init(_ text: String, arguments: [any SQLConvertible] = []) {
        self.text = text
        self.arguments = arguments.map(\.sqlValue)
    }

    /// A statement without arguments.
    public init(stringLiteral value: String) { self.init(value) }

    /// A statement with a value at some places.
    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        arguments = stringInterpolation.arguments
    }

    /// Collects the text and the values of a statement.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var arguments: [SQLValue] = []

        /// Prepares for a statement of about that length.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount)
        }

        /// Adds a part of the statement.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Binds a value at this place.
        public mutating func appendInterpolation(_ value: some SQLConvertible) {
            text += "?"
            arguments.append(value.sqlValue)
        }
    }
}
