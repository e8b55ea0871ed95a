import SyncCore
import SyncSQLite

/// The current row of a statement whose columns begin with `unknown`, the null columns and the fields.
final class StatementRow: RowReader {
    private let statement: Statement
    private let table: EntityTable
    private let firstField: Int
    private(set) var unknown: [UnknownField] = []

    init(table: EntityTable, statement: Statement) {
        self.table = table
        self.statement = statement
        firstField = 1 + table.nulls.count
    }

    var store: StoreID { table.store }

    /// The column after the fields.
    var endOfFields: Int { firstField + table.columns.count }

    /// Reads the null bits and other shared parts. Call it for each row.
    func begin() throws {
        if statement.isNull(at: 0) {
            if !unknown.isEmpty { unknown = [] }
            return
        }
        do {
            unknown = try UnknownText.decode(statement.text(at: 0))
        } catch is JSONError {
            throw SyncError.damagedRecord(entity: table.descriptor.name, part: "unknown fields")
        }
    }

    func presence(at field: Int) -> FieldPresence {
        if !statement.isNull(at: firstField + field) { return .value }
        let slot = table.slots[field]
        let bits = statement.int64(at: 1 + slot / EntityTable.slotsPerColumn)
        return bits >> Int64(slot % EntityTable.slotsPerColumn) & 1 == 1 ? .null : .absent
    }

    func boolean(at field: Int) -> Bool { statement.int64(at: firstField + field) != 0 }
    func integer(at field: Int) -> Int64 { statement.int64(at: firstField + field) }
    func number(at field: Int) -> Double { statement.double(at: firstField + field) }

    func timestamp(at field: Int) -> Timestamp {
        Timestamp(microseconds: statement.int64(at: firstField + field))
    }

    func text(at field: Int) -> String { statement.string(at: firstField + field) }
    func bytes(at field: Int) -> [UInt8] { statement.bytes(at: firstField + field) }

    func withText<Result>(
        at field: Int,
        body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try body(statement.text(at: firstField + field))
    }
}
