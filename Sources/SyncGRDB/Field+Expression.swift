#if GRDB
    import Foundation
    public import GRDB
    public import SyncCore

    extension Field {
        /// The field's column in the view, for orders, aggregates and joins: `Bookmark.Fields.createdAt.column.desc`.
        public var column: Column { Column(schemaName) }
    }

    /// Conditions of GRDB's requests: `Bookmark.filter { $0.createdAt >= monday }`.
    ///
    /// The value has the form that the view shows. Beside a plain `Column`, GRDB would bind a date, a UUID or a
    /// decimal in a form of its own, which equals nothing.
    extension Field where Value: SQLConvertible {
        /// Whether the field equals the value. Nil matches null and absent.
        @_disfavoredOverload
        public static func == (field: Self, value: Value) -> SQLExpression {
            field.column == value.sqlValue.databaseValue
        }

        /// Whether the field differs from the value. Nil matches what has a value.
        @_disfavoredOverload
        public static func != (field: Self, value: Value) -> SQLExpression {
            field.column != value.sqlValue.databaseValue
        }

        /// Whether the field's value is less.
        @_disfavoredOverload
        public static func < (field: Self, value: Value) -> SQLExpression {
            field.ordered < ordered(value: value)
        }

        /// Whether the field's value is less or equal.
        @_disfavoredOverload
        public static func <= (field: Self, value: Value) -> SQLExpression {
            field.ordered <= ordered(value: value)
        }

        /// Whether the field's value is greater.
        @_disfavoredOverload
        public static func > (field: Self, value: Value) -> SQLExpression {
            field.ordered > ordered(value: value)
        }

        /// Whether the field's value is greater or equal.
        @_disfavoredOverload
        public static func >= (field: Self, value: Value) -> SQLExpression {
            field.ordered >= ordered(value: value)
        }
    }

    /// What is compared. A decimal is text in the view, which has another order than the number.
    extension Field where Value: SQLConvertible {
        private static var isDecimal: Bool { Value.self is Decimal.Type || Value.self is Decimal?.Type }

        private var ordered: SQLExpression { Self.isDecimal ? cast(column, as: .real) : column.sqlExpression }

        private static func ordered(value: Value) -> SQLExpression {
            let found = value.sqlValue.databaseValue
            return isDecimal ? cast(found, as: .real) : found.sqlExpression
        }
    }

    /// Conditions on enums, by the value that the view shows.
    extension Field where Value: OpenEnum, Value.RawValue: SQLConvertible {
        /// Whether the field equals the value.
        @_disfavoredOverload
        public static func == (field: Self, value: Value) -> SQLExpression {
            field.column == value.rawValue.sqlValue.databaseValue
        }

        /// Whether the field differs from the value.
        @_disfavoredOverload
        public static func != (field: Self, value: Value) -> SQLExpression {
            field.column != value.rawValue.sqlValue.databaseValue
        }
    }

    /// Conditions on enums that may be null or absent. Nil matches both.
    extension Field {
        /// Whether the field equals the value.
        @_disfavoredOverload
        public static func == <Wrapped: OpenEnum>(field: Self, value: Wrapped?) -> SQLExpression
        where Value == Wrapped?, Wrapped.RawValue: SQLConvertible {
            field.column == value?.rawValue.sqlValue.databaseValue
        }

        /// Whether the field differs from the value.
        @_disfavoredOverload
        public static func != <Wrapped: OpenEnum>(field: Self, value: Wrapped?) -> SQLExpression
        where Value == Wrapped?, Wrapped.RawValue: SQLConvertible {
            field.column != value?.rawValue.sqlValue.databaseValue
        }
    }
#endif
