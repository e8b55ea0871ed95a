import SyncCore
import SyncRuntime

/// A space's store: the port that all reads and writes go through, and who closes it.
struct SpaceStore: Sendable {
    let port: any LocalStore
    /// The store that is closed with the space; nil for that of an account, which its session closes.
    private let owned: (any AccountStore)?
    /// The folder of a store that is to leave nothing behind.
    private let scratch: TemporaryFolder?

    /// A store that belongs to nobody in particular.
    init(owned: any AccountStore, scratch: TemporaryFolder? = nil) {
        port = owned
        self.owned = owned
        self.scratch = scratch
    }

    /// The store of an account, which is closed to readers and writers once the account was left.
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

    /// Closes the store; that of an account is closed by the session, when nothing needs it any more.
    func close() {
        owned?.close()
        scratch?.remove()
    }
}
