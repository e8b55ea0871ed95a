import SyncCore

/// The store of a session while its account is in use. Another process that leaves the account notes that in the
/// store.
struct GatedStore: LocalStore {
    let base: any LocalStore
    let gate: AccountGate
    let role: AccountGate.Role

    var entities: [EntityDescriptor] { base.entities }

    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    {
        try gate.checkWrite(role)
        return try base.write(durability) { transaction in
            // Checked again inside the transaction, because the gate is closed inside one: whoever closes it waits
            // for this one.
            try gate.admitWrite(role)
            guard try transaction.value(name: AccountValue.left) == nil else { throw SyncError.accountLeft() }
            return try body(transaction)
        }
    }

    func isAwaited(after records: Int) -> Bool { base.isAwaited(after: records) }

    /// The store, unless it may not be read any more.
    private func readable() throws -> any LocalStore {
        try gate.checkRead(role)
        return base
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try readable().read(body)
    }

    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model> {
        try readable().load(with: adapter, key: key, since: last)
    }

    func load<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws -> [Adapter.Model] {
        try readable().load(with: adapter, query: query)
    }

    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        query: StoreQuery,
        since last: ObservedModels<Adapter.Model>?
    ) throws -> ObservedModels<Adapter.Model> {
        try readable().load(with: adapter, query: query, since: last)
    }

    func loadAll<Adapter: EntityAdapter>(with adapter: Adapter) throws -> [Adapter.Model] {
        try readable().loadAll(with: adapter)
    }

    func rows(sql query: SQLQuery) throws -> [SQLRow] {
        try readable().rows(sql: query)
    }

    func load<Adapter: EntityAdapter>(with adapter: Adapter, sql query: SQLQuery) throws -> [Adapter.Model] {
        try readable().load(with: adapter, sql: query)
    }

    func entities(readBy query: SQLQuery) throws -> Set<String>? {
        try readable().entities(readBy: query)
    }

    func lease() throws -> any StoreLease {
        try gate.check()
        return try base.lease()
    }

    func backup(to path: String, at time: Timestamp, progress: (_ part: Double) throws -> Void) throws {
        try readable().backup(to: path, at: time, progress: progress)
    }

    func overwriteRemains(of entities: [EntityDescriptor]) throws {
        try gate.checkWrite(role)
        try base.overwriteRemains(of: entities)
    }

    func sharedFile() throws -> any SharedStoreFile {
        try readable().sharedFile()
    }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        base.changes(notify)
    }
}

/// Names of values that accounts keep in their stores.
enum AccountValue {
    /// The account is being left, and its store is about to be removed.
    static let left = "account-left"
    /// The folder of the guest whose records were adopted last.
    static let adopted = "account-adopted"
}
