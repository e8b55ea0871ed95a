import SyncCore
import SyncSQLite

extension LogSession {
    /// Removes tombstones up to their cutoffs, and raises the floor to the highest of them.
    func purge(cutoffs: TombstoneCutoffs) throws -> PurgeResult {
        PurgeResult(removed: try removeTombstones(cutoffs: cutoffs), oldest: try oldestTombstones())
    }

    private func removeTombstones(cutoffs: TombstoneCutoffs) throws -> Int {
        var count = 0
        var floor = floor
        for (entity, name) in try entitiesWithTombstones() {
            let highest = try access.connection.cached(
                sql: """
                    SELECT max(revision), count(*) FROM record
                    WHERE log = ?1 AND entity = ?2 AND deleted = 1 AND stored_at <= ?3
                    """
            )
            let limit = cutoffs[name].microseconds
            try bind(highest, entity: entity, limit: limit)
            var found = 0
            try highest.forEachRow {
                found = Int($0.int64(at: 1))
                floor = max(floor, $0.int64(at: 0))
            }
            guard found > 0 else { continue }
            let delete = try access.connection.cached(
                sql: "DELETE FROM record WHERE log = ?1 AND entity = ?2 AND deleted = 1 AND stored_at <= ?3"
            )
            try bind(delete, entity: entity, limit: limit)
            try delete.run()
            count += found
        }
        guard count > 0 else { return 0 }
        let update = try access.connection.cached(sql: "UPDATE log SET floor = ?2 WHERE id = ?1")
        try update.bind(id, at: 1)
        try update.bind(floor, at: 2)
        try update.run()
        return count
    }

    /// For each entity with tombstones, the time at which its oldest one was stored.
    private func oldestTombstones() throws -> [String: Timestamp] {
        var times: [String: Timestamp] = [:]
        for (entity, name) in try entitiesWithTombstones() {
            let oldest = try access.connection.cached(
                sql: "SELECT min(stored_at) FROM record WHERE log = ?1 AND entity = ?2 AND deleted = 1"
            )
            try oldest.bind(id, at: 1)
            try oldest.bind(entity, at: 2)
            try oldest.forEachRow { times[name] = Timestamp(microseconds: $0.int64(at: 0)) }
        }
        return times
    }

    private func entitiesWithTombstones() throws -> [(id: Int64, name: String)] {
        let query = try access.connection.cached(
            sql: """
                SELECT id, name FROM entity
                WHERE EXISTS (SELECT 1 FROM record WHERE log = ?1 AND entity = entity.id AND deleted = 1)
                """
        )
        try query.bind(id, at: 1)
        var entities: [(id: Int64, name: String)] = []
        try query.forEachRow { entities.append(($0.int64(at: 0), $0.string(at: 1))) }
        return entities
    }

    private func bind(_ statement: Statement, entity: Int64, limit: Int64) throws {
        try statement.bind(id, at: 1)
        try statement.bind(entity, at: 2)
        try statement.bind(limit, at: 3)
    }
}
