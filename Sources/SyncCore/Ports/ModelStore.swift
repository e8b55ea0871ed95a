/// Reads an app's own types from a store, without a `Record` between row and model where the store can spare it.
///
/// Errors are `SyncError`, or `FieldError` where a row does not hold a model.
public protocol ModelStore: Sendable {
    /// The live record of a key; nil when there is none. `last`: what was read before, which is given back when the record
    /// was not written since.
    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model>
    /// The records that meet a query, in its order. Throws `SyncError.noIndex` rather than walk all records.
    ///
    /// A tombstone that came without the values which the schema requires is no model, and is left out.
    func load<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws -> [Adapter.Model]
    /// The same where the records were read before: only those are read again that were written since, as far as that is
    /// known.
    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        query: StoreQuery,
        since last: ObservedModels<Adapter.Model>?
    ) throws -> ObservedModels<Adapter.Model>
    /// All live records, in the order of their keys (as bytes).
    func loadAll<Adapter: EntityAdapter>(with adapter: Adapter) throws -> [Adapter.Model]
}

extension ModelStore {
    /// The live record of a key as a model; nil when there is none.
    public func load<Adapter: EntityAdapter>(with adapter: Adapter, key: RecordKey) throws -> Adapter.Model? {
        try load(with: adapter, key: key, since: nil).model
    }
}

/// A store that has no shorter way reads anew, by way of records.
extension LocalStore {
    /// The live record of a key; nil when there is none.
    public func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model> {
        let local = try read { try $0.load(entity: adapter.descriptor, key: key) }
        guard let local, local.visibility == .live else { return ObservedModel(model: nil, point: nil) }
        return ObservedModel(model: try adapter.model(local.version.record), point: nil)
    }

    /// The records that meet a query, in its order.
    public func load<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws
        -> [Adapter.Model]
    {
        try load(with: adapter, query: query, since: nil).models
    }

    /// The same with their keys.
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
                models.append(try adapter.model(local.version.record))
            }
        }
        return models
    }
}

extension StoreSnapshot {
    /// The records that meet a query as models, by way of records. A tombstone that is no model is left out.
    package func models<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws
        -> ObservedModels<Adapter.Model>
    {
        var found = ObservedModels<Adapter.Model>(models: [], keys: [], point: nil)
        for local in try self.query(entity: adapter.descriptor, query: query) {
            do { found.models.append(try adapter.model(local.version.record)) } catch let error as FieldError
            {
                guard local.version.isDeleted else { throw error }
                continue
            }
            found.keys.append(local.version.key)
        }
        return found
    }
}

/// A record as it was read last, kept so that it is read again only when it was written.
public struct ObservedModel<Model: Sendable>: Sendable {
    /// The record; nil when there is none under its key.
    public var model: Model?
    /// Where the store stood; nil where that is not known.
    public var point: ReadPoint?

    /// Keeps a record.
    public init(model: Model?, point: ReadPoint?) {
        (self.model, self.point) = (model, point)
    }
}

/// A query's records as they were read last, kept so that the next read takes up no more than has changed.
public struct ObservedModels<Model: Sendable>: Sendable {
    /// The records, in the query's order.
    public package(set) var models: [Model]
    /// Their keys.
    public package(set) var keys: [RecordKey]
    /// Where the store stood; nil where that is not known.
    public var point: ReadPoint?

    /// Keeps records.
    public init(models: [Model], keys: [RecordKey], point: ReadPoint?) {
        (self.models, self.keys, self.point) = (models, keys, point)
    }
}

/// What a snapshot shows: all commits of this process up to one, and others as far as a look at the file saw them.
public struct ReadPoint: Sendable, Hashable {
    /// The number of the last commit of this process.
    public var commit: Int64
    /// What changes with each commit of another process.
    public var dataVersion: Int64

    /// Names a point.
    public init(commit: Int64, dataVersion: Int64) {
        (self.commit, self.dataVersion) = (commit, dataVersion)
    }
}
