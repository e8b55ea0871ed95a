/// What is computed of a field, over all records that match a query. Null and absent are left out.
public struct StoreAggregate: Sendable, Hashable {
    /// The way to compute it.
    public enum Kind: Sendable, Hashable {
        /// How many records have a value.
        case count
        /// The exact sum of integers or decimals, or the sum of doubles. Null if no record has a value.
        case sum
        /// The least or greatest value; null if no record has one.
        case minimum, maximum
    }

    /// The way to compute it.
    public var kind: Kind
    /// The field's name.
    public var field: String

    /// Asks for one.
    public init(kind: Kind, field: String) {
        self.kind = kind
        self.field = field
    }
}

/// The records of a query that have the same value of a field.
public struct StoreGroup: Sendable, Hashable {
    /// The value; null for records without one, and if there is no such field.
    public var value: FieldValue
    /// How many records there are.
    public var count: Int
    /// What was asked for, in that order.
    public var results: [FieldValue]

    /// Makes a group.
    public init(value: FieldValue, count: Int, results: [FieldValue]) {
        self.value = value
        self.count = count
        self.results = results
    }
}

extension SyncError {
    /// A sum has no place in the type of its field.
    public static func sumOutOfRange(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The sum of '\(field)' over these records of \(entity) does not fit the field's type.",
            help: "Sum fewer records at once."
        )
    }
}
