import SyncCore

/// The order of a query, as SQLite sorts.
struct QueryOrder {
    /// Positions of fields; nil for the key, which is the last.
    private var terms: [(field: Int?, isDescending: Bool, ranks: [String]?)] = []
    private let decimals: Set<Int>

    init(query: StoreQuery, table: EntityTable) {
        decimals = Set(
            table.descriptor.fields.indices.filter { table.isDecimal(table.descriptor.fields[$0].name) }
        )
        for sort in query.sort {
            guard let field = table.descriptor.layout.position(of: sort.field) else { continue }
            if field == table.keyField {
                terms.append((nil, sort.isDescending, nil))
                return
            }
            let ranks = sort.isRanked ? table.descriptor.fields[field].type.ranks : nil
            terms.append((field, sort.isDescending, ranks))
        }
        terms.append((nil, query.sort.last?.isDescending ?? false, nil))
    }

    func isBefore(lhs: (record: Record, key: RecordKey), rhs: (record: Record, key: RecordKey))
        -> Bool
    {
        for term in terms {
            let (isLess, isMore): (Bool, Bool)
            if let field = term.field {
                let left = lhs.record.values[field]?.place(in: term.ranks)
                let right = rhs.record.values[field]?.place(in: term.ranks)
                if decimals.contains(field), case .text(let left)? = left, case .text(let right)? = right {
                    isLess = DecimalText.isLess(left: left, right: right)
                    isMore = DecimalText.isLess(left: right, right: left)
                } else {
                    isLess = isStoredBefore(lhs: left, rhs: right)
                    isMore = isStoredBefore(lhs: right, rhs: left)
                }
            } else {
                (isLess, isMore) = (lhs.key < rhs.key, rhs.key < lhs.key)
            }
            if isLess || isMore { return isLess != term.isDescending }
        }
        return false
    }

    /// Whether SQLite sorts one value of a column before another: NULL first, then by number or by bytes.
    private func isStoredBefore(lhs: FieldValue?, rhs: FieldValue?) -> Bool {
        switch (lhs, rhs) {
        case (nil, let rhs), (.null, let rhs): rhs != nil && rhs != .null
        case (.boolean(let lhs), .boolean(let rhs)): !lhs && rhs
        case (.integer(let lhs), .integer(let rhs)): lhs < rhs
        case (.number(let lhs), .number(let rhs)): lhs < rhs
        case (.timestamp(let lhs), .timestamp(let rhs)): lhs < rhs
        case (.text(let lhs), .text(let rhs)), (.json(let lhs), .json(let rhs)):
            lhs.precedesByBytes(other: rhs)
        case (.bytes(let lhs), .bytes(let rhs)): lhs.lexicographicallyPrecedes(rhs)
        default: false
        }
    }
}
