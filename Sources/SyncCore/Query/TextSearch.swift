/// What a person searches for: words that a text must have, as people write them in a search field.
///
/// `mercy grace` finds texts with both words, in any order and any letter case, with or without accents or Arabic vowel
/// signs. `"day of judgement"` finds the words side by side, `merc*` words that begin so, `mercy OR grace` at least one
/// of the two, `-wrath` leaves out texts with the word. Any other sign divides words. No text is an error.
public struct TextSearch: Sendable, Hashable {
    /// Each of these has a term that the text must have.
    public private(set) var clauses: [[Term]] = []
    /// Terms that the text must not have.
    public private(set) var excluded: [Term] = []
    /// The fields to search; nil for all that the schema names.
    public var fields: [String]?

    /// A word, or words side by side.
    public struct Term: Sendable, Hashable {
        /// The words.
        public var text: String
        /// Whether the last word may go on.
        public var isPrefix: Bool

        /// Makes a term.
        public init(text: String, isPrefix: Bool = false) {
            self.text = text
            self.isPrefix = isPrefix
        }
    }

    /// Reads what a person wrote.
    public init(_ text: String, fields: [String]? = nil) {
        self.fields = fields
        var reader = TermReader(text: text)
        var joinsLast = false
        while let part = reader.next() {
            switch part {
            case .or: joinsLast = !clauses.isEmpty
            case .term(let term, let isExcluded):
                if isExcluded {
                    excluded.append(term)
                } else if joinsLast {
                    clauses[clauses.count - 1].append(term)
                } else {
                    clauses.append([term])
                }
                joinsLast = false
            }
        }
    }

    /// Whether it asks for nothing, so that it finds nothing.
    public var isEmpty: Bool { clauses.isEmpty }
}

/// Divides a search text into terms.
private struct TermReader {
    enum Part {
        case term(TextSearch.Term, isExcluded: Bool)
        case or
    }

    private var rest: Substring

    init(text: String) { rest = text[...] }

    /// The next part; nil at the end. Signs without a letter or digit are no term.
    mutating func next() -> Part? {
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard !rest.isEmpty else { return nil }
            let isExcluded = rest.first == "-"
            if isExcluded { rest.removeFirst() }
            let isPhrase = rest.first.map(Self.isQuote) ?? false
            let text = isPhrase ? phrase() : word()
            if !isPhrase, !isExcluded, text == "OR" { return .or }
            var isPrefix = text.last == "*"
            if isPhrase, rest.first == "*" {
                isPrefix = true
                rest.removeFirst()
            }
            let words = String(text.map { $0 == "*" || $0 == "\0" ? " " : $0 })
            guard words.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
            return .term(TextSearch.Term(text: words, isPrefix: isPrefix), isExcluded: isExcluded)
        }
    }

    private mutating func word() -> Substring {
        let word = rest.prefix { !$0.isWhitespace && !Self.isQuote($0) }
        rest = rest[word.endIndex...]
        return word
    }

    /// The text up to the closing quotation mark, or to the end.
    private mutating func phrase() -> Substring {
        let text = rest.dropFirst().prefix { !Self.isQuote($0) }
        rest = rest[text.endIndex...].dropFirst()
        return text
    }

    private static func isQuote(_ character: Character) -> Bool { "\"“”„«»".contains(character) }
}
