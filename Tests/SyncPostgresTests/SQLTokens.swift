/// SQL as a list of tokens, by the rules of PostgreSQL's lexer.
struct SQLTokens {
    /// All tokens, with every quoted name as `I` and every literal as `L`. Bodies of functions are read, too; comments
    /// are left out.
    private(set) var structure: [String] = []
    private var rest: Substring

    struct Unfinished: Error {
        var what: String
    }

    init(_ text: String) throws {
        rest = Substring(text)
        while let first = rest.unicodeScalars.first { try read(first) }
    }

    private mutating func read(_ first: Unicode.Scalar) throws {
        switch first {
        case "'":
            try skipQuoted("'", what: "literal")
            structure.append("L")
        case "\"":
            try skipQuoted("\"", what: "name")
            structure.append("I")
        case "-" where rest.hasPrefix("--"):
            let scalars = rest.unicodeScalars
            let end = scalars.firstIndex { $0 == "\n" || $0 == "\r" } ?? scalars.endIndex
            rest = rest[end...]
        case "$": try readBody()
        case _ where first.properties.isWhitespace: rest.unicodeScalars.removeFirst()
        case _ where first.properties.isAlphabetic || first == "_" || ("0"..."9").contains(first):
            let word = rest.unicodeScalars.prefix {
                $0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0)
            }
            structure.append(String(word))
            rest = rest[word.endIndex...]
        default:
            structure.append(String(first))
            rest.unicodeScalars.removeFirst()
        }
    }

    private mutating func skipQuoted(_ quote: Unicode.Scalar, what: String) throws {
        rest.unicodeScalars.removeFirst()
        while let next = rest.unicodeScalars.popFirst() {
            guard next == quote else { continue }
            guard rest.unicodeScalars.first == quote else { return }
            rest.unicodeScalars.removeFirst()
        }
        throw Unfinished(what: what)
    }

    private mutating func readBody() throws {
        let scalars = rest.unicodeScalars.dropFirst()
        let name = scalars.prefix { $0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0) }
        guard name.endIndex < scalars.endIndex, scalars[name.endIndex] == "$" else {
            structure.append("$")
            rest.unicodeScalars.removeFirst()
            return
        }
        let tag = "$\(String(name))$"
        rest = rest.dropFirst(tag.count)
        guard let end = rest.firstRange(of: tag) else { throw Unfinished(what: "body") }
        structure += ["B("] + (try SQLTokens(String(rest[..<end.lowerBound])).structure) + [")"]
        rest = rest[end.upperBound...]
    }
}
