import SyncCore
import SyncSQLite

/// Statements about records beside others, and about what waits.
extension EntitySQL {
    /// Records that wait to be pushed, up to a condition on their visibility.
    static func waiting(_ values: String, _ table: String, _ key: String, unclean: String) throws -> String {
        """
        SELECT \(values), \(header), sync_merged, \(key), sync_revision, \
        (SELECT version FROM sync_side AS side WHERE side.entity = ?1 AND side.key = \(table).\(key) \
        AND side.kind = \(SideKind.base.rawValue)), \
        EXISTS (SELECT 1 FROM sync_side AS side WHERE side.entity = ?1 AND side.key = \(table).\(key) \
        AND side.kind = \(SideKind.agreed.rawValue)) FROM \(table) INDEXED BY \(try SQL.identifier(unclean)) \
        WHERE sync_state = \(SyncState.pending.rawValue) AND sync_state <> \(SyncState.synced.rawValue) \
        AND sync_visibility
        """
    }

    /// Finds a record only where its first unique list concerns others, and all such records from a `sync_id` on; nil
    /// without such a list.
    static func grouped(
        _ descriptor: EntityDescriptor,
        _ table: String,
        _ key: String
    ) throws -> (one: String?, from: String?) {
        guard let list = descriptor.unique.first else { return (nil, nil) }
        let behind = try SQL.identifier(TableDDL(descriptor: descriptor).indexPrefix + "hidden-behind")
        let same = try list.map { "other.\(try SQL.identifier($0)) = one.\(try SQL.identifier($0))" }
        let isGrouped = """
            (one.sync_visibility <> 0 OR one.sync_heads <> 0 \
            OR EXISTS (SELECT 1 FROM \(table) AS other WHERE \(same.joined(separator: " AND ")) \
            AND other.sync_id <> one.sync_id \
            AND other.sync_visibility <> \(LocalRecord.Visibility.deleted.rawValue)) \
            OR EXISTS (SELECT 1 FROM \(table) AS hidden INDEXED BY \(behind) WHERE hidden.sync_visibility <> 0 \
            AND hidden.sync_visibility = \(LocalRecord.Visibility.merged.rawValue) \
            AND hidden.sync_merged = one.\(key)))
            """
        return (
            "SELECT 1 FROM \(table) AS one WHERE one.\(key) = ?1 AND \(isGrouped)",
            "SELECT one.\(key) FROM \(table) AS one WHERE one.sync_id >= ?1 AND \(isGrouped)"
        )
    }
}
