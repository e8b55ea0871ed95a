/// What people call a record. The pages of a store and the sheet of a conflict both ask here.
extension EntityDescriptor {
    /// The positions of the text fields that may name a record, the best first: one that is called a title, a name or the
    /// like; one whose name ends so (`surahName`); a short text that every record has; any other short text. Keys,
    /// references and other identifiers, codes, and what stays on one device name nothing.
    package var titleFields: [Int] {
        let references = references.flatMap(\.fields)
        let ranks: [(position: Int, rank: Int)] = fields.enumerated().compactMap { position, field in
            guard !field.isLocalOnly, !key.contains(field.name), !references.contains(field.name) else {
                return nil
            }
            return field.titleRank.map { (position, $0) }
        }
        return ranks.sorted { ($0.rank, $0.position) < ($1.rank, $1.position) }.map(\.position)
    }

    /// The text of the first title field that has one; nil if none has, so that only the key names the record. It has no
    /// bound, and is as its author wrote it, without white space around it.
    package func title(of record: Record) -> String? {
        titleFields.lazy.compactMap { position -> String? in
            guard case .text(let text)? = record.values[position] else { return nil }
            let scalars = text.unicodeScalars
            guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
                let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
            else { return nil }
            return String(scalars[start...end])
        }.first
    }
}

extension FieldDescriptor {
    /// Words that say what a record is called, the best first.
    private static let titleWords = ["title", "name", "label", "subject", "headline", "heading"]

    /// How well the field names a record, 0 the best; nil if it does not.
    fileprivate var titleRank: Int? {
        guard case .string(_, let maxLength, _, _) = type else { return nil }
        let words = Words.split(name: name).map { $0.lowercased() }
        let last = words.last ?? ""
        let rank = Self.titleWords.firstIndex(of: last)
        if let rank { return words.count == 1 ? rank : Self.titleWords.count }
        // A text of few characters is a code, such as that of a currency; one of very many is no name.
        guard last != "id", 40...1000 ~= maxLength ?? 1000 else { return nil }
        return Self.titleWords.count + (isRequired && !isNullable ? 1 : 2)
    }

    /// The field's name for people: its own name in words.
    package var label: String { title ?? Words.sentence(name: name) }
}
