import SyncCore
import SyncSQLite

/// The SQL of one entity's table. Values are parameters; names are quoted.
///
/// Statements that read a record start with `unknown`, the null columns and the fields; see `StatementRow`.
struct EntitySQL: Sendable {
    /// The number of columns in `header`.
    static let headerColumns = 8
    /// The columns of a header.
    static let header =
        "sync_state, sync_visibility, sync_heads, sync_time, sync_device, sync_sequence, sync_vector, sync_detail"

    /// Parameters of the statements that write a row. Null columns and fields follow.
    enum Parameter {
        static let key = 1
        static let state = 2
        static let visibility = 3
        static let heads = 4
        static let time = 5
        static let device = 6
        static let sequence = 7
        static let vector = 8
        static let detail = 9
        static let merged = 10
        /// The row to update.
        static let row = 10
        static let unknown = 11
        static let revision = 12
        static let firstNull = 13
    }

    /// All columns of a record from the table, without a condition.
    let selectRecord: String
    /// The earliest time among pending edits.
    let oldestPending: String
    let findHeader: String
    let findRecord: String
    let findModel: String
    let scanAll: String
    let scanLive: String
    /// All fields, and the key after them, of live records with a `sync_id` from `?1` to `?2`, in no order.
    let liveRun: String
    let modelsAll: String
    let modelsLive: String
    /// All fields, and the key after them, without a condition.
    let modelsWithKeys: String
    /// The same without an order, which spares a look-up per record.
    let modelsAllUnsorted: String
    /// Rows that exist for people, with key, `sync_id` and visibility: `?1` is the id to start after, `?2` the limit.
    let rowsToCheck: String
    /// Keys and times of records that are set aside.
    let setAside: String
    let modelsLiveUnsorted: String
    /// Pending records, if something is kept with some of them: `?1` is the entity's name, `?2` the `sync_id` to
    /// start after.
    let pendingLive: String
    let pendingDeleted: String
    /// Marks a record as synced if it is still as it was sent.
    let acknowledge: String
    let updateHeader: String
    let setHeads: String
    let findRevision: String
    let setRevision: String
    let forgetRevisions: String
    let remove: String
    /// Writes all columns.
    let saveRecord: String
    /// Writes a version from the wire. Local-only columns and the heads flag of an existing row stay unchanged.
    let saveWire: String
    /// Writes a version from the wire if its key is unknown.
    let insertWire: String
    let keysSharing: [String]
    /// Of the keys `?1`, a JSON array, those that a conflict of the first unique list may concern; nil without such a
    /// list.
    let findGrouped: String?
    /// The same among few records with a `sync_id` from `?1` on.
    let groupedFew: String?
    /// The same among many.
    let groupedMany: String?
    let mergedInto: String
    /// Clean tombstones of edits before `?2`, without anything kept with them: `?1` is the entity's name, `?3` the
    /// limit.
    let tombstones: String
    private let table: String
    private let key: String

