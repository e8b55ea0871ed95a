import SyncCore

/// The order of a query, as SQLite sorts.
struct QueryOrder {
    /// `field` is a position, nil for the key, which is the last; `missing` what is shown without a value.
    private typealias Term = (field: Int?, sort: StoreQuery.Sort, missing: FieldValue?)
    private var terms: [Term] = []
    private let types: [FieldType]

    init(query: StoreQuery, table: EntityTable) {
        types = table.descriptor.fields.map(\.type)
        for sort in query.sort {
            guard let field = table.descriptor.layout.position(of: sort.field) else { continue }
            if field == table.keyField {
                terms.append((nil, sort, nil))
                return
            }
            // The schema's own default fits.
            terms.append((field, sort, try? table.descriptor.fields[field].shownIfMissing()))
        }
        let isDescending = query.sort.last?.isDescending ?? false
        terms.append((nil, StoreQuery.Sort(field: "", isDescending: isDescending), nil))
    }

    func isBefore(lhs: (record: Record, key: RecordKey), rhs: (record: Record, key: RecordKey))
        -> Bool
    {
        for term in terms {
            let (isLess, isMore): (Bool, Bool)
            if let field = term.field {
                let (left, right) = (value(of: term, in: lhs.record), value(of: term, in: rhs.record))
                isLess = left.precedes(right, as: types[field])
                isMore = right.precedes(left, as: types[field])
            } else {
                (isLess, isMore) = (lhs.key < rhs.key, rhs.key < lhs.key)
            }
            if isLess || isMore { return isLess != term.sort.isDescending }
        }
        return false
    }

    private func value(of term: Term, in record: Record) -> FieldValue {
        let value = term.field.flatMap { record.values[$0] } ?? .null
        return term.sort.compared(value: value, missing: term.missing)
    }
}
