/// A parsed pattern, as a tree.
package indirect enum PatternNode: Sendable, Hashable {
    /// One scalar of a set.
    case scalar(ScalarSet)
    /// Parts in their order; without parts, nothing.
    case sequence([PatternNode])
    /// One of several parts.
    case either([PatternNode])
    /// A part at least `least` and at most `most` times; nil for no bound.
    case repeated(PatternNode, least: Int, most: Int?)
    /// A condition on a place, which takes no scalar.
    case assertion(PatternAssertion)
}

/// A condition on a place in a text.
package enum PatternAssertion: Sendable, Hashable {
    /// `^`: the text begins here.
    case start
    /// `$`: the text ends here.
    case end
    /// `\b`: a word begins or ends here.
    case boundary
    /// `\B`: no word begins or ends here.
    case noBoundary

    /// Whether it holds between two scalars; nil stands for an end of the text.
    func holds(between former: Unicode.Scalar?, and next: Unicode.Scalar?) -> Bool {
        switch self {
        case .start: former == nil
        case .end: next == nil
        case .boundary: Self.isWord(former) != Self.isWord(next)
        case .noBoundary: Self.isWord(former) == Self.isWord(next)
        }
    }

    private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map(ScalarSet.word.contains) ?? false
    }
}

extension PatternNode {
    /// How many instructions it becomes, `most` if they are more.
    func size(most: Int) -> Int {
        switch self {
        case .scalar, .assertion: return 1
        case .sequence(let parts): return parts.reduce(0) { min(most, $0 + $1.size(most: most)) }
        case .either(let parts):
            return parts.reduce(2 * (parts.count - 1)) { min(most, $0 + $1.size(most: most)) }
        case .repeated(let part, let least, let greatest):
            let size = part.size(most: most)
            // Nothing, however often, is nothing.
            guard size > 0 else { return 0 }
            let optional = greatest.map { ($0 - least) * (size + 1) } ?? size + 2
            return min(most, least * size + optional)
        }
    }
}