    init(
        descriptor: EntityDescriptor,
        name table: String,
        columns: [String],
        key: String,
        nulls: [String],
        slots: [Int]
    ) throws {
        self.table = table
        self.key = key
        let unclean = TableDDL(descriptor: descriptor).indexPrefix + TableDDL.waiting
        let values = (["sync_unknown"] + nulls + columns).joined(separator: ", ")
        let record = "SELECT \(values), \(Self.header), sync_merged, \(key) FROM \(table)"
        let live = "sync_visibility = \(LocalRecord.Visibility.live.rawValue)"
        selectRecord = record
        oldestPending = """
            SELECT min(sync_time) FROM \(table) INDEXED BY \(try SQL.identifier(name: unclean)) \
            WHERE sync_state = \(SyncState.pending.rawValue) AND sync_state <> \(SyncState.synced.rawValue)
            """
        findHeader = "SELECT \(Self.header), sync_id, sync_revision FROM \(table) WHERE \(key) = ?1"
        findRecord = "\(record) WHERE \(key) = ?1"
        findModel = "SELECT \(values) FROM \(table) WHERE \(key) = ?1 AND \(live)"
        scanAll = "\(record) ORDER BY \(key)"
        scanLive = "\(record) WHERE \(live) ORDER BY \(key)"
        liveRun = "SELECT \(values), \(key) FROM \(table) WHERE sync_id BETWEEN ?1 AND ?2 AND \(live)"
        modelsWithKeys = "SELECT \(values), \(key) FROM \(table)"
        let behind = try SQL.identifier(name: TableDDL(descriptor: descriptor).indexPrefix + "hidden-behind")
        (rowsToCheck, setAside) = Self.aside(values: values, table: table, key: key, behind: behind)
        modelsAllUnsorted = "SELECT \(values) FROM \(table)"
        modelsLiveUnsorted = "\(modelsAllUnsorted) WHERE \(live)"
        modelsAll = "\(modelsAllUnsorted) ORDER BY \(key)"
        modelsLive = "\(modelsLiveUnsorted) ORDER BY \(key)"
        (pendingLive, pendingDeleted) = try Self.waiting(
            values: values,
            table: table,
            key: key,
            unclean: unclean
        )
        acknowledge = """
            UPDATE \(table) SET sync_state = \(SyncState.synced.rawValue), \
            sync_revision = coalesce(?\(Parameter.revision), sync_revision) \
            WHERE sync_id = ?\(Parameter.row) AND \(key) = ?1 AND sync_heads = 0 AND sync_time = ?5 \
            AND sync_device = ?6 AND sync_sequence = ?7 AND sync_vector IS ?8 AND sync_detail IS ?9
            """
        updateHeader = """
            UPDATE \(table) SET sync_state = ?2, sync_visibility = ?3, sync_heads = ?4, sync_time = ?5, \
            sync_device = ?6, sync_sequence = ?7, sync_vector = ?8, sync_detail = ?9 WHERE \(key) = ?1
            """
        setHeads = "UPDATE \(table) SET sync_heads = ?2 WHERE \(key) = ?1 AND sync_heads <> ?2"
        findRevision = "SELECT sync_revision FROM \(table) WHERE \(key) = ?1"
        // A row that has the revision already is not written again.
        setRevision = "UPDATE \(table) SET sync_revision = ?2 WHERE \(key) = ?1 AND sync_revision IS NOT ?2"
        forgetRevisions = "UPDATE \(table) SET sync_revision = NULL WHERE sync_revision IS NOT NULL"
        remove = "DELETE FROM \(table) WHERE \(key) = ?1"
        keysSharing = try descriptor.unique.map { try Self.sharing(list: $0, table: table, key: key) }
        let grouped = try Self.grouped(descriptor: descriptor, table: table, key: key)
        (findGrouped, groupedFew, groupedMany) = (grouped?.among, grouped?.few, grouped?.many)
        mergedInto = """
            SELECT \(key) FROM \(table) INDEXED BY \(behind) WHERE sync_visibility <> 0 \
            AND sync_visibility = \(LocalRecord.Visibility.deleted.rawValue) AND sync_merged = ?1 ORDER BY \(key)
            """
        tombstones = Self.tombstones(table: table, key: key, behind: behind)
        let upsert = UpsertSQL(table: table, key: key, nulls: nulls, columns: columns)
        saveRecord = upsert.record
        saveWire = upsert.wire(localOnly: Set(descriptor.layout.localOnly), slots: slots)
        insertWire = upsert.newWire(localOnly: Set(descriptor.layout.localOnly))
    }

    /// Clean tombstones with nothing kept beside them; `behind` is the index of hidden records.
    private static func tombstones(table: String, key: String, behind: String) -> String {
        func hasNothing(in beside: String) -> String {
            "NOT EXISTS (SELECT 1 FROM \(beside) AS r WHERE r.entity = ?1 AND r.key = \(table).\(key))"
        }
        return """
            SELECT \(key) FROM \(table) INDEXED BY \(behind) WHERE sync_visibility <> 0 \
            AND sync_visibility = \(LocalRecord.Visibility.deleted.rawValue) \
            AND sync_state = \(SyncState.synced.rawValue) AND sync_heads = 0 AND sync_time < ?2 \
            AND \(hasNothing(in: "sync_side")) AND \(hasNothing(in: "sync_rejection")) LIMIT ?3
            """
    }

