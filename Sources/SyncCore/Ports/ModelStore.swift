/// Reads an app's own types from a store, without a `Record` between row and model if the store can do so.
///
/// Errors are `SyncError`, or `FieldError` if a row does not fit a model.
public protocol ModelStore: Sendable {
    /// The live record of a key; nil if there is none. `last` is the previous result; it is returned again if
    /// the record was not written since.
    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model>
    /// The records that match a query, in its order. Throws `SyncError.noIndex` instead of walking all records.
    ///
    /// A tombstone without the values that the schema requires cannot become a model and is left out.
    func load<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws -> [Adapter.Model]
    /// The same, given the previous result: only records written since are read again, as far as that is known.
    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        query: StoreQuery,
        since last: ObservedModels<Adapter.Model>?
    ) throws -> ObservedModels<Adapter.Model>
    /// All live records, in the order of their keys (as bytes).
    func loadAll<Adapter: EntityAdapter>(with adapter: Adapter) throws -> [Adapter.Model]
    /// The rows of a statement that reads. Throws `usage` for a statement that SQLite cannot compile, or that writes.
    func rows(sql query: SQLQuery) throws -> [SQLRow]
    /// The rows of a statement as records. Its columns are those of the entity's view.
    func load<Adapter: EntityAdapter>(with adapter: Adapter, sql query: SQLQuery) throws -> [Adapter.Model]
    /// The entities whose records a statement reads; nil if it reads something else of the store.
    func entities(readBy query: SQLQuery) throws -> Set<String>?
}

/// A store that is no SQL database.
extension ModelStore {
    /// Throws: the store answers no SQL.
    public func rows(sql query: SQLQuery) throws -> [SQLRow] { throw SyncError.storeWithoutSQL() }

    /// Throws: the store answers no SQL.
    public func load<Adapter: EntityAdapter>(with adapter: Adapter, sql query: SQLQuery) throws -> [Adapter
        .Model]
    {
        throw SyncError.storeWithoutSQL()
    }

    /// Throws: the store answers no SQL.
    public func entities(readBy query: SQLQuery) throws -> Set<String>? { throw SyncError.storeWithoutSQL() }
}

extension ModelStore {
    /// The live record of a key as a model; nil when there is none.
    public func load<Adapter: EntityAdapter>(with adapter: Adapter, key: RecordKey) throws -> Adapter.Model? {
        try load(with: adapter, key: key, since: nil).model
    }
}

/// Default implementations by way of records, for stores that have no faster way.
extension LocalStore {
    /// The live record of a key; nil when there is none.
    public func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model> {
        try read { snapshot in
            let local = try snapshot.load(entity: adapter.descriptor, key: key)
            guard let local, local.visibility == .live else { return ObservedModel(model: nil, point: nil) }
            return ObservedModel(
                model: try adapter.model(local.version.record, store: snapshot.storeID),
                point: nil
            )
        }
    }

    /// The records that meet a query, in its order.
    public func load<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws
        -> [Adapter.Model]
    {
        try load(with: adapter, query: query, since: nil).models
    }

    /// The same, with keys and a read point.
    public func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        query: StoreQuery,
        since last: ObservedModels<Adapter.Model>?
    ) throws -> ObservedModels<Adapter.Model> {
        try read { try $0.models(with: adapter, query: query) }
    }

    /// All live records, in the order of their keys.
    public func loadAll<Adapter: EntityAdapter>(with adapter: Adapter) throws -> [Adapter.Model] {
        var models: [Adapter.Model] = []
        try read { snapshot in
            try snapshot.scan(entity: adapter.descriptor, includeHidden: false) { local in
                models.append(try adapter.model(local.version.record, store: snapshot.storeID))
            }
        }
        return models
    }
}

extension StoreSnapshot {
    /// The records that match a query as models, by way of records. A record that fits no model is left out.
    package func models<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws
        -> ObservedModels<Adapter.Model>
    {
        var found = ObservedModels<Adapter.Model>(models: [], keys: [], point: nil)
        for local in try self.query(entity: adapter.descriptor, query: query) {
            // A deleted record that is saved is written anew.
            let store = local.version.isDeleted ? StoreID.none : storeID
            do {
                found.models.append(try adapter.model(local.version.record, store: store))
            } catch is FieldError {
                continue
            }
            found.keys.append(local.version.key)
        }
        return found
    }
}

/// A record as it was last read. It is read again only if it was written since.
public struct ObservedModel<Model: Sendable>: Sendable {
    /// The record; nil when there is none under its key.
    public var model: Model?
    /// Where the store stood; nil if unknown.
    public var point: ReadPoint?

    /// Keeps a record.
    public init(model: Model?, point: ReadPoint?) {
        (self.model, self.point) = (model, point)
    }
}

/// The result of a query as it was last read. The next read fetches only what has changed.
public struct ObservedModels<Model: Sendable>: Sendable {
    /// The records, in the query's order.
    public package(set) var models: [Model]
    /// Their keys.
    public package(set) var keys: [RecordKey]
    /// Where the store stood; nil if unknown.
    public var point: ReadPoint?

    /// Keeps records.
    public init(models: [Model], keys: [RecordKey], point: ReadPoint?) {
        (self.models, self.keys, self.point) = (models, keys, point)
    }
}

/// A point in the store's history: all commits of this process up to `commit`, and those of other processes up
/// to `dataVersion`.
public struct ReadPoint: Sendable, Hashable {
    /// The number of the last commit of this process.
    public var commit: Int64
    /// A number that changes with each commit of another process.
    public var dataVersion: Int64

    /// Names a point.
    public init(commit: Int64, dataVersion: Int64) {
        (self.commit, self.dataVersion) = (commit, dataVersion)
    }
}
