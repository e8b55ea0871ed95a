/// Why a text is no pattern that this engine matches.
package struct PatternError: Error, Hashable {
    /// Whether the text is no regular expression at all, or one that this engine does not have.
    package enum Kind: Sendable {
        /// ECMA-262 does not allow it either.
        case invalid
        /// ECMA-262 allows it, and no engine matches it in linear time, or it is too large.
        case unsupported
    }

    /// Whether it is wrong, or only not supported.
    package var kind: Kind
    /// The reason as half a sentence: `a group is not closed`.
    package var reason: String
    /// The character of the pattern at which it stands, from 1.
    package var character: Int

    /// Makes an error at the scalar with this index.
    init(_ reason: String, at index: Int, kind: Kind = .invalid) {
        self.kind = kind
        self.reason = reason
        character = index + 1
    }
}
