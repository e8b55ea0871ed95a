public import Foundation
public import SyncCore

/// A field type that can be summed.
public protocol SummableFieldValue: OrderedFieldValue {
    /// What the mean of such values is: a double, or a decimal.
    associatedtype Mean: Sendable
    /// The mean of some values with this sum.
    static func mean(of sum: Self, count: Int) -> Mean
}

extension Int: SummableFieldValue {
    /// The sum by the count.
    public static func mean(of sum: Int, count: Int) -> Double { Double(sum) / Double(count) }
}

extension Double: SummableFieldValue {
    /// The sum by the count.
    public static func mean(of sum: Double, count: Int) -> Double { sum / Double(count) }
}

extension Decimal: SummableFieldValue {
    /// The sum by the count, to 38 digits.
    public static func mean(of sum: Decimal, count: Int) -> Decimal { sum / Decimal(count) }
}

/// Records with the same value of a field, and something computed of them.
public struct SyncGroup<Value: Sendable, Result: Sendable>: Sendable {
    /// The value; nil for records without one.
    public let value: Value?
    /// How many records there are.
    public let count: Int
    /// What was computed of them.
    public let result: Result
}

extension SyncGroup: Equatable where Value: Equatable, Result: Equatable {}

/// Counts, sums and extremes over the records of a query. Its order and limit make no difference. Like a query, they
/// throw if no index serves it.
extension SyncCollection {
    /// The number of records that match a query.
    public func count(_ query: SyncQuery<Entity>) throws -> Int {
        try groups(query, by: nil, computing: []).first?.count ?? 0
    }

    /// The sum of a field's values, exact for integers and decimals; zero if no record has one.
    public func sum<Value: ComparableFieldValue>(
        of field: Field<Entity, Value>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> Value.Compared where Value.Compared: SummableFieldValue & AdditiveArithmetic {
        try value(.sum, of: field.schemaName, in: query) ?? .zero
    }

    /// The mean of a field's values; nil if no record has one.
    public func average<Value: ComparableFieldValue>(
        of field: Field<Entity, Value>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> Value.Compared.Mean? where Value.Compared: SummableFieldValue {
        try mean(of: field.schemaName, in: query, as: Value.Compared.self)
    }

    /// The least value of a field; nil if no record has one.
    public func minimum<Value: ComparableFieldValue>(
        of field: Field<Entity, Value>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> Value.Compared? { try value(.minimum, of: field.schemaName, in: query) }

    /// The greatest value of a field; nil if no record has one.
    public func maximum<Value: ComparableFieldValue>(
        of field: Field<Entity, Value>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> Value.Compared? { try value(.maximum, of: field.schemaName, in: query) }

    /// How many records have each value of a field, in the order of the values: `counts(by: Save.Fields.folderId)` counts
    /// the children of each folder.
    public func counts<Value: FieldConvertible>(
        by field: Field<Entity, Value>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> [SyncGroup<Value, Int>] {
        let type = try type(of: field.schemaName)
        return try groups(query, by: field.schemaName, computing: []).map {
            SyncGroup(value: try read($0.value, as: type), count: $0.count, result: $0.count)
        }
    }

    /// The same for a field that may lack a value; these records come first.
    public func counts<Value: FieldConvertible>(
        by field: Field<Entity, Value?>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> [SyncGroup<Value, Int>] { try counts(by: Field<Entity, Value>(field.schemaName), in: query) }

    /// The sum of a field over the records with each value of another field, in the order of those values.
    public func sums<Value: FieldConvertible, Summed: SummableFieldValue & AdditiveArithmetic>(
        of summed: Field<Entity, Summed>,
        by field: Field<Entity, Value>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> [SyncGroup<Value, Summed>] {
        let (type, summedType) = (try type(of: field.schemaName), try type(of: summed.schemaName))
        let sum = StoreAggregate(kind: .sum, field: summed.schemaName)
        return try groups(query, by: field.schemaName, computing: [sum]).map {
            SyncGroup(
                value: try read($0.value, as: type),
                count: $0.count,
                result: try read($0.results[0], as: summedType) ?? .zero
            )
        }
    }

    /// The same by a field that may lack a value; these records come first.
    public func sums<Value: FieldConvertible, Summed: SummableFieldValue & AdditiveArithmetic>(
        of summed: Field<Entity, Summed>,
        by field: Field<Entity, Value?>,
        in query: SyncQuery<Entity> = SyncQuery()
    ) throws -> [SyncGroup<Value, Summed>] {
        try sums(of: summed, by: Field<Entity, Value>(field.schemaName), in: query)
    }

    private func value<Value: FieldConvertible>(
        _ kind: StoreAggregate.Kind,
        of field: String,
        in query: SyncQuery<Entity>
    ) throws -> Value? {
        let aggregate = StoreAggregate(kind: kind, field: field)
        guard let group = try groups(query, by: nil, computing: [aggregate]).first else { return nil }
        return try read(group.results[0], as: type(of: field))
    }

    private func mean<Value: SummableFieldValue>(
        of field: String,
        in query: SyncQuery<Entity>,
        as: Value.Type
    ) throws -> Value.Mean? {
        let aggregates = [
            StoreAggregate(kind: .count, field: field), StoreAggregate(kind: .sum, field: field),
        ]
        guard let group = try groups(query, by: nil, computing: aggregates).first,
            case .integer(let count) = group.results[0], count > 0,
            let sum: Value = try read(group.results[1], as: type(of: field))
        else { return nil }
        return Value.mean(of: sum, count: Int(count))
    }

    private func groups(
        _ query: SyncQuery<Entity>,
        by field: String?,
        computing aggregates: [StoreAggregate]
    ) throws -> [StoreGroup] {
        let query = try query.storeQuery()
        return try store.read {
            try $0.groups(entity: descriptor, query: query, by: field, computing: aggregates)
        }
    }

    private func type(of field: String) throws -> FieldType {
        try descriptor.queried(field: field).type
    }

    private func read<Value: FieldConvertible>(_ value: FieldValue, as type: FieldType) throws -> Value? {
        value == .null ? nil : try Value.read(value, as: type)
    }
}
