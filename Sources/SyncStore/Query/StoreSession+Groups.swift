import Foundation
import SyncCore
import SyncSQLite

/// Counts, sums and extremes.
extension StoreSession {
    func groups(
        entity: EntityDescriptor,
        query: StoreQuery,
        by field: String?,
        computing aggregates: [StoreAggregate]
    ) throws -> [StoreGroup] {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let columns = try aggregates.map { try AggregateColumns(aggregate: $0, table: table) }
            let group = try field.map {
                (name: try table.shownColumn(field: $0), type: try table.column(field: $0).type)
            }
            let sql = try QuerySQL(table: table, query: query, isSorted: false, lookup: lookup)
            let names = [group?.name ?? "NULL", "count(*)"] + columns.flatMap(\.texts)
            let tail = group.map { " GROUP BY \($0.name) ORDER BY \($0.name)\($0.type.collation)" } ?? ""
            let statement = try self.query(
                sql: "SELECT \(names.joined(separator: ", ")) FROM \(table.name)\(sql.text)\(tail)"
            )
            try sql.bind(to: statement)
            var groups: [StoreGroup] = []
            try statement.forEachRow { row in
                var place = 2
                let results = try columns.map { column in
                    defer { place += column.texts.count }
                    return try column.value(row, at: place, entity: entity.name)
                }
                groups.append(
                    StoreGroup(
                        value: group.map { row.value(at: 0, type: $0.type) } ?? .null,
                        count: Int(row.int64(at: 1)),
                        results: results
                    )
                )
            }
            return groups
        }
    }
}

/// The columns from which an aggregate is computed.
private struct AggregateColumns {
    let texts: [String]
    private let aggregate: StoreAggregate
    private let type: FieldType

    init(aggregate: StoreAggregate, table: EntityTable) throws {
        self.aggregate = aggregate
        let type = try table.column(field: aggregate.field).type
        let column = try table.shownColumn(field: aggregate.field)
        self.type = type
        texts =
            switch (aggregate.kind, type) {
            case (.count, _): ["count(\(column))"]
            case (.minimum, _): ["min(\(column)\(type.collation))"]
            case (.maximum, _): ["max(\(column)\(type.collation))"]
            // A sum of 64-bit integers can pass 64 bits on its way to a result that does not.
            case (.sum, .integer): ["sum(\(column) >> 32)", "sum(\(column) & 4294967295)"]
            case (.sum, .decimal): ["group_concat(\(column), ' ')"]
            case (.sum, _): ["sum(\(column))"]
            }
    }

    func value(_ row: Statement, at place: Int, entity: String) throws -> FieldValue {
        if row.isNull(at: place) { return .null }
        switch (aggregate.kind, type) {
        case (.count, _): return .integer(row.int64(at: place))
        case (.sum, .integer):
            // The lower half carries into the upper one before the sum is put together.
            let low = row.int64(at: place + 1)
            let (high, isTooHigh) = row.int64(at: place).addingReportingOverflow(low >> 32)
            guard !isTooHigh, let upper = Int32(exactly: high) else { throw outOfRange(entity: entity) }
            return .integer(Int64(upper) << 32 | low & 0xffff_ffff)
        case (.sum, .decimal):
            var sum = Decimal()
            for text in row.string(at: place).split(separator: " ") {
                guard let number = DecimalText.decimal(text: String(text)) else {
                    throw SyncError.damagedRecord(entity: entity, part: "'\(aggregate.field)'")
                }
                guard let next = Self.exactSum(sum, number) else { throw outOfRange(entity: entity) }
                sum = next
            }
            do { return .text(try sum.wireText()) } catch is FieldError { throw outOfRange(entity: entity) }
        case (.sum, .number): return .number(row.double(at: place))
        default: return row.value(at: place, type: type)
        }
    }

    /// The sum of two numbers of at most 38 digits; nil if it has more.
    ///
    /// NB: an operator would round silently, and so does `NSDecimalAdd` on Linux beyond its digits. Of two numbers
    /// without trailing zeros, the finer one gives the sum its last digit, which then is missing.
    private static func exactSum(_ left: Decimal, _ right: Decimal) -> Decimal? {
        var (left, right, sum) = (left, right, Decimal())
        guard NSDecimalAdd(&sum, &left, &right, .plain) == .noError else { return nil }
        NSDecimalCompact(&left)
        NSDecimalCompact(&right)
        NSDecimalCompact(&sum)
        let isWhole = left.exponent == right.exponent || sum.exponent == min(left.exponent, right.exponent)
        let limit = Decimal(sign: .plus, exponent: 38, significand: 1)
        return (isWhole || left.isZero || right.isZero) && sum.significand.magnitude < limit ? sum : nil
    }

    private func outOfRange(entity: String) -> SyncError {
        .sumOutOfRange(entity: entity, field: aggregate.field)
    }
}

extension EntityTable {
    /// A field's value as a model shows it.
    fileprivate func shownColumn(field: String) throws -> String {
        _ = try column(field: field)
        return try FilterOperand(field: field, of: self, alias: name).shown
    }
}

extension Statement {
    /// The value of a column that holds values of a type.
    fileprivate func value(at place: Int, type: FieldType) -> FieldValue {
        if isNull(at: place) { return .null }
        return switch type {
        case .boolean: .boolean(int64(at: place) != 0)
        case .integer: .integer(int64(at: place))
        case .number: .number(double(at: place))
        case .dateTime: .timestamp(Timestamp(microseconds: int64(at: place)))
        case .data: .bytes(bytes(at: place))
        case .array, .object, .map: .json(string(at: place))
        case .string, .uuid, .date, .uri, .decimal, .enumeration: .text(string(at: place))
        }
    }
}
