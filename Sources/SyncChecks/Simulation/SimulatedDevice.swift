import SyncCore
import SyncRuntime
import SyncStore

/// One device of a world: a disk that can fail, a clock that can lie, and the real app on it.
final class SimulatedDevice: @unchecked Sendable {
    // A world is one sequence of steps, so nothing here is used from two places at once.
    let name: String
    let index: Int
    let disk: SimulatedDisk
    let clock: ManualClock
    private let random: SeededRandom
    private let remote: @Sendable (AccountID) throws -> any RemoteBackend
    private(set) var entities: [EntityDescriptor]
    private var manager: AccountManager?
    private(set) var session: AccountSession?
    /// Accounts that the device ever opened.
    private(set) var knownAccounts: Set<String> = []
    /// Names under which the device wrote into an account's folder.
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

    /// The account in use, by name; nil while the app does not run.
    var account: String? { session?.id.text }

    /// Starts the app. Throws what the app's start throws.
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

    /// Ends the app as the system does: without asking it.
    func kill() async {
        session?.base.close()
        session = nil
        manager = nil
    }

    /// Goes over to an account. Throws what the app throws.
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

    /// The folders of an account's remote that are this device's own.
    func ownFolders(account: String) -> Set<String> {
        if self.account == account, let id = try? session?.base.read({ try $0.value(name: "device") }) {
            incarnations[account, default: []].insert(id)
        }
        return incarnations[account] ?? []
    }

    /// The app's next version, once it is started anew.
    func upgrade(to entities: [EntityDescriptor]) { self.entities = entities }

    /// The store of the account in use, as a person sees it. Nil while the app does not run.
    var store: (any LocalStore)? { session?.store }

    func descriptor(name: String) -> EntityDescriptor? { entities.first { $0.name == name } }
}
