/// A field of an entity, as queries name it: `Bookmark.Fields.createdAt`.
///
/// Generated code declares one for each field. Its value type is that of the model's property, without the
/// optional if the store always has a value.
public struct Field<Entity: SyncEntity, Value: FieldConvertible>: Sendable {
    /// The field's name in the schema.
    public let name: String

    /// Names a field. Made by generated code, which guarantees that name and type are right.
    public init(_ name: String) {
        self.name = name
    }
}

/// A field type whose values have the same order as its column.
public protocol OrderedFieldValue: FieldConvertible {}

extension Int: OrderedFieldValue {}
extension Double: OrderedFieldValue {}
extension Bool: OrderedFieldValue {}
/// Ordered by UTF-8 bytes.
extension String: OrderedFieldValue {}
extension CalendarDate: OrderedFieldValue {}

/// A condition on the records of a query: `Bookmark.Fields.surahNumber == 2`.
public struct FieldCondition<Entity: SyncEntity>: Sendable {
    let field: String
    let test: Test

    enum Test: Sendable {
        case equals(any FieldConvertible)
        case isPresent
        case oneOf([any FieldConvertible])
        case range(lower: Bound?, upper: Bound?)
    }

    struct Bound: Sendable {
        var value: any FieldConvertible
        var isIncluded: Bool
    }

    init(field: String, test: Test) {
        self.field = field
        self.test = test
    }

    /// The condition with its values as stored in their columns. Throws `FieldError` for a value that cannot
    /// be stored.
    public func condition() throws -> StoreQuery.Condition {
        guard let descriptor = Entity.fields.first(where: { $0.name == field }) else {
            throw SyncError.unknownField(entity: Entity.adapter.descriptor.name, field: field)
        }
        let type = descriptor.type
        func column(value: any FieldConvertible) throws -> FieldValue {
            try FieldError.path(outer: field) { try value.fieldValue(as: type) }
        }
        func column(bound: Bound) throws -> StoreQuery.Bound {
            StoreQuery.Bound(value: try column(value: bound.value), isIncluded: bound.isIncluded)
        }
        let test: StoreQuery.Test =
            switch test {
            case .equals(let value): .equals(try column(value: value))
            case .isPresent: .range(lower: nil, upper: nil)
            case .oneOf(let values): .oneOf(try values.map(column))
            case .range(let lower, let upper):
                .range(lower: try lower.map(column), upper: try upper.map(column))
            }
        return StoreQuery.Condition(field: field, test: try Self.withDefault(test: test, field: descriptor))
    }

    /// A missing field shows its default in a model, so a query for the default also matches records without
    /// the field.
    private static func withDefault(
        test: StoreQuery.Test,
        field: FieldDescriptor
    ) throws -> StoreQuery.Test {
        guard !field.isRequired, !field.isNullable, let json = field.defaultJSON else { return test }
        let shown = try FieldJSON.elements(of: "[\(json)]", element: field.type).first
        return switch test {
        case .equals(let value) where value == shown: .oneOf([value, .null])
        case .oneOf(let values) where values.contains { $0 == shown }: .oneOf(values + [.null])
        default: test
        }
    }
}
