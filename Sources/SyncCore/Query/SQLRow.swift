/// One row that a statement returned: values by the names of their columns.
public struct SQLRow: Sendable, Hashable {
    /// The columns' names, in the statement's order.
    public let columns: [String]
    /// The values in the same order.
    public let values: [SQLValue]

    /// A row of as many values as columns.
    public init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value of the first column with that name; nil if there is none.
    public subscript(column: String) -> SQLValue? {
        columns.firstIndex { $0.hasSameBytes(as: column) }.flatMap { $0 < values.count ? values[$0] : nil }
    }
}
