import SyncAccounts
import SyncCore
import SyncRuntime
import SyncStore

/// A device of a simulated world: a disk that can fail, a clock that can be wrong, and the real app.
final class SimulatedDevice: @unchecked Sendable {
    // A world runs its steps sequentially, so nothing here is used concurrently.
    let name: String
    let index: Int
    let disk: SimulatedDisk
    let clock: ManualClock
    private let random: SeededRandom
    private let remote: @Sendable (AccountID) throws -> any RemoteBackend
    private(set) var entities: [EntityDescriptor]
    private var manager: AccountManager?
    private(set) var session: AccountSession?
    /// Accounts that were ever opened on the device.
    private(set) var knownAccounts: Set<String> = []
    /// The device's ids in each account's folder.
    private var incarnations: [String: Set<String>] = [:]

    init(
        index: Int,
        entities: [EntityDescriptor],
        seed: UInt64,
        start: Timestamp,
        flaws: Set<DiskFlaw>,
        remote: @escaping @Sendable (AccountID) throws -> any RemoteBackend
    ) {
        self.index = index
        name = String(UnicodeScalar(UInt8(65 + index % 26)))
        disk = SimulatedDisk(seed: seed, flaws: flaws)
        clock = ManualClock(start)
        random = SeededRandom(seed)
        self.entities = entities
        self.remote = remote
    }

    /// The name of the active account; nil while the app is not running.
    var account: String? { session?.id.text }

    /// Starts the app. Throws errors of the app's start.
    func start() async throws {
        let manager = try AccountManager(
            storage: SimulatedAccounts(disk: disk, entities: entities, random: random),
            settings: AccountSettings(
                environment: SyncEnvironment(clock: clock, random: random, label: name),
                backend: remote
            )
        )
        self.manager = manager
        session = await manager.current
    }

    /// Kills the app, as the system does.
    func kill() async {
        session?.base.close()
        session = nil
        manager = nil
    }

    /// Switches to an account. Throws errors of the app.
    func use(_ account: String) async throws {
        guard let manager else { return }
        do {
            _ = try await manager.signIn(AccountID(account), adopting: .nothing)
        } catch {
            session = await manager.current
            throw error
        }
        session = await manager.current
        knownAccounts.insert(account)
    }

    /// The device's own folders in an account's remote.
    func ownFolders(account: String) -> Set<String> {
        if self.account == account, let id = try? session?.base.read({ try $0.value(name: "device") }) {
            incarnations[account, default: []].insert(id)
        }
        return incarnations[account] ?? []
    }

    /// Installs the app's next version, which is used after a restart.
    func upgrade(to entities: [EntityDescriptor]) { self.entities = entities }

    /// The store of the active account. Nil while the app is not running.
    var store: (any LocalStore)? { session?.store }

    func descriptor(name: String) -> EntityDescriptor? { entities.first { $0.name == name } }
}
