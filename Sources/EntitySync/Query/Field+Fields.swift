public import SyncCore

/// A field against another one of the same record. No index serves these: they are tested on what another condition
/// finds. Null and absent meet only `==`, and only each other.
///
/// Both fields have the same type in the schema; the query throws otherwise.
extension Field {
    /// Whether both fields have the same value.
    public static func == (left: Self, right: Self) -> FieldCondition<Entity> {
        left.compared(by: .equals, to: right.schemaName)
    }

    /// Whether the fields differ.
    public static func != (left: Self, right: Self) -> FieldCondition<Entity> { !(left == right) }

    fileprivate func compared(by comparison: StoreQuery.Comparison, to field: String) -> FieldCondition<
        Entity
    > {
        FieldCondition(field: schemaName, test: .compares(comparison, field: field))
    }
}

extension Field where Value: OrderedFieldValue {
    /// Whether the field's value is less than the other's.
    public static func < (left: Self, right: Self) -> FieldCondition<Entity> {
        left.compared(by: .isLess, to: right.schemaName)
    }

    /// Whether the field's value is less than or equal to the other's.
    public static func <= (left: Self, right: Self) -> FieldCondition<Entity> {
        left.compared(by: .isLessOrEqual, to: right.schemaName)
    }

    /// Whether the field's value is greater than the other's.
    public static func > (left: Self, right: Self) -> FieldCondition<Entity> {
        right.compared(by: .isLess, to: left.schemaName)
    }

    /// Whether the field's value is greater than or equal to the other's.
    public static func >= (left: Self, right: Self) -> FieldCondition<Entity> {
        right.compared(by: .isLessOrEqual, to: left.schemaName)
    }
}

/// A field that may lack a value against one of the same kind.
extension Field {
    /// Whether both fields have a value, and the first is less than the second.
    public static func < <Wrapped: OrderedFieldValue>(left: Self, right: Self) -> FieldCondition<Entity>
    where Value == Wrapped? { left.compared(by: .isLess, to: right.schemaName) }

    /// Whether both fields have a value, and the first is less than or equal to the second.
    public static func <= <Wrapped: OrderedFieldValue>(left: Self, right: Self) -> FieldCondition<Entity>
    where Value == Wrapped? { left.compared(by: .isLessOrEqual, to: right.schemaName) }

    /// Whether both fields have a value, and the first is greater than the second.
    public static func > <Wrapped: OrderedFieldValue>(left: Self, right: Self) -> FieldCondition<Entity>
    where Value == Wrapped? { right.compared(by: .isLess, to: left.schemaName) }

    /// Whether both fields have a value, and the first is greater than or equal to the second.
    public static func >= <Wrapped: OrderedFieldValue>(left: Self, right: Self) -> FieldCondition<Entity>
    where Value == Wrapped? { right.compared(by: .isLessOrEqual, to: left.schemaName) }
}
