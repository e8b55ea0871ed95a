/// Which records of an entity are asked for, and in which order: what a typed query comes to.
///
/// A store answers by index or not at all: see `SyncError.noIndex`.
public struct StoreQuery: Sendable, Hashable {
    /// What holds of every record; all of them.
    public var conditions: [Condition]
    /// The order. Records that are alike in it follow by key, in the direction of the last term.
    public var sort: [Sort]
    /// The most records; nil for all.
    public var limit: Int?
    /// Where the page before ended; nil to begin at the beginning.
    public var after: Position?
    /// Whether tombstones are answered, too. Records that hide behind another never are.
    public var includesDeleted: Bool

    /// Asks for all live records in the order of their keys, unless told otherwise.
    public init(
        conditions: [Condition] = [],
        sort: [Sort] = [],
        limit: Int? = nil,
        after: Position? = nil,
        includesDeleted: Bool = false
    ) {
        self.conditions = conditions
        self.sort = sort
        self.limit = limit
        self.after = after
        self.includesDeleted = includesDeleted
    }

    /// What the value of one field has to be.
    public struct Condition: Sendable, Hashable {
        /// The field's name.
        public var field: String
        /// What its value has to be.
        public var test: Test

        /// Makes a condition.
        public init(field: String, test: Test) {
            self.field = field
            self.test = test
        }
    }

    /// What a value has to be. Text is compared as UTF-8 bytes.
    public enum Test: Sendable, Hashable {
        /// Equal to a value; `.null` is met by null and by absent.
        case equals(FieldValue)
        /// Equal to one of some values, in the same sense.
        case oneOf([FieldValue])
        /// Between two bounds, of which one may be open. Neither null nor absent lies in any range.
        case range(lower: Bound?, upper: Bound?)
    }

    /// One end of a range.
    public struct Bound: Sendable, Hashable {
        /// The value at the end.
        public var value: FieldValue
        /// Whether the value itself belongs to the range.
        public var isIncluded: Bool

        /// Makes a bound.
        public init(value: FieldValue, isIncluded: Bool) {
            self.value = value
            self.isIncluded = isIncluded
        }
    }

    /// One term of an order. Null and absent come before every value.
    public struct Sort: Sendable, Hashable {
        /// The field's name.
        public var field: String
        /// Whether greater values come first.
        public var isDescending: Bool

        /// Makes a term.
        public init(field: String, isDescending: Bool = false) {
            self.field = field
            self.isDescending = isDescending
        }
    }

    /// Where a page ended: the last record's value for each sort term, and its key.
    public struct Position: Sendable, Hashable {
        /// One value per sort term; `.null` for null and absent.
        public var values: [FieldValue]
        /// The record's key.
        public var key: RecordKey

        /// Makes a position.
        public init(values: [FieldValue], key: RecordKey) {
            self.values = values
            self.key = key
        }
    }
}

extension SyncError {
    /// A query names a field that no index serves. A store does not walk all records instead.
    public static func noIndex(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A query of \(entity) uses the field '\(field)', which has no index.",
            help: "Add [\"\(field)\"] to 'indexes' in the schema of \(entity)."
        )
    }

    /// A query names a field that stands in an index, but never first.
    public static func noLeadingIndex(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "A query of \(entity) uses the field '\(field)', which no index that fits the query begins with.",
            help:
                "Add [\"\(field)\"] to 'indexes' in the schema of \(entity), or ask for the index's first field, too."
        )
    }

    /// A query names a field that the entity does not have.
    public static func unknownField(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A query of \(entity) uses the field '\(field)', which the schema does not have.",
            help: "Correct the name."
        )
    }
}
