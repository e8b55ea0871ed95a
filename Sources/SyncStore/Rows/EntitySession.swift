import SyncCore
import SyncSQLite

/// The compiled statements of one entity on one connection, with their decoders. Statements are compiled at first
/// use.
///
/// None of them is left between two rows while a caller's code runs; walks use statements from the cache.
final class EntitySession {
    let table: EntityTable
    /// Decodes what came over the wire.
    var decoder: RecordDecoder
    private let connection: Connection
    private var knownLayout: EntityLayout
    private var headerQuery: Statement?
    private var recordQuery: RowQuery?
    private var acknowledgement: Statement?
    private var recordWriter: RowWriter?
    private var wireWriter: RowWriter?
    private var newWireWriter: RowWriter?
    /// The smallest `sync_id` that this transaction has inserted with `insert`; nil for none.
    var firstInserted: Int64?

    init(table: EntityTable, connection: Connection) {
        self.table = table
        self.connection = connection
        decoder = RecordDecoder(descriptor: table.descriptor, form: .wire)
        knownLayout = table.descriptor.layout
    }

    /// The records that this transaction has written.
    var changed = ChangedKeys()
    /// The rows that this transaction has written.
    var written = WrittenRows()
    /// The row last found by its key.
    var lastFound: (key: RecordKey, id: Int64, revision: String?)?
    private var held: SnapshotRows?

    /// Begins a transaction. Forgets everything that other transactions may have changed.
    func begin() {
        (firstInserted, lastFound, held) = (nil, nil, nil)
        if !changed.isEmpty { changed = ChangedKeys() }
        if !written.isEmpty { written = WrittenRows() }
    }

    /// The rows that the remote's full state contains.
    func snapshotRows() throws -> SnapshotRows {
        if let held { return held }
        let read = try SnapshotRows(connection: connection, entity: table.descriptor.name)
        held = read
        return read
    }

    /// Writes changes of these rows.
    func flushSnapshotRows() throws { try held?.flush() }

    /// Sums of the fingerprints of its records.
    var sums: RecordSums { RecordSums(connection: connection, table: table) }

    /// Finds a header by its key.
    func findHeader() throws -> Statement {
        try kept(in: &headerQuery) { try connection.prepare(table.sql.findHeader) }
    }

    /// Marks a record as synced if it is still as it was sent.
    func acknowledge() throws -> Statement {
        try kept(in: &acknowledgement) { try connection.prepare(table.sql.acknowledge) }
    }

    /// Finds a record by its key.
    func findRecord() throws -> RowQuery {
        try kept(in: &recordQuery) {
            RowQuery(table: table, statement: try connection.prepare(table.sql.findRecord))
        }
    }

    /// Writes all columns of a record.
    func saveRecord() throws -> RowWriter {
        try kept(in: &recordWriter) { try writer(sql: table.sql.saveRecord) }
    }

    /// Writes what came over the wire.
    func saveWire() throws -> RowWriter {
        try kept(in: &wireWriter) { try writer(sql: table.sql.saveWire) }
    }

    /// Writes a version from the wire if its key is unknown.
    func insertWire() throws -> RowWriter {
        try kept(in: &newWireWriter) { try writer(sql: table.sql.insertWire) }
    }

    private func writer(sql: String) throws -> RowWriter {
        RowWriter(table: table, statement: try connection.prepare(sql))
    }

    /// What `place` has. It is made at first use.
    private func kept<Value>(in place: inout Value?, make: () throws -> Value) rethrows -> Value {
        if let place { return place }
        let made = try make()
        place = made
        return made
    }

    /// Notes that this transaction inserted the last row.
    func noteInsert() {
        let inserted = connection.lastInsertRowID
        firstInserted = min(firstInserted ?? inserted, inserted)
    }

    /// How many rows the last statement changed.
    var changes: Int64 { connection.changes }

    /// Checks that a descriptor has the positions that the statements use.
    func check(_ descriptor: EntityDescriptor) throws {
        // The layout is one object per descriptor, so the fields rarely need comparing.
        if descriptor.layout === knownLayout { return }
        guard descriptor.bySchema == table.descriptor else {
            throw SyncError.storeMisuse(
                sentence:
                    "The store was opened with another schema of \(descriptor.name) than the one it is asked with."
            )
        }
        knownLayout = descriptor.layout
    }
}

/// A statement that writes rows, and what binds to it.
struct RowWriter {
    let statement: Statement
    let binder: StatementBinder

    init(table: EntityTable, statement: Statement) {
        self.statement = statement
        binder = StatementBinder(table: table, statement: statement)
    }
}

/// A statement that finds rows, and what reads them.
struct RowQuery {
    let statement: Statement
    let row: StatementRow
    private let table: EntityTable

    init(table: EntityTable, statement: Statement) {
        self.table = table
        self.statement = statement
        row = StatementRow(table: table, statement: statement)
    }

    /// The record of the current row.
    func record() throws -> LocalRecord {
        try row.begin()
        let header = try statement.header(at: row.endOfFields, table: table)
        let merged = statement.optionalString(at: row.endOfFields + EntitySQL.headerColumns)
        let version = SyncRecord(
            entity: table.descriptor.name,
            key: RecordKey(statement.string(at: row.endOfFields + EntitySQL.headerColumns + 1)),
            record: row.record(descriptor: table.descriptor),
            isDeleted: header.visibility == .deleted,
            mergedInto: merged.map { RecordKey($0) },
            metadata: header.metadata
        )
        return LocalRecord(
            version: version,
            state: header.state,
            visibility: header.visibility,
            hasHeads: header.hasHeads
        )
    }
}
