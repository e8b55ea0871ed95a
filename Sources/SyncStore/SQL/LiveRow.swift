import SyncCore
import SyncSQLite

/// The current row of a statement with all columns of an entity's view, as a record.
struct LiveRow {
    private let table: EntityTable
    private let statement: Statement
    /// The numbers of the fields' columns in the statement.
    private let fields: [Int]
    private let unknown: Int
    private let nulls: [Int]

    /// Throws `usage` if a column of the view is missing.
    init(table: EntityTable, statement: Statement) throws {
        self.table = table
        self.statement = statement
        let names = (0..<statement.columnCount).map(statement.columnName)
        func number(_ name: String) throws -> Int {
            guard let number = names.firstIndex(where: { $0.hasSameBytes(as: name) }) else {
                throw SyncError.notAViewRow(
                    entity: table.descriptor.name,
                    view: table.descriptor.liveView,
                    column: name
                )
            }
            return number
        }
        fields = try table.descriptor.fields.map { try number($0.name) }
        unknown = try number("sync_unknown")
        nulls = try table.nulls.map(number)
    }

    /// The record, with the members that the schema does not know.
    func record() throws -> Record {
        var record = Record(empty: table.descriptor)
        for (index, field) in table.descriptor.fields.enumerated() {
            record.values[index] = value(field: field, index: index)
        }
        if !statement.isNull(at: unknown) {
            do {
                record.unknown = try UnknownText.decode(statement.text(at: unknown))
            } catch is JSONError {
                throw SyncError.damagedRecord(entity: table.descriptor.name, part: "unknown fields")
            }
        }
        return record
    }

    private func value(field: FieldDescriptor, index: Int) -> FieldValue? {
        let column = fields[index]
        if statement.isNull(at: column) {
            let slot = table.slots[index]
            let bits = statement.int64(at: nulls[slot / EntityTable.slotsPerColumn])
            return bits >> Int64(slot % EntityTable.slotsPerColumn) & 1 == 1 ? .null : nil
        }
        switch field.type {
        case .boolean: return .boolean(statement.int64(at: column) != 0)
        case .integer: return .integer(statement.int64(at: column))
        case .number: return .number(statement.double(at: column))
        case .dateTime: return Timestamp(statement.string(at: column)).map { .timestamp($0) }
        case .data: return .bytes(statement.bytes(at: column))
        case .array, .object, .map: return .json(statement.string(at: column))
        default: return .text(statement.string(at: column))
        }
    }
}
