/// An untyped query: which records of an entity, and in which order.
///
/// A store answers by an index or not at all: see `SyncError.noIndex`.
public struct StoreQuery: Sendable, Hashable {
    /// Conditions that all records meet. Empty for all records.
    public var conditions: [Condition]
    /// Further conditions that all records meet, which are tested on what an index finds.
    public var filters: [Filter]
    /// The order. Ties are broken by key, in the direction of the last term.
    public var sort: [Sort]
    /// The most records; nil for all.
    public var limit: Int?
    /// Where the previous page ended; nil to begin at the start.
    public var after: Position?
    /// Whether `limit` counts from the end of the order, and `after` means before. The result is in order.
    public var isBackward: Bool
    /// Whether the store may walk all records if no index serves the query.
    public var allowsScan: Bool
    /// Whether tombstones are included. Records that were merged into another are never included.
    public var includesDeleted: Bool

    /// Makes a query: by default all live records in key order.
    public init(
        conditions: [Condition] = [],
        filters: [Filter] = [],
        sort: [Sort] = [],
        limit: Int? = nil,
        after: Position? = nil,
        isBackward: Bool = false,
        allowsScan: Bool = false,
        includesDeleted: Bool = false
    ) {
        self.conditions = conditions
        self.filters = filters
        self.sort = sort
        self.limit = limit
        self.after = after
        self.isBackward = isBackward
        self.allowsScan = allowsScan
        self.includesDeleted = includesDeleted
    }

    /// A condition on one field.
    public struct Condition: Sendable, Hashable {
        /// The field's name.
        public var field: String
        /// The test of its value.
        public var test: Test

        /// Makes a condition.
        public init(field: String, test: Test) {
            self.field = field
            self.test = test
        }
    }

    /// A test of a value. Text is compared as UTF-8 bytes.
    public enum Test: Sendable, Hashable {
        /// Equal to a value. `.null` matches null and absent.
        case equals(FieldValue)
        /// Equal to one of some values, in the same sense.
        case oneOf([FieldValue])
        /// Between two bounds, one of which may be open. Null and absent are in no range.
        case range(lower: Bound?, upper: Bound?)
        /// Text that holds another one, but for the differences to be ignored.
        case contains(String, ignoring: TextFolding)
        /// A list with at least one of some elements.
        case hasAnyElement([FieldValue])
        /// A list with all of some elements.
        case hasAllElements([FieldValue])
        /// Compared with another field of the record, whose values are of the same type. Null and absent meet only `equals`,
        /// and only each other.
        case compares(Comparison, field: String)
    }

    /// How one field compares with another.
    public enum Comparison: String, Sendable, Hashable {
        case equals, isLess, isLessOrEqual
    }

    /// One end of a range.
    public struct Bound: Sendable, Hashable {
        /// The value at the end.
        public var value: FieldValue
        /// Whether the range includes the value.
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
        /// Values in their order, if it is not that of the field's type; all others come after them. No index serves that.
        public var ranks: [FieldValue]?

        /// Makes a term.
        public init(field: String, isDescending: Bool = false, ranks: [FieldValue]? = nil) {
            self.field = field
            self.isDescending = isDescending
            self.ranks = ranks
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
            help: "Add [\"\(field)\"] to 'indexes' in the schema of \(entity).",
            commandLineHelp:
                "Add [\"\(field)\"] to 'indexes' in the schema of \(entity), or '--scan' where records are few."
        )
    }

    /// A query names a field that is in an index, but never its first field.
    public static func noLeadingIndex(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "A query of \(entity) uses the field '\(field)', which no index that fits the query begins with.",
            help:
                "Add [\"\(field)\"] to 'indexes' in the schema of \(entity), or ask for the index's first field, too.",
            commandLineHelp:
                "Add [\"\(field)\"] to 'indexes' in the schema of \(entity), or '--scan' where records are few."
        )
    }

    /// A condition follows a field that does not refer to the entity.
    package static func noReference(entity: String, field: String, target: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A query follows the field '\(field)' of \(entity), which does not refer to \(target).",
            help: "Name the entity in 'references' in the schema of \(entity)."
        )
    }

    /// A query names a member of an object where only a field of the record can be.
    package static func memberOfObject(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A query of \(entity) sorts or computes by '\(field)', which is a member of an object.",
            help: "Conditions may test members; sort by a field of the record itself, or in the app."
        )
    }

    /// No index has the order that a query asks for.
    package static func noOrderIndex(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "A query of \(entity) is sorted by '\(field)', whose order no index has.",
            help: "Add a condition on an indexed field, or say '.allowingScan()' where records are few.",
            commandLineHelp: "Add a condition on an indexed field, or '--scan' where records are few."
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
