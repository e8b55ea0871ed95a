import SyncCore
import SyncSQLite

/// Full-text search.
extension StoreSession {
    func search(entity: EntityDescriptor, search: StoreSearch) throws -> [StoreHit] {
        let table = try self.entity(descriptor: entity).table
        let index = try SearchIndex(table: table)
        return try withStoreErrors {
            guard let match = try index.match(search.text), search.limit > 0 else { return [] }
            let found = try best(search, match: match, table: table, index: index)
            return try found.compactMap { row, score in
                guard let record = try record(row: row, table: table) else { return nil }
                let excerpts = try excerpts(row: row, search: search, match: match, index: index)
                return StoreHit(record: record, score: score, excerpts: excerpts)
            }
        }
    }

    /// The rows of the best hits, and how well each fits.
    private func best(
        _ search: StoreSearch,
        match: String,
        table: EntityTable,
        index: SearchIndex
    ) throws -> [(row: Int64, score: Double)] {
        var parameters = QueryParameters()
        let name = index.name
        var terms = [
            "\(name) MATCH \(parameters.add(.text(match)))",
            "\(name).rank MATCH \(parameters.add(.text(try index.ranking(weights: search.weights))))",
        ]
        let filters = FilterSQL(table: table, alias: table.name, lookup: lookup)
        for condition in search.query.conditions {
            terms.append(try filters.test(condition, parameters: &parameters))
        }
        for filter in search.query.filters {
            terms.append(try filters.expression(filter, parameters: &parameters))
        }
        // Ranks all hits, then reads those rows only that conditions ask about.
        let join =
            terms.count > 2
            ? " CROSS JOIN \(table.name) ON \(table.name).sync_id = \(name).rowid" : ""
        let (limit, offset) = (
            parameters.add(.integer(Int64(search.limit))),
            parameters.add(.integer(Int64(max(0, search.offset))))
        )
        let statement = try query(
            sql:
                "SELECT \(name).rowid, \(name).rank FROM \(name)\(join) WHERE \(terms.joined(separator: " AND ")) "
                + "ORDER BY \(name).rank LIMIT \(limit) OFFSET \(offset)"
        )
        for (place, value) in parameters.values.enumerated() { try statement.bind(value, at: place + 1) }
        var found: [(Int64, Double)] = []
        // FTS5 ranks the best lowest.
        try statement.forEachRow { found.append(($0.int64(at: 0), -$0.double(at: 1))) }
        return found
    }

    private func record(row: Int64, table: EntityTable) throws -> LocalRecord? {
        let statement = try query(sql: "\(table.sql.selectRecord) WHERE sync_id = ?1")
        try statement.bind(row, at: 1)
        let rows = RowQuery(table: table, statement: statement)
        var record: LocalRecord?
        try statement.forEachRow { _ in record = try rows.record() }
        return record
    }

    private func excerpts(row: Int64, search: StoreSearch, match: String, index: SearchIndex) throws
        -> [String: SearchExcerpt]
    {
        guard search.excerptWords > 0 else { return [:] }
        let words = min(search.excerptWords, 64)
        let columns = index.columns.map {
            "snippet(\(index.name), \($0.number), ?3, ?4, '…', \(words))"
        }
        let statement = try query(
            sql:
                "SELECT \(columns.joined(separator: ", ")) FROM \(index.name) WHERE \(index.name) MATCH ?1 AND rowid = ?2"
        )
        try statement.bind(match, at: 1)
        try statement.bind(row, at: 2)
        try statement.bind(String(SearchExcerpt.opening), at: 3)
        try statement.bind(String(SearchExcerpt.closing), at: 4)
        var excerpts: [String: SearchExcerpt] = [:]
        try statement.forEachRow { row in
            for (field, number) in index.columns where !row.isNull(at: number) {
                excerpts[field] = SearchExcerpt(marked: row.string(at: number))
            }
        }
        return excerpts
    }
}

extension SearchExcerpt {
    /// Marks around a match. Unicode leaves these characters to programs.
    static let opening: Unicode.Scalar = "\u{10fffc}"
    static let closing: Unicode.Scalar = "\u{10fffd}"

    /// Reads a text with marks.
    init(marked text: String) {
        var pieces: [Piece] = []
        var piece = ""
        func end(isMatch: Bool) {
            if !piece.isEmpty { pieces.append(Piece(text: piece, isMatch: isMatch)) }
            piece = ""
        }
        // Marks are found among scalars: a combining character would hide one in a `Character`.
        var isMatch = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case Self.opening:
                end(isMatch: isMatch)
                isMatch = true
            case Self.closing:
                end(isMatch: isMatch)
                isMatch = false
            default: piece.unicodeScalars.append(scalar)
            }
        }
        end(isMatch: isMatch)
        self.init(pieces: pieces)
    }
}
