public import SyncCore

/// Ranges. Null and absent lie in none.
extension Field where Value: OrderedFieldValue & Comparable {
    /// Whether the field's value lies in the range.
    public func isIn(_ range: ClosedRange<Value>) -> FieldCondition<Entity> {
        Self.range(name: schemaName, lower: range.lowerBound, upper: range.upperBound, isUpperIncluded: true)
    }

    /// Whether the field's value lies in the half-open range.
    public func isIn(_ range: Range<Value>) -> FieldCondition<Entity> {
        Self.range(name: schemaName, lower: range.lowerBound, upper: range.upperBound)
    }

    /// Whether the field's value lies in the range, which has no end.
    public func isIn(_ range: PartialRangeFrom<Value>) -> FieldCondition<Entity> {
        Self.range(name: schemaName, lower: range.lowerBound)
    }

    /// Whether the field's value lies in the range, which has no beginning.
    public func isIn(_ range: PartialRangeThrough<Value>) -> FieldCondition<Entity> {
        Self.range(name: schemaName, upper: range.upperBound, isUpperIncluded: true)
    }

    /// Whether the field's value lies in the range, which has no beginning and lacks its end.
    public func isIn(_ range: PartialRangeUpTo<Value>) -> FieldCondition<Entity> {
        Self.range(name: schemaName, upper: range.upperBound)
    }
}

/// Ranges of fields that may be null or absent.
extension Field {
    /// Whether the field has a value, and it lies in the range.
    public func isIn<Wrapped: OrderedFieldValue & Comparable>(_ range: ClosedRange<Wrapped>)
        -> FieldCondition<Entity>
    where Value == Wrapped? {
        Self.range(name: schemaName, lower: range.lowerBound, upper: range.upperBound, isUpperIncluded: true)
    }

    /// Whether the field has a value, and it lies in the half-open range.
    public func isIn<Wrapped: OrderedFieldValue & Comparable>(_ range: Range<Wrapped>) -> FieldCondition<
        Entity
    >
    where Value == Wrapped? { Self.range(name: schemaName, lower: range.lowerBound, upper: range.upperBound) }

    /// Whether the field has a value, and it lies in the range, which has no end.
    public func isIn<Wrapped: OrderedFieldValue & Comparable>(_ range: PartialRangeFrom<Wrapped>)
        -> FieldCondition<Entity>
    where Value == Wrapped? { Self.range(name: schemaName, lower: range.lowerBound) }

    /// Whether the field has a value, and it lies in the range, which has no beginning.
    public func isIn<Wrapped: OrderedFieldValue & Comparable>(_ range: PartialRangeThrough<Wrapped>)
        -> FieldCondition<Entity>
    where Value == Wrapped? { Self.range(name: schemaName, upper: range.upperBound, isUpperIncluded: true) }

    /// Whether the field has a value, and it lies in the range, which has no beginning and lacks its end.
    public func isIn<Wrapped: OrderedFieldValue & Comparable>(_ range: PartialRangeUpTo<Wrapped>)
        -> FieldCondition<Entity>
    where Value == Wrapped? { Self.range(name: schemaName, upper: range.upperBound) }
}
