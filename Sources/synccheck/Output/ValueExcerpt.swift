/// Long values of one field, cut to the part where they differ.
enum ValueExcerpt {
    /// The most characters of a value.
    static let maxScalars = 400
    /// The characters that are shown before a difference.
    private static let contextScalars = 40

    /// The values as they are if all are short. Otherwise each begins shortly before the place where the last two
    /// differ, or where any two do, and says how much is left out.
    static func excerpts(of values: [String?]) -> [String?] {
        let texts = values.map { $0.map { Array($0.unicodeScalars) } }
        let present = texts.compactMap { $0 }
        guard present.contains(where: { $0.count > maxScalars }) else { return values }
        let last = present.suffix(2)
        let isSame = last.first == last.last
        let common = commonPrefix(of: isSame ? present[...] : last)
        let start = common <= 2 * contextScalars ? 0 : common - contextScalars
        return texts.map { $0.map { excerpt(of: $0, from: start) } }
    }

    private static func excerpt(of text: [Unicode.Scalar], from start: Int) -> String {
        let part = text.dropFirst(start).prefix(maxScalars)
        let left = text.count - start - part.count
        var view = String.UnicodeScalarView()
        view.append(contentsOf: part)
        return (start > 0 ? "(\(min(start, text.count)) characters) ... " : "") + String(view)
            + (left > 0 ? " ... (\(left) more)" : "")
    }

    /// How many characters all texts begin with alike; 0 for a single one.
    private static func commonPrefix(of texts: ArraySlice<[Unicode.Scalar]>) -> Int {
        guard let first = texts.first, texts.count > 1 else { return 0 }
        return texts.dropFirst().map { other in zip(first, other).prefix { $0 == $1 }.count }.min() ?? 0
    }
}
