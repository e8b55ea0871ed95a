import SyncCore
import SyncSQLite

/// Statements about pending records, records that are not clean, and records with shared unique values.
extension EntitySQL {
    /// Pending records, live ones and tombstones, each with its base; `?1` is the entity, `?2` the `sync_id` to start after.
    static func waiting(
        values: String,
        table: String,
        key: String,
        unclean: String
    ) throws -> (live: String, deleted: String) {
        let beside = """
            (SELECT version FROM sync_side AS side WHERE side.entity = ?1 AND side.key = \(table).\(key) \
            AND side.kind = \(SideKind.base.rawValue)), \
            EXISTS (SELECT 1 FROM sync_side AS side WHERE side.entity = ?1 AND side.key = \(table).\(key) \
            AND side.kind = \(SideKind.agreed.rawValue))
            """
        let pending = """
            SELECT \(values), \(header), sync_merged, \(key), sync_revision, sync_id, \
            \(beside) FROM \(table) INDEXED BY \(try SQL.identifier(name: unclean)) \
            WHERE sync_state = \(SyncState.pending.rawValue) AND sync_state <> \(SyncState.synced.rawValue) \
            AND sync_id > ?2 AND sync_visibility
            """
        let deleted = LocalRecord.Visibility.deleted.rawValue
        return ("\(pending) <> \(deleted) ORDER BY sync_id", "\(pending) = \(deleted) ORDER BY sync_id")
    }

    /// Returns the positions of the tables with a record that is not clean.
    static func unclean(tables: [EntityTable]) throws -> String {
        let terms = try tables.enumerated().map { place, table in
            let index = try SQL.identifier(
                name: TableDDL(descriptor: table.descriptor).indexPrefix + TableDDL.waiting
            )
            let synced = SyncState.synced.rawValue
            return """
                SELECT \(place) WHERE EXISTS (SELECT 1 FROM \(table.name) INDEXED BY \(index) \
                WHERE sync_state > \(synced) AND sync_state <> \(synced))
                """
        }
        return terms.joined(separator: " UNION ALL ")
    }

    /// Keys of records that a conflict of the first unique list may concern: among given keys, among few rows from a
    /// `sync_id` on, and among many. Nil without such a list.
    static func grouped(
        descriptor: EntityDescriptor,
        table: String,
        key: String
    ) throws -> (among: String, few: String, many: String)? {
        guard let list = descriptor.unique.first else { return nil }
        let behind = try SQL.identifier(name: TableDDL(descriptor: descriptor).indexPrefix + "hidden-behind")
        let same = try list.map {
            "other.\(try SQL.identifier(name: $0)) = one.\(try SQL.identifier(name: $0))"
        }
        let isGrouped = """
            (one.sync_visibility <> 0 OR one.sync_heads <> 0 \
            OR EXISTS (SELECT 1 FROM \(table) AS other WHERE \(same.joined(separator: " AND ")) \
            AND other.sync_id <> one.sync_id \
            AND other.sync_visibility <> \(LocalRecord.Visibility.deleted.rawValue)) \
            OR EXISTS (SELECT 1 FROM \(table) AS hidden INDEXED BY \(behind) WHERE hidden.sync_visibility <> 0 \
            AND hidden.sync_visibility = \(LocalRecord.Visibility.deleted.rawValue) \
            AND hidden.sync_merged = one.\(key)))
            """
        return (
            """
            SELECT one.\(key) FROM json_each(?1) AS given CROSS JOIN \(table) AS one \
            WHERE one.\(key) = given.value AND \(isGrouped)
            """,
            "SELECT one.\(key) FROM \(table) AS one WHERE one.sync_id >= ?1 AND \(isGrouped)",
            try groupedMany(list: list, table: table, key: key, behind: behind)
        )
    }

    /// The same by walks along indexes: one along the unique values, and those of hidden records.
    private static func groupedMany(list: [String], table: String, key: String, behind: String) throws
        -> String
    {
        let columns = try list.map { try SQL.identifier(name: $0) }
        let known = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let same = columns.map { "one.\($0) = shared.\($0)" }.joined(separator: " AND ")
        let names = columns.joined(separator: ", ")
        let hidden = "\(table) AS hidden INDEXED BY \(behind)"
        return """
            SELECT hidden.\(key) FROM \(hidden) WHERE hidden.sync_visibility <> 0 AND hidden.sync_id >= ?1 \
            UNION SELECT one.\(key) FROM \(hidden) CROSS JOIN \(table) AS one WHERE hidden.sync_visibility <> 0 \
            AND hidden.sync_visibility = \(LocalRecord.Visibility.deleted.rawValue) \
            AND one.\(key) = hidden.sync_merged AND one.sync_id >= ?1 \
            UNION SELECT one.\(key) FROM (SELECT \(names) FROM \(table) WHERE \(known) GROUP BY \(names) \
            HAVING count(*) > 1 AND max(sync_id) >= ?1) AS shared CROSS JOIN \(table) AS one WHERE \(same) \
            AND one.sync_visibility <> \(LocalRecord.Visibility.deleted.rawValue)
            """
    }
}
