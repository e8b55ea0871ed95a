import SyncAccounts
import SyncCore
import SyncRuntime

/// A space's store, and who closes it. All reads and writes go through it.
struct SpaceStore: Sendable {
    let port: any LocalStore
    /// For calls that may wait.
    let calls = StoreCalls()
    /// The store that is closed with the space. Nil for the store of an account: its session closes it.
    private let owned: (any AccountStore)?
    /// The folder of a temporary store.
    private let scratch: TemporaryFolder?

    /// A store without an account.
    init(owned: any AccountStore, scratch: TemporaryFolder? = nil) {
        port = owned
        self.owned = owned
        self.scratch = scratch
    }

    /// The store of an account. It refuses reads and writes once the account is left.
    init(session: AccountSession) {
        port = session.store
        owned = nil
        scratch = nil
    }

    var entities: [EntityDescriptor] { port.entities }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try port.read(body)
    }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        port.changes(notify)
    }

    /// Closes the store. An account's store is closed by its session when it is no longer used.
    func close() {
        owned?.close()
        scratch?.remove()
    }
}
