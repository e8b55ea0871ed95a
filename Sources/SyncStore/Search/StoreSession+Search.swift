import SyncCore
import SyncSQLite

/// Full-text search.
extension StoreSession {
    func search(entity: EntityDescriptor, search: StoreSearch) throws -> [StoreHit] {
        let table = try self.entity(descriptor: entity).table
        let index = try SearchIndex(table: table)
        return try withStoreErrors {
            guard let match = try index.match(search.text), search.limit > 0 else { return [] }
            let sql = try SearchSQL(search: search, match: match, table: table, index: index, lookup: lookup)
            let statement = try query(sql: sql.text)
            try sql.bind(to: statement)
            var hits: [StoreHit] = []
            try statement.forEachRow { row in
                guard let record = try record(row: row.int64(at: 0), table: table) else { return }
                var excerpts: [String: SearchExcerpt] = [:]
                if search.excerptWords > 0 {
                    for (field, number) in index.columns where !row.isNull(at: number + 2) {
                        excerpts[field] = SearchExcerpt(marked: row.string(at: number + 2))
                    }
                }
                // FTS5 ranks the best lowest.
                hits.append(StoreHit(record: record, score: -row.double(at: 1), excerpts: excerpts))
            }
            return hits
        }
    }

    private func record(row: Int64, table: EntityTable) throws -> LocalRecord? {
        let statement = try query(sql: "\(table.sql.selectRecord) WHERE sync_id = ?1")
        try statement.bind(row, at: 1)
        let rows = RowQuery(table: table, statement: statement)
        var record: LocalRecord?
        try statement.forEachRow { _ in record = try rows.record() }
        return record
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
