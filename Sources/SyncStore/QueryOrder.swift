import SyncCore

/// The order of a query, as SQLite has it.
struct QueryOrder {
    /// Positions of fields; nil for the key, which is the last.
    private var terms: [(field: Int?, isDescending: Bool)] = []

    init(_ query: StoreQuery, _ table: EntityTable) {
        for sort in query.sort {
            guard let field = table.descriptor.layout.position(of: sort.field) else { continue }
            if field == table.keyField {
                terms.append((nil, sort.isDescending))
                return
            }
            terms.append((field, sort.isDescending))
        }
        terms.append((nil, query.sort.last?.isDescending ?? false))
    }

    func isBefore(_ one: (record: Record, key: RecordKey), _ two: (record: Record, key: RecordKey)) -> Bool {
        for term in terms {
            let (isLess, isMore): (Bool, Bool)
            if let field = term.field {
                let (left, right) = (one.record.values[field], two.record.values[field])
                (isLess, isMore) = (isStoredBefore(left, right), isStoredBefore(right, left))
            } else {
                (isLess, isMore) = (one.key < two.key, two.key < one.key)
            }
            if isLess || isMore { return isLess != term.isDescending }
        }
        return false
    }

    /// Whether SQLite has one value of a column before another: NULL first, then by number or by bytes.
    private func isStoredBefore(_ one: FieldValue?, _ two: FieldValue?) -> Bool {
        switch (one, two) {
        case (nil, let two), (.null, let two): two != nil && two != .null
        case (.boolean(let one), .boolean(let two)): !one && two
        case (.integer(let one), .integer(let two)): one < two
        case (.number(let one), .number(let two)): one < two
        case (.timestamp(let one), .timestamp(let two)): one < two
        case (.text(let one), .text(let two)), (.json(let one), .json(let two)): one.precedesByBytes(two)
        case (.bytes(let one), .bytes(let two)): one.lexicographicallyPrecedes(two)
        default: false
        }
    }
}
