/// A sentence on what to do, in which commands are told from words.
package struct Instruction: ExpressibleByStringInterpolation, Sendable, Hashable {
    /// A piece of the sentence.
    package enum Part: Sendable, Hashable {
        /// Words for people.
        case words(String)
        /// A command for a shell.
        case command(String)
    }

    /// The pieces, in order.
    package let parts: [Part]

    /// A sentence without commands.
    package init(stringLiteral words: String) { parts = [.words(words)] }

    /// A sentence with commands in it.
    package init(stringInterpolation interpolation: Interpolation) { parts = interpolation.parts }

    /// The sentence as plain text, with each command between quotation marks.
    package var text: String {
        parts.map { part in
            switch part {
            case .words(let words): words
            case .command(let command): command.contains("'") ? "\"\(command)\"" : "'\(command)'"
            }
        }.joined()
    }

    /// Collects words and commands.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { parts.append(.words(literal)) }
        }

        package mutating func appendInterpolation(_ words: String) { parts.append(.words(words)) }

        package mutating func appendInterpolation(command: String) { parts.append(.command(command)) }
    }
}
