import SyncCore
import SyncRuntime
import SyncStore

/// A space's store: the port that all writes go through, and the database that models are read from directly.
struct SpaceStore: Sendable {
    let port: any LocalStore
    private let database: SQLiteStore
    private let session: AccountSession?
    /// The folder of a store that is to leave nothing behind.
    private let scratch: TemporaryFolder?

    /// A store that belongs to nobody in particular.
    init(database: SQLiteStore, scratch: TemporaryFolder? = nil) {
        port = database
        self.database = database
        self.scratch = scratch
        session = nil
    }

    /// The store of an account, which is closed to readers and writers once the account was left.
    init(session: AccountSession, database: SQLiteStore) {
        port = session.store
        self.database = database
        self.session = session
        scratch = nil
    }

    var entities: [EntityDescriptor] { port.entities }

    /// The database, for one read. Throws `SyncError.accountLeft`.
    func models<Result>(body: (SQLiteStore) throws -> Result) throws -> Result {
        try session?.check()
        return try body(database)
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try port.read(body)
    }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        database.changes(notify)
    }

    /// Closes the database; that of an account is closed by the session, when nothing needs it any more.
    func close() {
        if session == nil { database.close() }
        scratch?.remove()
    }
}