    /// Rows that exist for people, and those of them that are set aside.
    private static func aside(values: String, table: String, key: String, behind: String) -> (
        toCheck: String, keys: String
    ) {
        let visibility = LocalRecord.Visibility.self
        let toCheck = """
            SELECT \(values), \(key), sync_id, sync_visibility FROM \(table) WHERE sync_id > ?1 AND \
            sync_visibility IN (\(visibility.live.rawValue), \(visibility.setAside.rawValue)) ORDER BY sync_id LIMIT ?2
            """
        let keys = """
            SELECT \(key), sync_time FROM \(table) INDEXED BY \(behind) \
            WHERE sync_visibility <> 0 AND sync_visibility = \(visibility.setAside.rawValue) ORDER BY \(key)
            """
        return (toCheck, keys)
    }

    /// Keys of records with the given values in a list of fields.
    private static func sharing(list: [String], table: String, key: String) throws -> String {
        let terms = try list.enumerated().map { "\(try SQL.identifier(name: $1)) = ?\($0 + 1)" }
        let deleted = LocalRecord.Visibility.deleted.rawValue
        return """
            SELECT \(key) FROM \(table) WHERE \(terms.joined(separator: " AND ")) \
            AND sync_visibility <> \(deleted) ORDER BY \(key)
            """
    }

    /// The number of the last row.
    var lastRow: String { "SELECT max(sync_id) FROM \(table)" }

    /// Keys in a state in key order: `?1` the state, `?2` the key to start after, `?3` the limit.
    func keys(in state: SyncState, isFirst: Bool) -> String {
        // The second term lets SQLite use the index of records that are not clean.
        let term = state == .synced ? "" : "AND sync_state <> \(SyncState.synced.rawValue) "
        // The sign keeps SQLite from walking the index of keys.
        let after = isFirst ? "" : "AND \(state == .synced ? "" : "+")\(key) > ?2 "
        return
            "SELECT \(key) FROM \(table) WHERE sync_state = ?1 \(term)\(after)ORDER BY \(state == .synced ? "" : "+")\(key) LIMIT ?3"
    }

    /// Keys and ids in key order, of all records or of those without a revision, with or without those that no remote can
    /// know: `?1` is the key to start after, `?2` the entity's name.
    func keysToCheck(isFirst: Bool, onlyWithoutRevision: Bool, includingUnknown: Bool) -> String {
        let mayBeKnown = """
            (sync_state <> \(SyncState.pending.rawValue) OR sync_revision IS NOT NULL OR sync_heads <> 0 \
            OR EXISTS (SELECT 1 FROM sync_side AS side WHERE side.entity = ?2 AND side.key = \(table).\(key)))
            """
        let terms =
            (isFirst ? [] : ["\(key) > ?1"]) + (onlyWithoutRevision ? ["sync_revision IS NULL"] : [])
            + (includingUnknown ? [] : [mayBeKnown])
        let condition = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
        return "SELECT \(key), sync_id FROM \(table)\(condition) ORDER BY \(key)"
    }

    /// Counts, in the order of `EntityCounts`; `?1` is the entity's name.
    var counts: String {
        func count(state: SyncState) -> String {
            """
            (SELECT count(*) FROM \(table) WHERE sync_state = \(state.rawValue) \
            AND sync_state <> \(SyncState.synced.rawValue))
            """
        }
        func hidden(term: String) -> String {
            "(SELECT count(*) FROM \(table) WHERE sync_visibility <> 0\(term))"
        }
        return """
            SELECT (SELECT count(*) FROM \(table)) - \(hidden(term: "")), \(count(state: .pending)), \(count(state: .conflict)), \
            (SELECT count(*) FROM sync_rejection WHERE entity = ?1 AND (raw IS NULL OR length(raw) > 0)) + \
            (SELECT count(*) FROM \(table) \
            WHERE sync_state = \(SyncState.rejected.rawValue) AND sync_state <> 0 AND NOT EXISTS \
            (SELECT 1 FROM sync_rejection AS r WHERE r.entity = ?1 AND r.key = \(table).\(key))) + \
            (SELECT count(*) FROM \(table) WHERE sync_visibility <> 0 \
            AND sync_visibility = \(LocalRecord.Visibility.setAside.rawValue) \
            AND sync_state <> \(SyncState.rejected.rawValue) AND NOT EXISTS \
            (SELECT 1 FROM sync_rejection AS r WHERE r.entity = ?1 AND r.key = \(table).\(key) \
            AND (r.raw IS NULL OR length(r.raw) > 0))), \
            \(hidden(term: " AND sync_visibility = \(LocalRecord.Visibility.deleted.rawValue)"))
            """
    }
}
