/// A full-text search among the records of one entity, best hits first.
public struct StoreSearch: Sendable, Hashable {
    /// What is searched for.
    public var text: TextSearch
    /// Conditions that the records must meet, too. Its order, position and limit make no difference.
    public var query: StoreQuery
    /// The most hits.
    public var limit: Int
    /// How many of the best hits are left out, as on earlier pages.
    public var offset: Int
    /// How much more a word counts in some fields than the usual 1; at most `highestWeight`, to nine digits after the
    /// point.
    public var weights: [String: Double]
    /// How many words the excerpts have, at most 64; 0 for none.
    public var excerptWords: Int

    /// The greatest weight of a field.
    public static let highestWeight = 1_000_000_000.0

    /// Makes a search.
    public init(
        text: TextSearch,
        query: StoreQuery = StoreQuery(),
        limit: Int = 20,
        offset: Int = 0,
        weights: [String: Double] = [:],
        excerptWords: Int = 24
    ) {
        self.text = text
        self.query = query
        self.limit = limit
        self.offset = offset
        self.weights = weights
        self.excerptWords = excerptWords
    }
}

/// A record that a search found.
public struct StoreHit: Sendable {
    /// The record.
    public var record: LocalRecord
    /// How well it fits: greater is better. Scores of one search compare with each other only.
    public var score: Double
    /// The part of each searched field with the most of the words that were found; without fields that have no value.
    public var excerpts: [String: SearchExcerpt]

    /// Makes a hit.
    public init(record: LocalRecord, score: Double, excerpts: [String: SearchExcerpt]) {
        self.record = record
        self.score = score
        self.excerpts = excerpts
    }
}

/// A part of a text, in which the words that were found are marked.
public struct SearchExcerpt: Sendable, Hashable {
    /// The text in pieces, in order.
    public var pieces: [Piece]

    /// A piece of the text.
    public struct Piece: Sendable, Hashable {
        /// The piece as it stands in the field, or `…` for what is left out.
        public var text: String
        /// Whether it was searched for.
        public var isMatch: Bool

        /// Makes a piece.
        public init(text: String, isMatch: Bool) {
            self.text = text
            self.isMatch = isMatch
        }
    }

    /// Makes an excerpt.
    public init(pieces: [Piece]) { self.pieces = pieces }

    /// The text without marks.
    public var text: String { pieces.map(\.text).joined() }
    /// Whether anything in it was searched for.
    public var hasMatch: Bool { pieces.contains(where: \.isMatch) }

    /// The text with something before and after each match. The text itself is not escaped.
    public func marked(before: String, after: String) -> String {
        pieces.map { $0.isMatch ? before + $0.text + after : $0.text }.joined()
    }
}

extension SyncError {
    /// A search asks for an entity that has no full-text index.
    public static func noSearch(entity: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The schema of \(entity) asks for no search.",
            help: "Name the fields to search in the schema, such as \"search\": [\"title\"]."
        )
    }

    /// A search gives a field a weight that is no number or too large.
    public static func weightOutOfRange(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A search of \(entity) gives '\(field)' a weight that is too large or no number.",
            help: "Give it a weight of at most a billion."
        )
    }

    /// A search names a field that is not in the full-text index.
    public static func notSearched(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A search of \(entity) names the field '\(field)', which is not searched.",
            help: "Add it to \"search\" in the schema of \(entity)."
        )
    }
}
