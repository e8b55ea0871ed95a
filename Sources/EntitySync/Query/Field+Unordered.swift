public import SyncCore

/// What the compiler says where a condition or an order asks for what the field's values do not have.
extension Field {
    /// Refuses to ask whether values without an order are less than another.
    @available(*, unavailable, message: "The values have no order. Use ==, isOne(of:) or contains.")
    public static func < (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    /// Refuses to ask whether values without an order are at most another.
    @available(*, unavailable, message: "The values have no order. Use ==, isOne(of:) or contains.")
    public static func <= (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    /// Refuses to ask whether values without an order are greater than another.
    @available(*, unavailable, message: "The values have no order. Use ==, isOne(of:) or contains.")
    public static func > (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    /// Refuses to ask whether values without an order are at least another.
    @available(*, unavailable, message: "The values have no order. Use ==, isOne(of:) or contains.")
    public static func >= (field: Self, value: Value) -> FieldCondition<Entity> { field.unordered }

    private var unordered: FieldCondition<Entity> { FieldCondition(field: schemaName, test: .isPresent) }
}

extension SyncQuery {
    /// Refuses to sort by values without an order.
    @available(*, unavailable, message: "The values have no order. Sort by numbers, texts or dates.")
    public func sort<Value>(by field: Field<Entity, Value>, order: Order = .ascending) -> Self { self }
}
