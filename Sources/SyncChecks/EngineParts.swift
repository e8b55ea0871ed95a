public import SyncCore
public import SyncRuntime
public import SyncStore

/// A store with an engine and a writer, for programs that measure them without what a space adds.
public struct EngineParts: Sendable {
    /// The store.
    public let store: SQLiteStore
    private let clock: any SyncClock
    private let random: any RandomSource

    /// Takes an open store.
    public init(store: SQLiteStore, clock: any SyncClock, random: any RandomSource) {
        self.store = store
        self.clock = clock
        self.random = random
    }

    /// Local writes.
    public var writer: LocalWriter { LocalWriter(store: store, clock: clock, random: random) }

    /// An engine between the store and a remote. `watch` adds up the time that it spends in the store.
    public func engine(backend: any RemoteBackend, label: String, watch: StoreWatch? = nil) -> SyncEngine {
        SyncEngine(
            store: watch.map { WatchedStore(store: store, watch: $0) } ?? store,
            backend: backend,
            environment: SyncEnvironment(clock: clock, random: random, label: label)
        )
    }

    /// How many records of an entity there are, and in which states. Throws `SyncError`.
    public func counts(_ entity: EntityDescriptor) throws -> EntityCounts {
        try store.read { try $0.counts(entity: entity) }
    }
}

/// Adds up the time that an engine spends in a store.
public final class StoreWatch: Sendable {
    private let total = Guarded(Duration.zero)

    /// Makes a watch at zero.
    public init() {}

    /// What it has added up.
    public var duration: Duration { total.use { $0 } }

    fileprivate func time<Result>(body: () throws -> Result) rethrows -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        defer { total.use { $0 += clock.now - start } }
        return try body()
    }
}

/// A store whose transactions are timed.
private struct WatchedStore: LocalStore {
    let store: SQLiteStore
    let watch: StoreWatch

    var entities: [EntityDescriptor] { store.entities }

    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    { try watch.time { try store.write(durability, body: body) } }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try watch.time { try store.read(body) }
    }

    func lease() throws -> any StoreLease { try store.lease() }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        store.changes(notify)
    }
}
