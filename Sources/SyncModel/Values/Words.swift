/// Splits names into words and joins them in another style. Works on ASCII only, as schema names are.
package enum Words {
    /// The words of a name: `htmlURLPath` is html, URL, Path; `userIDs` is user, IDs; `user_id` is user, id.
    /// Digits belong to the preceding word.
    package static func split(name: String) -> [String] {
        let bytes = Array(name.utf8)
        var words: [String] = []
        var start = 0
        func close(_ end: Int) {
            if end > start { words.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
        }
        for index in bytes.indices {
            if !isLetterOrDigit(bytes[index]) {
                close(index)
                start = index + 1
            } else if index > start, isBoundary(bytes: bytes, at: index) {
                close(index)
                start = index
            }
        }
        close(bytes.count)
        return words
    }

    /// A name as people write it: `surahNumber` becomes `Surah number`, `IN_PROGRESS` becomes `In progress`, and an
    /// abbreviation such as the one in `feedURL` stays as it is. A text that is no such name is unchanged.
    package static func sentence(name: String) -> String {
        let isName = name.utf8.allSatisfy {
            isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        let words = split(name: name)
        guard isName, !words.isEmpty else { return name }
        let hasLower = name.utf8.contains(where: isLower)
        func isAbbreviation(_ word: String) -> Bool {
            hasLower && word.utf8.count > 1 && word.utf8.prefix(2).allSatisfy(isUpper)
        }
        return upperFirst(
            word: words.map { isAbbreviation($0) ? $0 : $0.lowercased() }.joined(separator: " ")
        )
    }

    /// `surahNumber` becomes `surah_number`.
    package static func snakeCase(name: String) -> String {
        split(name: name).map { $0.lowercased() }.joined(separator: "_")
    }

    /// `surah_number` becomes `surahNumber`. A name without underscores is unchanged.
    package static func camelCase(name: String) -> String {
        let parts = name.split(separator: "_").map(String.init)
        guard let first = parts.first, parts.count > 1 else { return name }
        return lowerFirst(first) + parts.dropFirst().map(upperFirst).joined()
    }

    /// `team_member` and `team-member` become `TeamMember`. Letters within words are unchanged.
    package static func upperCamelCase(name: String) -> String {
        name.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map { upperFirst(word: String($0)) }
            .joined()
    }

    /// `IN_PROGRESS`, `in-progress` and `inProgress` become `inProgress`.
    package static func lowerCamelCase(_ text: String) -> String {
        let words = split(name: text).map { $0.lowercased() }
        return (words.first ?? "") + words.dropFirst().map(upperFirst).joined()
    }

    /// The singular of an English field name: `splits` becomes `split`, `categories` becomes `category`.
    package static func singular(name: String) -> String {
        let irregular = ["people": "person", "children": "child", "statuses": "status", "indices": "index"]
        for (many, lhs) in irregular where name.lowercased().hasSuffix(many) {
            let head = name.dropLast(many.count)
            let isUpper = name.dropFirst(head.count).first?.isUppercase ?? false
            return head + (isUpper ? upperFirst(word: lhs) : lhs)
        }
        let lower = name.lowercased()
        if ["ss", "us", "is", "series", "news"].contains(where: lower.hasSuffix) { return name }
        if lower.hasSuffix("ies"), name.utf8.count > 4 { return name.dropLast(3) + "y" }
        if ["sses", "xes", "ches", "shes", "zzes"].contains(where: lower.hasSuffix) {
            return String(name.dropLast(2))
        }
        return lower.hasSuffix("s") ? String(name.dropLast()) : name
    }

    package static func upperFirst(word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    private static func lowerFirst(_ word: String) -> String {
        word.prefix(1).lowercased() + word.dropFirst()
    }

    /// Whether a word starts at an index: before a capital after a lowercase letter or digit, and before the
    /// last capital of a run if a lowercase letter other than a plural s follows.
    private static func isBoundary(bytes: [UInt8], at index: Int) -> Bool {
        guard isUpper(bytes[index]) else { return false }
        guard isUpper(bytes[index - 1]) else { return true }
        guard index + 1 < bytes.count, isLower(bytes[index + 1]) else { return false }
        let isPlural =
            bytes[index + 1] == UInt8(ascii: "s") && (index + 2 == bytes.count || !isLower(bytes[index + 2]))
        return !isPlural
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isUpper(byte) || isLower(byte) || (0x30...0x39).contains(byte)
    }
}
