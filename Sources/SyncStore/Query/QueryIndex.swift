import SyncCore

/// An index that could serve a query, and how well.
struct QueryIndex {
    /// The index's name in SQLite.
    let name: String
    /// Its fields, in order.
    let fields: [String]

    /// The index that serves a query best.
    ///
    /// Every field of a condition or of the order must be in some index. One index must begin with a field of a
    /// condition or, without conditions, with the first field of the order. So no query reads more records than match
    /// one of its conditions, or than its limit; what is sorted without the index is no more.
    ///
    /// - Throws: `SyncError.noIndex` or `noLeadingIndex`, with the first field without an index.
    static func choose(for query: StoreQuery, in table: EntityTable) throws -> QueryIndex {
        let indexes = all(of: table)
        let indexed = Set(indexes.flatMap(\.fields))
        for field in query.conditions.map(\.field) + query.sort.map(\.field) where !indexed.contains(field) {
            _ = try table.column(field: field)
            throw SyncError.noIndex(entity: table.descriptor.name, field: field)
        }
        let ranked = indexes.map { (index: $0, rank: $0.rank(query: query)) }.filter { $0.rank > 0 }
        // Of equally good ones the first is taken, so that a query always runs the same way.
        if let best = ranked.max(by: { $0.rank < $1.rank })?.rank,
            let choice = ranked.first(where: { $0.rank == best })
        {
            return choice.index
        }
        guard let field = query.conditions.first?.field ?? query.sort.first?.field else { return indexes[0] }
        throw SyncError.noLeadingIndex(entity: table.descriptor.name, field: field)
    }

    /// The index of keys.
    static func key(of table: EntityTable) -> QueryIndex {
        QueryIndex(
            name: TableDDL(descriptor: table.descriptor).indexPrefix + "key",
            fields: table.keyField.map { [table.descriptor.fields[$0].name] } ?? []
        )
    }

    /// The key's index first, then those of the schema.
    private static func all(of table: EntityTable) -> [QueryIndex] {
        let prefix = TableDDL(descriptor: table.descriptor).indexPrefix
        return [key(of: table)]
            + table.shape.indexes.map {
                QueryIndex(name: prefix + "by:" + $0.joined(separator: ","), fields: $0)
            }
    }

    /// How well the index serves a query: fields that it seeks, then a range, then the order; 0 for not at all.
    private func rank(query: StoreQuery) -> Int {
        var sought = 0
        var isOrderKept = true
        var hasRange = false
        for field in fields {
            let tests = query.conditions.filter { $0.field == field }.map(\.test)
            if tests.contains(where: \.isEquality) {
                sought += 1
            } else if tests.contains(where: \.isList) {
                sought += 1
                isOrderKept = false
            } else {
                hasRange = !tests.isEmpty
                break
            }
        }
        let fixed = fields.prefix(sought)
        let sort = query.sort.map(\.field).filter { !fixed.contains($0) }
        let isSorted = isOrderKept && sort.first == fields.dropFirst(sought).first
        guard query.conditions.isEmpty || sought > 0 || hasRange else { return 0 }
        return sought * 4 + (hasRange ? 2 : 0) + (isSorted && !sort.isEmpty ? 1 : 0)
    }
}

extension StoreQuery.Test {
    fileprivate var isEquality: Bool { if case .equals = self { true } else { false } }
    fileprivate var isList: Bool { if case .oneOf = self { true } else { false } }
}
