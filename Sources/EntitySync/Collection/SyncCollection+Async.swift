public import SyncCore
import SyncRuntime

/// The same reads and writes for code that may wait: they run on threads of the space, and block neither the caller's
/// thread nor one of Swift's. Inside an `async` function Swift takes these, which `try await` calls.
///
/// Writes of a space happen in the order of the calls, and a read sees each write whose call has returned. A call whose
/// task is cancelled before it begins throws `CancellationError` and has done nothing; one that has begun is done.
extension SyncCollection {
    /// Inserts a record. Throws if its key is taken. See `SyncBatch.insert`.
    @discardableResult
    public func insert(_ model: Entity) async throws -> Entity { try await write { try $0.insert(model) } }

    /// Inserts a record as a person's edit or as a seed. See `SyncBatch.insert`.
    @discardableResult
    public func insert(_ model: Entity, as intent: InsertIntent) async throws -> Entity? {
        try await write { try $0.insert(model, as: intent) }
    }

    /// Writes what was changed in a record since it was read. See `SyncBatch.update`.
    @discardableResult
    public func update(_ model: Entity) async throws -> Entity { try await write { try $0.update(model) } }

    /// Changes a record that was read: `update(read) { $0.title = title }`. See `SyncBatch.update`.
    @discardableResult
    public func update(
        _ read: Entity,
        change: @escaping @Sendable (inout Entity) throws -> Void
    ) async throws -> Entity { try await write { try $0.update(read, change: change) } }

    /// Changes the record of a key as it is now. Throws `notFound` if there is none.
    @discardableResult
    public func update(
        _ key: Entity.EntityKey,
        change: @escaping @Sendable (inout Entity) throws -> Void
    ) async throws -> Entity { try await write { try $0.update(Entity.self, key: key, change: change) } }

    /// Writes a whole record, whatever is there. See `SyncBatch.replace`.
    @discardableResult
    public func replace(_ model: Entity) async throws -> Entity { try await write { try $0.replace(model) } }

    /// Inserts a record that was made, or updates one that was read. See `SyncBatch.save`.
    @discardableResult
    public func save(_ model: Entity) async throws -> Entity { try await write { try $0.save(model) } }

    /// Deletes a record. Throws `notFound` if there is none.
    public func delete(_ key: Entity.EntityKey) async throws {
        try await write { try $0.delete(Entity.self, key: key) }
    }

    /// Deletes a record that was read. Throws `notFound` if there is none of its key.
    public func delete(_ record: Entity) async throws { try await write { try $0.delete(record) } }

    /// Changes each record of a query in one transaction: all or none. See `SyncBatch.update`.
    @discardableResult
    public func update(
        _ query: SyncQuery<Entity>,
        change: @escaping @Sendable (inout Entity) throws -> Void
    ) async throws -> Int { try await write { try $0.update(query, change: change) } }

    /// Deletes each record of a query in one transaction. See `SyncBatch.delete`.
    @discardableResult
    public func delete(_ query: SyncQuery<Entity>) async throws -> Int {
        try await write { try $0.delete(query) }
    }

    /// The record of a key, or the record that it was merged into; nil if there is none or it was deleted.
    public func find(_ key: Entity.EntityKey) async throws -> Entity? { try await read { try $0.find(key) } }

    /// The records of some keys, in the order of the keys. Those that are not there are left out.
    public func find(keys: [Entity.EntityKey]) async throws -> [Entity] {
        try await read { try $0.find(keys: keys) }
    }

    /// The first record that matches a query, in its order; nil if none does.
    public func first(_ query: SyncQuery<Entity> = SyncQuery()) async throws -> Entity? {
        try await read { try $0.first(query) }
    }

    /// All records that are not deleted, in key order.
    public func all() async throws -> [Entity] { try await read { try $0.all() } }

    /// The records that match a query, in its order. Throws if no index serves the query.
    public func query(_ query: SyncQuery<Entity>) async throws -> [Entity] {
        try await read { try $0.query(query) }
    }

    /// The same, with the query built in place: `query { $0.filter(Bookmark.Fields.surahNumber == 2).limit(20) }`.
    public func query(_ build: (SyncQuery<Entity>) throws -> SyncQuery<Entity>) async throws -> [Entity] {
        try await query(build(SyncQuery()))
    }

    /// The number of records that match a query.
    public func count(_ query: SyncQuery<Entity>) async throws -> Int {
        try await read { try $0.count(query) }
    }

    /// The records that a search finds, best first. Throws if the schema asks for no search.
    public func search(_ search: SyncSearch<Entity>) async throws -> [SearchHit<Entity>] {
        try await read { try $0.search(search) }
    }

    /// The 20 records that fit best what a person wrote.
    public func search(_ text: String) async throws -> [SearchHit<Entity>] {
        try await search(SyncSearch(text))
    }

    /// The records in conflict, in key order.
    public func conflicts() async throws -> [SyncConflict<Entity>] { try await read { try $0.conflicts() } }

    /// Resolves a conflict from the list. Throws as the one that blocks does.
    public func resolve(_ conflict: SyncConflict<Entity>, with: ConflictResolution<Entity>) async throws {
        try await write { try $0.resolve(conflict, with: with) }
    }

    /// Resolves a conflict by its key. Throws `notFound` if there is none.
    public func resolve(_ key: Entity.EntityKey, with: ConflictResolution<Entity>) async throws {
        try await resolve(id: Entity.recordKey(key), with: with)
    }

    /// The same by the key as conflicts give it, of whatever fields it is made.
    public func resolve(id: RecordKey, with: ConflictResolution<Entity>) async throws {
        try await write { try $0.resolve(Entity.self, id: id, with: with) }
    }

    /// Resolves many conflicts in one transaction: all or none. See `SyncBatch.resolveConflicts`.
    @discardableResult
    public func resolveConflicts(
        of query: SyncQuery<Entity>? = nil,
        by decide: @escaping @Sendable (SyncConflict<Entity>) throws -> ConflictResolution<Entity>?
    ) async throws -> Int { try await write { try $0.resolveConflicts(of: query, by: decide) } }

    /// When this device and the remote last had the same of a record. See the one that blocks.
    public func lastSynced(_ key: Entity.EntityKey) async throws -> Timestamp? {
        try await read { try $0.lastSynced(key) }
    }

    private func read<Result: Sendable>(
        body: @escaping @Sendable (SyncCollection) throws -> Result
    ) async throws -> Result {
        let collection = self
        return try await store.calls.read { try body(collection) }
    }

    private func write<Result: Sendable>(
        body: @escaping @Sendable (borrowing SyncBatch) throws -> Result
    ) async throws -> Result {
        let writer = writer
        return try await store.calls.write { try writer.batch(body) }
    }
}

extension SyncSpace {
    /// Runs writes in one transaction on a thread of the space: all or nothing. See the other `write`. Rethrows the
    /// error of `body`. Throws `CancellationError`, and writes nothing, if the task is cancelled before `body` begins.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing SyncBatch) throws -> Result
    ) async throws -> Result {
        let writer = writer
        return try await store.calls.write { try writer.batch(body) }
    }

    /// Runs reads on a thread of the space: `try await space.read { try saves.sums(of: Save.Fields.size, by: Save.Fields.folderId) }`.
    /// Each of them sees what is there at its moment.
    public func read<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        try await store.calls.read(body: body)
    }

    /// The rows of a statement. See the article on SQL.
    public func sql(_ query: SQLQuery) async throws -> [SQLRow] {
        let space = self
        return try await store.calls.read { try space.sql(query) }
    }
}
