import SyncModel

/// Quoting for SQL: whatever a schema says becomes a name, a literal or a comment, never SQL.
enum SQLText {
    /// An identifier in quotation marks. PostgreSQL keeps 63 bytes of it.
    static func name(_ text: String) -> String {
        #""\#(doubled(text, quote: "\""))""#
    }

    /// A name that is made of several parts, in quotation marks. One that PostgreSQL would cut is made unique by a
    /// fingerprint of the whole name.
    static func name(parts: String...) -> String { name(short(parts.joined(separator: "_"))) }

    /// A table or function of a schema.
    static func name(schema: String, _ text: String) -> String { "\(schema).\(name(text))" }

    /// A string literal. A backslash means itself (`standard_conforming_strings` has been on since 9.1).
    static func literal(_ text: String) -> String { "'\(doubled(text, quote: "'"))'" }

    /// An array of texts.
    static func array(_ texts: [String]) -> String {
        texts.isEmpty ? "'{}'::text[]" : "array[\(texts.map { literal($0) }.joined(separator: ", "))]"
    }

    /// A function's body in dollar quotes, with a tag that the body does not hold.
    static func body(_ text: String) -> String {
        var tag = "$$"
        var number = 0
        while text.contains(tag) {
            number += 1
            tag = "$body\(number)$"
        }
        return "\(tag)\n\(text)\n\(tag)"
    }

    /// Lines moved to the right by a number of spaces.
    static func indented(_ text: String, by spaces: Int) -> String {
        let margin = String(repeating: " ", count: spaces)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    }

    /// A name as PostgreSQL keeps it; one that is too long ends in a fingerprint.
    static func short(_ text: String) -> String {
        guard text.utf8.count > 63 else { return text }
        var kept = Substring(text)
        while kept.utf8.count > 46 { kept.removeLast() }
        return "\(kept)_\(Digest(Array(text.utf8)).description.prefix(16))"
    }

    private static func doubled(_ text: String, quote: Character) -> String {
        var result = ""
        for character in text.unicodeScalars where character != "\0" {
            result.unicodeScalars.append(character)
            if Character(character) == quote { result.unicodeScalars.append(character) }
        }
        return result
    }
}
