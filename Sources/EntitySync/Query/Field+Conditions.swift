public import SyncCore

/// Equality.
extension Field {
    /// Whether the field equals the value. Nil matches null and absent.
    public static func == (field: Self, value: Value) -> FieldCondition<Entity> {
        FieldCondition(field: field.schemaName, test: .equals(value))
    }

    /// Whether the field equals one of the values. An empty list matches nothing.
    public func isOne(of values: some Sequence<Value>) -> FieldCondition<Entity> {
        FieldCondition(field: schemaName, test: .oneOf(values.map { $0 }))
    }
}

/// Order. Null and absent match no comparison.
extension Field where Value: ComparableFieldValue {
    /// Whether the field has a value, and it is less.
    public static func < (field: Self, value: Value.Compared) -> FieldCondition<Entity> {
        range(name: field.schemaName, upper: value)
    }

    /// Whether the field has a value, and it is less or equal.
    public static func <= (field: Self, value: Value.Compared) -> FieldCondition<Entity> {
        range(name: field.schemaName, upper: value, isUpperIncluded: true)
    }

    /// Whether the field has a value, and it is greater.
    public static func > (field: Self, value: Value.Compared) -> FieldCondition<Entity> {
        range(name: field.schemaName, lower: value, isLowerIncluded: false)
    }

    /// Whether the field has a value, and it is greater or equal.
    public static func >= (field: Self, value: Value.Compared) -> FieldCondition<Entity> {
        range(name: field.schemaName, lower: value)
    }
}

extension Field {
    /// Whether the field has a value: neither null nor absent.
    public var hasValue: FieldCondition<Entity> { FieldCondition(field: schemaName, test: .isPresent) }
}

extension Field {
    static func range(
        name: String,
        lower: (any OrderedFieldValue)? = nil,
        isLowerIncluded: Bool = true,
        upper: (any OrderedFieldValue)? = nil,
        isUpperIncluded: Bool = false
    ) -> FieldCondition<Entity> {
        FieldCondition(
            field: name,
            test: .range(
                lower: lower.map { .init(value: $0, isIncluded: isLowerIncluded) },
                upper: upper.map { .init(value: $0, isIncluded: isUpperIncluded) }
            )
        )
    }
}
