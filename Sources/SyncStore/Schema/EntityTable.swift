import SyncCore
import SyncSQLite

/// One entity's table: the columns of its values, and the SQL that reads and writes them.
///
/// Bookkeeping columns come first, so that reading a record's state never touches the pages of a long value.
final class EntityTable: Sendable {
    let descriptor: EntityDescriptor
    /// The columns when the store was opened.
    let shape: TableShape
    /// Reads versions that were kept under an earlier, less strict schema.
    let lenient: EntityDescriptor
    /// The table's name, quoted.
    let name: String
    /// The columns of the fields, quoted, by field position.
    let columns: [String]
    /// The column that holds the record's key, quoted: the key field's own, or `sync_key`.
    let key: String
    /// The key field whose column holds the key; nil when `sync_key` does.
    let keyField: Int?
    /// By position, the bit of each field that distinguishes null from absent.
    let slots: [Int]
    /// The columns that hold those bits, 63 each.
    let nulls: [String]
    /// The SQL of this table.
    let sql: EntitySQL
    /// The store that the table belongs to.
    let store: StoreID

    /// - Throws: `damagedStore` when the shape lacks a field.
    init(descriptor: EntityDescriptor, shape: TableShape, store: StoreID = .none) throws {
        self.store = store
        self.descriptor = descriptor
        self.shape = shape
        lenient = descriptor.lenient
        let slots = descriptor.fields.compactMap { shape.column(name: $0.name)?.slot }
        guard slots.count == descriptor.fields.count else {
            throw SyncError.damagedStore(detail: "the catalogue entry of \(descriptor.name) is incomplete")
        }
        name = try SQL.identifier(name: descriptor.table)
        columns = try descriptor.fields.map { try SQL.identifier(name: $0.name) }
        keyField = Self.keyField(descriptor: descriptor)
        key = if let keyField { columns[keyField] } else { "sync_key" }
        self.slots = slots
        nulls = (0...(slots.max() ?? 0) / Self.slotsPerColumn).map(Self.nullColumn)
        sql = try EntitySQL(
            descriptor: descriptor,
            name: name,
            columns: columns,
            key: key,
            nulls: nulls,
            slots: slots
        )
    }

    /// Null bits in one column; the sign bit stays free.
    static let slotsPerColumn = NullBits.slotsPerColumn

    /// The name of the column that holds the null bits of a range of slots.
    static func nullColumn(number: Int) -> String { NullBits.column(number: number) }

    /// The fields by slot, for readers that know the schema and not the table: a JSON array of names, empty where a
    /// slot is not in use.
    var slotNames: String {
        var names = Array(repeating: "", count: (slots.max() ?? -1) + 1)
        for (field, slot) in zip(descriptor.fields, slots) { names[slot] = field.name }
        return NullBits.text(names: names)
    }

    /// The field whose column is the key: the only key field, when its column holds the key's text.
    static func keyField(descriptor: EntityDescriptor) -> Int? {
        guard descriptor.layout.key.count == 1 else { return nil }
        let type = descriptor.fields[descriptor.layout.key[0]].type
        return type.columnType == "TEXT" && !type.isStructured ? descriptor.layout.key[0] : nil
    }
}
