public import SyncCore

/// A full-text search among the records of an entity whose schema names fields in `search`. A value: each step returns a
/// new search.
///
/// ```swift
/// let search = SyncSearch<Bookmark>("mercy*")
///     .weight(of: Bookmark.Fields.notes, 10)
///     .filter(Bookmark.Fields.surahNumber == 2)
///     .limit(20)
/// let hits = try await space.collection(Bookmark.self).search(search)
/// ```
///
/// Words are found in any letter case, with or without accents and Arabic vowel signs. See ``TextSearch`` for what people
/// can write.
public struct SyncSearch<Entity: SyncEntity>: Sendable {
    private var text: String
    private var fields: [String]?
    private var weights: [String: Double] = [:]
    private var query = SyncQuery<Entity>()
    private var limit = 20
    private var offset = 0
    private var excerptWords = 24

    /// Searches for what a person wrote: 20 hits, with excerpts of 24 words.
    public init(_ text: String) { self.text = text }

    /// Searches some fields alone.
    public func fields<each Value: FieldConvertible>(_ fields: repeat Field<Entity, each Value>) -> Self {
        var search = self
        var names: [String] = []
        repeat names.append((each fields).schemaName)
        search.fields = names
        return search
    }

    /// Counts words in a field more or less than the usual 1.
    public func weight<Value: FieldConvertible>(of field: Field<Entity, Value>, _ weight: Double) -> Self {
        var search = self
        search.weights[field.schemaName] = weight
        return search
    }

    /// Adds conditions. A record must meet all of them. They need no index: only what the search finds is tested.
    public func filter(_ conditions: FieldCondition<Entity>...) -> Self {
        var search = self
        for condition in conditions { search.query = search.query.filter(condition) }
        return search
    }

    /// Limits the number of hits.
    public func limit(_ count: Int) -> Self {
        var search = self
        search.limit = count
        return search
    }

    /// Leaves out the best hits, which earlier pages showed.
    public func offset(_ count: Int) -> Self {
        var search = self
        search.offset = count
        return search
    }

    /// How many words the excerpts of texts have, at most 64; 0 for no excerpts.
    public func excerpts(words: Int) -> Self {
        var search = self
        search.excerptWords = words
        return search
    }

    /// The search in the store's form. Throws `SyncError` for a value that cannot be in its field.
    package func storeSearch() throws -> StoreSearch {
        StoreSearch(
            text: TextSearch(text, fields: fields),
            query: try query.storeQuery(),
            limit: limit,
            offset: offset,
            weights: weights,
            excerptWords: excerptWords
        )
    }

    /// The entities whose records it reads.
    var entities: Set<String> { query.entities }
}

/// A record that a search found.
public struct SearchHit<Entity: SyncEntity>: Sendable {
    /// The record.
    public let record: Entity
    /// How well it fits: greater is better. Scores of one search compare with each other only.
    public let score: Double
    private let excerpts: [String: SearchExcerpt]

    init(record: Entity, hit: StoreHit) {
        (self.record, score, excerpts) = (record, hit.score, hit.excerpts)
    }

    /// The part of a field's text with the most of the words that were found; nil without a text.
    public func excerpt<Value: FieldConvertible>(of field: Field<Entity, Value>) -> SearchExcerpt? {
        excerpts[field.schemaName]
    }

    /// The excerpt of the first field that has a match, in the order of the schema's `search`; nil without excerpts.
    public var excerpt: SearchExcerpt? {
        let texts = Entity.adapter.descriptor.search.compactMap { excerpts[$0] }
        return texts.first(where: \.hasMatch) ?? texts.first
    }
}

extension SearchHit: Equatable where Entity: Equatable {}
