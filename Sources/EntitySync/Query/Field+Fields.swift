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

/// Values of one type in both fields, which either may lack. What is missing is less than nothing and greater than nothing.
extension Field where Value: ComparableFieldValue {
    /// Whether both fields have the same value, or neither has one.
    public static func == <Other: ComparableFieldValue>(left: Self, right: Field<Entity, Other>)
        -> FieldCondition<Entity>
    where Other.Compared == Value.Compared { left.compared(by: .equals, to: right.schemaName) }

    /// Whether the fields differ.
    public static func != <Other: ComparableFieldValue>(left: Self, right: Field<Entity, Other>)
        -> FieldCondition<Entity>
    where Other.Compared == Value.Compared { !left.compared(by: .equals, to: right.schemaName) }

    /// Whether both fields have a value, and the first is less than the second.
    public static func < <Other: ComparableFieldValue>(left: Self, right: Field<Entity, Other>)
        -> FieldCondition<Entity>
    where Other.Compared == Value.Compared { left.compared(by: .isLess, to: right.schemaName) }

    /// Whether both fields have a value, and the first is less than or equal to the second.
    public static func <= <Other: ComparableFieldValue>(left: Self, right: Field<Entity, Other>)
        -> FieldCondition<Entity>
    where Other.Compared == Value.Compared { left.compared(by: .isLessOrEqual, to: right.schemaName) }

    /// Whether both fields have a value, and the first is greater than the second.
    public static func > <Other: ComparableFieldValue>(left: Self, right: Field<Entity, Other>)
        -> FieldCondition<Entity>
    where Other.Compared == Value.Compared { right.compared(by: .isLess, to: left.schemaName) }

    /// Whether both fields have a value, and the first is greater than or equal to the second.
    public static func >= <Other: ComparableFieldValue>(left: Self, right: Field<Entity, Other>)
        -> FieldCondition<Entity>
    where Other.Compared == Value.Compared { right.compared(by: .isLessOrEqual, to: left.schemaName) }
}
