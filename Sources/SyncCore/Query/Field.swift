public import Foundation

/// A field of an entity, as queries name it: `Bookmark.Fields.createdAt`.
///
/// Generated code declares one for each field. Its value type is that of the model's property, without the
/// optional if the store always has a value.
public struct Field<Entity: SyncEntity, Value: FieldConvertible>: Sendable {
    /// The field's name in the schema, or the path to a member of a nested object: `address.city`.
    public let schemaName: String

    /// Names a field. Made by generated code, which guarantees that name and type are right.
    public init(_ schemaName: String) {
        self.schemaName = schemaName
    }

    /// A member of the field's object. Used by generated code, as above.
    public func member<Member>(name: String) -> Field<Entity, Member> {
        Field<Entity, Member>("\(schemaName).\(name)")
    }
}

/// A field type that can be compared: one with an order, or an optional one.
public protocol ComparableFieldValue: FieldConvertible {
    /// The type of the values, null apart.
    associatedtype Compared: OrderedFieldValue
}

/// A field type whose values have the same order as its column.
public protocol OrderedFieldValue: ComparableFieldValue where Compared == Self {}

extension Optional: ComparableFieldValue where Wrapped: OrderedFieldValue {
    /// The type of the values that are there.
    public typealias Compared = Wrapped
}

extension Int: OrderedFieldValue {}
extension Double: OrderedFieldValue {}
extension Bool: OrderedFieldValue {}
/// Ordered by UTF-8 bytes.
extension String: OrderedFieldValue {}
extension CalendarDate: OrderedFieldValue {}
extension Date: OrderedFieldValue {}
/// Ordered by value. No index serves the order.
extension Decimal: OrderedFieldValue {}
/// Ordered by the lower-case text.
extension UUID: OrderedFieldValue {}

/// A field type that is text, or null: `String` and `URL`.
public protocol TextFieldValue: FieldConvertible {}
extension String: TextFieldValue {}
extension URL: TextFieldValue {}
extension Optional: TextFieldValue where Wrapped: TextFieldValue {}
