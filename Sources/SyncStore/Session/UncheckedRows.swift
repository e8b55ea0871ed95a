/// The text form of the first unchecked row of each entity.
enum UncheckedRows {
    /// `bookmark 17 project 3`, entities in order; nil for none.
    static func text(rows: [String: Int64]) -> String? {
        guard !rows.isEmpty else { return nil }
        return rows.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\($0.key) \($0.value)" }.joined(separator: " ")
    }

    /// Reads the text; nil for anything else.
    static func read(text: String) -> [String: Int64]? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count.isMultiple(of: 2) else { return nil }
        var rows: [String: Int64] = [:]
        for index in stride(from: 0, to: words.count, by: 2) {
            guard let row = Int64(words[index + 1]) else { return nil }
            rows[String(words[index])] = row
        }
        return rows
    }
}
