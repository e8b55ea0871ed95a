public import SyncCore
import SyncRuntime

/// SQL that reads the views of live records. See the article on SQL.
extension SyncSpace {
    /// The rows of a statement. A value in it is bound as an argument:
    /// `space.sql("SELECT count(*) AS count FROM bookmark_live WHERE surahNumber = \(2)")`.
    ///
    /// Throws `SyncError` of the kind `usage` if SQLite cannot compile the statement or the statement writes.
    public func sql(_ query: SQLQuery) throws -> [SQLRow] {
        try store.port.rows(sql: query)
    }

    /// The rows of a statement as records. It returns all columns of the entity's view.
    public func sql<Entity: SyncEntity>(_ query: SQLQuery, as type: Entity.Type) throws -> [Entity] {
        try store.port.load(with: Entity.adapter, sql: query)
    }

    /// The rows of a statement: now, and again whenever they change. A commit that touches none of the entities that
    /// the statement reads costs nothing.
    ///
    /// Throws at once if the statement cannot be used.
    public func observe(sql query: SQLQuery) throws -> SyncObservation<[SQLRow]> {
        let store = store
        return try observation(of: query) { try store.port.rows(sql: query) }
    }

    /// The rows of a statement as records: now, and again whenever they change.
    public func observe<Entity: SyncEntity & Equatable>(
        sql query: SQLQuery,
        as type: Entity.Type
    ) throws -> SyncObservation<[Entity]> {
        let store = store
        return try observation(of: query) { try store.port.load(with: Entity.adapter, sql: query) }
    }

    private func observation<Value: Equatable & Sendable>(
        of query: SQLQuery,
        read: @escaping @Sendable () throws -> Value
    ) throws -> SyncObservation<Value> {
        let store = store
        if let entities = try store.port.entities(readBy: query) {
            return SyncObservation(store: store, entities: entities) { read }
        }
        return SyncObservation(store: store, signal: { $0.total }) { read }
    }
}
