import SyncCore
import SyncRuntime

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

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try gate.checkRead(role)
        return try base.read(body)
    }

    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model> {
        try gate.checkRead(role)
        return try base.load(with: adapter, key: key, since: last)
    }

    func load<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws -> [Adapter.Model] {
        try gate.checkRead(role)
        return try base.load(with: adapter, query: query)
    }

    func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        query: StoreQuery,
        since last: ObservedModels<Adapter.Model>?
    ) throws -> ObservedModels<Adapter.Model> {
        try gate.checkRead(role)
        return try base.load(with: adapter, query: query, since: last)
    }

    func loadAll<Adapter: EntityAdapter>(with adapter: Adapter) throws -> [Adapter.Model] {
        try gate.checkRead(role)
        return try base.loadAll(with: adapter)
    }

    func rows(sql query: SQLQuery) throws -> [SQLRow] {
        try gate.checkRead(role)
        return try base.rows(sql: query)
    }

    func load<Adapter: EntityAdapter>(with adapter: Adapter, sql query: SQLQuery) throws -> [Adapter.Model] {
        try gate.checkRead(role)
        return try base.load(with: adapter, sql: query)
    }

    func entities(readBy query: SQLQuery) throws -> Set<String>? {
        try gate.checkRead(role)
        return try base.entities(readBy: query)
    }

    func lease() throws -> any StoreLease {
        try gate.check()
        return try base.lease()
    }

    func backup(to path: String, at time: Timestamp, progress: (_ part: Double) throws -> Void) throws {
        try gate.checkRead(role)
        try base.backup(to: path, at: time, progress: progress)
    }

    func overwriteRemains(of entities: [EntityDescriptor]) throws {
        try gate.checkWrite(role)
        try base.overwriteRemains(of: entities)
    }

    func sharedFile() throws -> any SharedStoreFile {
        try gate.checkRead(role)
        return try base.sharedFile()
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
