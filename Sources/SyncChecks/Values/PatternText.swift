import SyncCore

/// Generates texts that match a schema's `pattern`, from a seed. Anchors and boundaries are left to chance, so the
/// caller checks each text.
struct PatternText {
    private let root: PatternNode

    /// Generates texts of a pattern.
    init(_ pattern: Pattern) {
        root = pattern.root
    }

    /// Generates a text. A part may occur up to `slack` times more than its minimum.
    func text(slack: Int, seed: inout Seed) -> String {
        var text = String.UnicodeScalarView()
        Self.append(root, slack: slack, text: &text, seed: &seed)
        return String(text)
    }

    private static func append(
        _ node: PatternNode,
        slack: Int,
        text: inout String.UnicodeScalarView,
        seed: inout Seed
    ) {
        switch node {
        case .sequence(let parts): for part in parts { append(part, slack: slack, text: &text, seed: &seed) }
        case .either(let parts):
            if let part = parts.randomElement(using: &seed) {
                append(part, slack: slack, text: &text, seed: &seed)
            }
        case .repeated(let part, let least, let most):
            let upper = max(least, min(most ?? .max, least + slack))
            for _ in 0..<Int.random(in: least...upper, using: &seed) {
                append(part, slack: slack, text: &text, seed: &seed)
            }
        case .scalar(let set):
            if let scalar = scalar(of: set, seed: &seed) { text.append(scalar) }
        case .assertion: break
        }
    }

    /// A scalar of a set: one that everybody can read, if it has any.
    private static func scalar(of set: ScalarSet, seed: inout Seed) -> Unicode.Scalar? {
        let known = plain.filter(set.contains)
        if let scalar = known.randomElement(using: &seed) { return scalar }
        if !set.isNegated, let range = set.ranges.randomElement(using: &seed) {
            // NB: a range may include surrogates, which are not scalars.
            let drawn = Unicode.Scalar(UInt32.random(in: range, using: &seed))
            if let scalar = drawn ?? Unicode.Scalar(range.lowerBound) { return scalar }
        }
        return rare.filter(set.contains).randomElement(using: &seed)
    }

    /// The visible ASCII characters.
    private static let plain = (UInt8(0x21)...0x7E).map { Unicode.Scalar($0) }

    /// Others of most general categories.
    private static let rare: [Unicode.Scalar] = [
        " ", "\n", "\u{A0}", "\u{AB}", "\u{AD}", "\u{B2}", "\u{BB}", "\u{E9}", "\u{1C5}", "\u{2B0}",
        "\u{301}", "\u{5D0}", "\u{627}", "\u{903}", "\u{2028}", "\u{2029}", "\u{203F}", "\u{20AC}",
        "\u{20DD}", "\u{2160}", "\u{1F600}", "\u{E000}", "\u{378}",
    ]
}
