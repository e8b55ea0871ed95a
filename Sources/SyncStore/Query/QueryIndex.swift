import SyncCore
import SyncSQLite

/// An index that could serve a query, and how well.
struct QueryIndex {
    /// The index's name in SQLite.
    let name: String
    /// Its fields, in order.
    let fields: [String]

    /// The index that serves a query's conditions best; nil if none does.
    ///
    /// One index must begin with a field of a condition or, without conditions, with the first field of the order. So
    /// no query reads more records than match one of its conditions, or than its limit; what is sorted without the
    /// index is no more.
    static func best(for query: StoreQuery, in table: EntityTable) -> QueryIndex? {
        let indexes = all(of: table)
        let ranked = indexes.map { (index: $0, rank: $0.rank(query: query, in: table)) }.filter {
            $0.rank > 0
        }
        // Of equally good ones the first is taken, so that a query always runs the same way.
        if let best = ranked.max(by: { $0.rank < $1.rank })?.rank,
            let choice = ranked.first(where: { $0.rank == best })
        {
            return choice.index
        }
        return query.conditions.isEmpty && query.sort.isEmpty ? indexes[0] : nil
    }

    /// The error for a field of the conditions or of the order that is in no index; nil if there is none.
    static func missingField(of query: StoreQuery, in table: EntityTable) -> SyncError? {
        let name = table.descriptor.name
        if query.conditions.isEmpty, let sort = query.sort.first, !sort.hasIndexOrder(in: table) {
            return SyncError.noOrderIndex(entity: name, field: sort.field)
        }
        let indexed = Set(all(of: table).flatMap(\.fields))
        for field in query.conditions.map(\.field) + query.sort.map(\.field) where !indexed.contains(field) {
            return SyncError.noIndex(entity: name, field: field)
        }
        return nil
    }

    /// The index of keys.
    static func key(of table: EntityTable) -> QueryIndex {
        QueryIndex(
            name: TableDDL(descriptor: table.descriptor).indexPrefix + "key",
            fields: table.keyField.map { [table.descriptor.fields[$0].name] } ?? []
        )
    }

    /// An index that begins with some fields; nil if there is none.
    static func of(_ fields: [String], in table: EntityTable) -> QueryIndex? {
        all(of: table).first { $0.fields.starts(with: fields) }
    }

    /// The key's index first, then those of the schema. The order of decimals is not that of their text, so that an
    /// index finds only equal ones.
    private static func all(of table: EntityTable) -> [QueryIndex] {
        let prefix = TableDDL(descriptor: table.descriptor).indexPrefix
        return [key(of: table)]
            + table.shape.indexes.filter { !table.shape.isElementIndex($0) }.map {
                QueryIndex(name: prefix + "by:" + $0.joined(separator: ","), fields: $0)
            }
    }

    /// How well the index serves a query: fields that it seeks, then a range, then the order; 0 for not at all.
    private func rank(query: StoreQuery, in table: EntityTable) -> Int {
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
                hasRange = !tests.isEmpty && !table.isDecimal(field)
                break
            }
        }
        let fixed = fields.prefix(sought)
        let sort = query.sort.filter { !fixed.contains($0.field) }
        let isSorted =
            isOrderKept && sort.first?.field == fields.dropFirst(sought).first
            && sort.allSatisfy { $0.hasIndexOrder(in: table) }
        guard query.conditions.isEmpty || sought > 0 || hasRange else { return 0 }
        return sought * 4 + (hasRange ? 2 : 0) + (isSorted && !sort.isEmpty ? 1 : 0)
    }
}

extension StoreQuery.Sort {
    /// Whether an index can have the order.
    fileprivate func hasIndexOrder(in table: EntityTable) -> Bool { ranks == nil && !table.isDecimal(field) }
}

extension StoreQuery.Test {
    fileprivate var isEquality: Bool { if case .equals = self { true } else { false } }
    fileprivate var isList: Bool { if case .oneOf = self { true } else { false } }
}

extension EntityTable {
    /// Whether the values of a field are decimals.
    func isDecimal(_ field: String) -> Bool {
        guard let position = descriptor.layout.position(of: field) else { return false }
        return if case .decimal = descriptor.fields[position].type { true } else { false }
    }
}
