import EntitySync

/// A part of a query expression, and where it begins.
struct QueryToken: Equatable {
    enum Kind: Equatable {
        /// A field, an operator's name or a constant: `title`, `and`, `null`.
        case word(String)
        /// A text between quotation marks, without them.
        case text(String)
        /// A number as it was written.
        case number(String)
        /// An operator or bracket.
        case sign(String)
    }

    var kind: Kind
    /// The number of characters before it, plus one.
    var column: Int

    /// Divides an expression into tokens. Throws `usage` with the column of what it cannot read.
    static func all(of text: String) throws -> [QueryToken] {
        let characters = Array(text)
        var tokens: [QueryToken] = []
        var place = 0
        while place < characters.count {
            let start = place
            let character = characters[place]
            func end(where predicate: (Character) -> Bool) -> String {
                while place < characters.count, predicate(characters[place]) { place += 1 }
                return String(characters[start..<place])
            }
            let kind: Kind
            if character.isWhitespace {
                place += 1
                continue
            } else if character == "\"" || character == "'" {
                kind = .text(try quoted(characters, place: &place))
            } else if character.isNumber || character == "-" {
                place += 1
                kind = .number(end { $0.isNumber || ".eE+-".contains($0) })
            } else if character.isLetter || "_$".contains(character) {
                kind = .word(end { $0.isLetter || $0.isNumber || "_$-".contains($0) })
            } else if let sign = signs.first(where: { characters[place...].starts(with: $0) }) {
                place += sign.count
                kind = .sign(sign)
            } else {
                throw SyncError.badExpression(column: start + 1, expected: "a field, an operator or a value")
            }
            tokens.append(QueryToken(kind: kind, column: start + 1))
        }
        return tokens
    }

    /// A quotation mark inside of a text is written twice, as in SQL.
    private static func quoted(_ characters: [Character], place: inout Int) throws -> String {
        let (mark, start) = (characters[place], place)
        var text = ""
        place += 1
        while place < characters.count {
            if characters[place] == mark {
                place += 1
                guard place < characters.count, characters[place] == mark else { return text }
            }
            text.append(characters[place])
            place += 1
        }
        throw SyncError.badExpression(column: start + 1, expected: "a closing \(mark)")
    }

    /// Longer ones first.
    private static let signs = [
        "==", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "!", "(", ")", "[", "]", ",", ".",
    ]
}

extension SyncError {
    /// A query expression that cannot be read.
    static func badExpression(column: Int, expected: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The query cannot be read at character \(column): \(expected) is expected there.",
            help:
                "Write it as in: year >= 2000 and (title beginswith 'A' or tags has 'new'). See 'synccheck query --help'."
        )
    }
}
