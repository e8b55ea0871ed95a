public import SyncCore

/// What the compiler says where a condition or an order asks for what the field's values do not have.
extension Field {
    @available(
        *,
        unavailable,
        message: "The values have no order. Use ==, isOne(of:), or contains of a list."
    )
    public static func < (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    @available(
        *,
        unavailable,
        message: "The values have no order. Use ==, isOne(of:), or contains of a list."
    )
    public static func <= (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    @available(
        *,
        unavailable,
        message: "The values have no order. Use ==, isOne(of:), or contains of a list."
    )
    public static func > (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    @available(
        *,
        unavailable,
        message: "The values have no order. Use ==, isOne(of:), or contains of a list."
    )
    public static func >= (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    private var unordered: FieldCondition<Entity> { FieldCondition(field: schemaName, test: .isPresent) }
}

extension SyncQuery {
    @available(
        *,
        unavailable,
        message: "The values have no order. Sort by a number, text, date or enumeration."
    )
    public func sort<Value>(by field: Field<Entity, Value>, order: Order = .ascending) -> Self { self }
}
