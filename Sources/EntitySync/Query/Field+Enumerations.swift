public import SyncCore

/// Enumerations in the order in which the schema lists their values. A value that this version of the schema does not
/// know comes neither before nor after another. An index of the field serves them.
extension Field where Value: OpenEnum {
    /// Whether the field's value comes before this one.
    public static func < (field: Self, value: Value) -> FieldCondition<Entity> {
        field.isOne(of: value.cases(where: <))
    }

    /// Whether the field's value comes before, or is, this one.
    public static func <= (field: Self, value: Value) -> FieldCondition<Entity> {
        field.isOne(of: value.cases(where: <=))
    }

    /// Whether the field's value comes after this one.
    public static func > (field: Self, value: Value) -> FieldCondition<Entity> {
        field.isOne(of: value.cases(where: >))
    }

    /// Whether the field's value comes after, or is, this one.
    public static func >= (field: Self, value: Value) -> FieldCondition<Entity> {
        field.isOne(of: value.cases(where: >=))
    }
}

/// The same for a field that may lack a value, and then meets none of them.
extension Field {
    /// Whether the field has a value, and it comes before this one.
    public static func < <Wrapped: OpenEnum>(field: Self, value: Wrapped) -> FieldCondition<Entity>
    where Value == Wrapped? { field.isOne(of: value.cases(where: <).map(Optional.some)) }

    /// Whether the field has a value, and it comes before, or is, this one.
    public static func <= <Wrapped: OpenEnum>(field: Self, value: Wrapped) -> FieldCondition<Entity>
    where Value == Wrapped? { field.isOne(of: value.cases(where: <=).map(Optional.some)) }

    /// Whether the field has a value, and it comes after this one.
    public static func > <Wrapped: OpenEnum>(field: Self, value: Wrapped) -> FieldCondition<Entity>
    where Value == Wrapped? { field.isOne(of: value.cases(where: >).map(Optional.some)) }

    /// Whether the field has a value, and it comes after, or is, this one.
    public static func >= <Wrapped: OpenEnum>(field: Self, value: Wrapped) -> FieldCondition<Entity>
    where Value == Wrapped? { field.isOne(of: value.cases(where: >=).map(Optional.some)) }
}

extension OpenEnum {
    /// The values of the schema whose places compare with this one's.
    fileprivate func cases(where compares: (Int, Int) -> Bool) -> [Self] {
        guard let place = Self.allCases.firstIndex(of: self) else { return [] }
        return Self.allCases.enumerated().filter { compares($0.offset, place) }.map(\.element)
    }
}
