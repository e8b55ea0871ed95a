import Foundation

/// A function or initialiser in the source code.
struct Declaration {
    let file: String
    let line: Int
    let name: String
    /// The external labels of its parameters; `_` for none.
    let labels: [String]

    /// How many of its parameters have no label.
    var unlabelled: Int { labels.count { $0 == "_" } }

    /// All declarations in a file.
    static func all(in file: Repository.File) throws -> [Declaration] {
        let text = file.lines.joined(separator: "\n")
        let pattern = #"\b(?:func\s+(`?\w+`?|[=<>+\-*/!&|^~%]+)|(init)[?!]?)\s*(?:<[^(]*>)?\("#
        let expression = try NSRegularExpression(pattern: pattern)
        let whole = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: whole).compactMap { match in
            guard let range = Range(match.range, in: text), isDeclared(at: range.lowerBound, in: text),
                let list = parameters(in: text, from: text.index(before: range.upperBound))
            else { return nil }
            let name = Range(match.range(at: 1), in: text).map { String(text[$0]) } ?? "init"
            let line = text[..<range.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
            return Declaration(file: file.path, line: line, name: name, labels: list.map(label))
        }
    }

    /// Whether a match is a declaration, and not a call, a comment or a string.
    private static func isDeclared(at index: String.Index, in text: String) -> Bool {
        let start = text[..<index].lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        let before = text[start..<index]
        return !before.contains("//") && !before.contains("\"") && before.last != "."
    }

    /// The texts of the parameters after an opening parenthesis; nil if the list does not end.
    private static func parameters(in text: String, from start: String.Index) -> [String]? {
        var depth = 0
        var angles = 0
        // Starts with the character before a parameter: the parenthesis, or the comma.
        var current = ""
        var list: [String] = []
        var last: Character = " "
        for character in text[start...] {
            switch character {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return (list + [String(current.dropFirst())]).filter { !$0.isBlank } }
            case "<": angles += 1
            case ">" where last != "-": angles = max(0, angles - 1)
            case "," where depth == 1 && angles == 0:
                list.append(String(current.dropFirst()))
                current = ""
            default: break
            }
            current.append(character)
            last = character
        }
        return nil
    }

    /// The external label of a parameter.
    private static func label(of parameter: String) -> String {
        let words = parameter.split { $0 == " " || $0 == "\n" }.drop { $0.hasPrefix("@") }
        return words.first.map { String($0.prefix { $0 != ":" }) } ?? ""
    }
}

extension String {
    /// Whether the text holds nothing but white space.
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
