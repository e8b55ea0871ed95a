import SyncCore
import SyncSQLite

/// The SQL of one search: the rows of the best hits, how well each fits, and its excerpts.
///
/// One statement for all of them: FTS5 sorts by rank itself, and excerpts are made of the rows that are returned. To
/// ask again for each hit would read all words of a prefix again, which takes six times as long (benchmark `search`).
struct SearchSQL {
    let text: String
    private var parameters = QueryParameters()

    init(
        search: StoreSearch,
        match: String,
        table: EntityTable,
        index: SearchIndex,
        lookup: @escaping TableLookup
    )
        throws
    {
        let name = index.name
        var columns = ["\(name).rowid", "\(name).rank"]
        if search.excerptWords > 0 {
            let opening = parameters.add(.text(String(SearchExcerpt.opening)))
            let closing = parameters.add(.text(String(SearchExcerpt.closing)))
            let words = min(search.excerptWords, Self.maxExcerptWords)
            columns += index.columns.map {
                "snippet(\(name), \($0.number), \(opening), \(closing), '…', \(words))"
            }
        }
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
        let isFiltered = !search.query.conditions.isEmpty || !search.query.filters.isEmpty
        // In this order: hits by rank, and of each the row that conditions ask about.
        let join = isFiltered ? " CROSS JOIN \(table.name) ON \(table.name).sync_id = \(name).rowid" : ""
        let limit = parameters.add(.integer(Int64(search.limit)))
        let offset = parameters.add(.integer(Int64(max(0, search.offset))))
        text =
            "SELECT \(columns.joined(separator: ", ")) FROM \(name)\(join) "
            + "WHERE \(terms.joined(separator: " AND ")) ORDER BY \(name).rank LIMIT \(limit) OFFSET \(offset)"
    }

    /// FTS5's own limit.
    private static let maxExcerptWords = 64

    /// Binds the values.
    func bind(to statement: Statement) throws { try parameters.bind(to: statement) }
}
