public import SyncCore
public import SyncRuntime
import SyncStore

/// The accounts of a device, each with a space of its own, the guest included.
///
/// ```swift
/// var configuration = AccountsConfiguration(folder: folder, entities: [Bookmark.self]) { account in
///     try HTTPBackend("https://sync.example.org") { try keychain.token(of: account) }
/// }
/// configuration.setOwner(Bookmark.Fields.userId)
/// let accounts = try await SyncAccounts.open(configuration)
/// try accounts.space.collection(Bookmark.self).insert(bookmark)
/// try await accounts.signIn(AccountID("ada"))
/// ```
///
/// Each operation is done as a whole or not at all. The space that was in use before ends with it: its observations end,
/// its running sync is dropped, and reads and writes throw `SyncError.accountLeft`.
public final class SyncAccounts: Sendable {
    private let manager: AccountManager
    private let configuration: AccountsConfiguration
    private let state: Guarded<State>

    private struct State {
        var space: SyncSpace
        var generation: Int
        var isActive = false
        var watchers: [Int: AsyncStream<SyncSpace>.Continuation] = [:]
        var lastWatcher = 0
    }

    /// Opens the account that was in use last, or the guest. Where another process opens or changes the accounts at this
    /// moment, waits for it, up to five seconds. Throws `SyncError`.
    public static func open(_ configuration: AccountsConfiguration) async throws -> SyncAccounts {
        let progress = Progress()
        var attempts = 1
        while true {
            do { return try await open(configuration: configuration, progress: progress) } catch let error
                as SyncError
                where error == .accountsBusy() && attempts < 100
            {
                attempts += 1
                try await configuration.environment.sleeper.sleep(seconds: 0.05)
            }
        }
    }

    private static func open(
        configuration: AccountsConfiguration,
        progress: Progress
    ) async throws -> SyncAccounts {
        let environment = configuration.environment
        let manager = try AccountManager(
            storage: AccountFiles(
                root: configuration.folder,
                entities: try checkedDescriptors(types: configuration.entities),
                random: environment.random,
                sleeper: environment.sleeper
            ),
            settings: AccountSettings(
                ownerFields: configuration.ownerFields,
                environment: SyncEnvironment(
                    clock: environment.clock,
                    random: environment.random,
                    label: configuration.deviceLabel
                ),
                onProgress: { progress.note($0) },
                backend: { id in DeferredRemote { try configuration.remote(id) } }
            )
        )
        let session = await manager.current
        let space = try SyncSpace(session: session, configuration: configuration)
        let accounts = SyncAccounts(
            manager: manager,
            configuration: configuration,
            space: space,
            generation: session.generation
        )
        progress.accounts.use { $0 = Weak(accounts) }
        return accounts
    }

    private init(
        manager: AccountManager,
        configuration: AccountsConfiguration,
        space: SyncSpace,
        generation: Int
    ) {
        self.manager = manager
        self.configuration = configuration
        state = Guarded(State(space: space, generation: generation))
    }

    /// The space of the account in use.
    public var space: SyncSpace { state.use { $0.space } }

    /// The account in use.
    public var account: AccountID { space.account ?? .guest }

    /// Spaces as they come into use, beginning with the one that is.
    public func spaces() -> AsyncStream<SyncSpace> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SyncSpace.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.use { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = continuation
            continuation.yield(state.space)
            return state.lastWatcher
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.use { $0.watchers[number] = nil }
        }
        return stream
    }

    /// Syncs the space in use by itself, and each that comes into use later; see `SyncSpace.run`. To be called once.
    public func run(startsActive: Bool = true) async {
        state.use { $0.isActive = startsActive }
        await withDiscardingTaskGroup { group in
            for await space in spaces() {
                let isActive = state.use { $0.isActive }
                group.addTask { await space.run(startsActive: isActive) }
            }
        }
    }

    /// The app is in the foreground.
    public func appBecameActive() {
        state.use { $0.isActive = true }
        space.appBecameActive()
    }

    /// The app is not in the foreground any more.
    public func appEnteredBackground() {
        state.use { $0.isActive = false }
        space.appEnteredBackground()
    }

    /// Runs an operation, and shows the space of the account that is in use after it, whatever came of it.
    private func change<Result: Sendable>(
        operation: (AccountManager) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do { result = try await operation(manager) } catch {
            try show(await manager.current)
            throw error
        }
        try show(await manager.current)
        return result
    }

    private func show(_ session: AccountSession) throws {
        guard session.generation > state.use({ $0.generation }) else { return }
        let space = try SyncSpace(session: session, configuration: configuration)
        let old = state.use { state -> SyncSpace? in
            // NB: of operations at the same time, the one that ended first may come here last.
            guard session.generation > state.generation else { return nil }
            let old = state.space
            state.space = space
            state.generation = session.generation
            for watcher in state.watchers.values { watcher.yield(space) }
            return old
        }
        old?.close()
    }

    /// Passes progress on to the space in use.
    private final class Progress: Sendable {
        let accounts = Guarded(Weak(nil))

        func note(_ progress: SyncProgress) {
            accounts.use { $0.value }?.space.board.note(progress)
        }
    }

    private struct Weak: Sendable {
        weak let value: SyncAccounts?

        init(_ value: SyncAccounts?) { self.value = value }
    }
}

/// What a person does with accounts.
extension SyncAccounts {
    /// The accounts that this device holds, the guest left out, in the order of their first sign-in.
    public func all() async throws -> [AccountID] { try await change { try await $0.accounts() } }

    /// What would be lost if the account in use were discarded now, every entity listed, parents first.
    public func unsent() async throws -> [UnsentCounts] { try await manager.pendingCounts() }

    /// Counts what signing in would do with the guest's records, and does nothing. See `AccountManager.adoptionPreview`.
    public func adoptionPreview(id: AccountID, owner: FieldValue? = nil) async throws -> AdoptionReport {
        try await change { try await $0.adoptionPreview(id: id, owner: owner) }
    }

    /// Signs in, and takes the guest's records along unless told otherwise. Returns what became of them; nil when none
    /// were to be adopted, or there was no guest. See `AccountManager.signIn`.
    @discardableResult
    public func signIn(
        _ id: AccountID,
        adopting: GuestAdoption = .guestRecords,
        owner: FieldValue? = nil
    ) async throws -> AdoptionReport? {
        try await change { try await $0.signIn(id, adopting: adopting, owner: owner).adoption }
    }

    /// Goes over to another account of this device, or to the guest. The account that is left keeps its store.
    public func switchTo(_ id: AccountID) async throws {
        try await change { _ = try await $0.switchTo(id) }
    }

    /// Signs out: the guest is in use afterwards. Returns what was not with the remote, every entity listed: kept under
    /// `.keep`, lost under `.discard`. Throws `UnsentRecords`, and changes nothing, when `.requireSynced` finds any.
    @discardableResult
    public func signOut(_ mode: SignOutMode) async throws -> [UnsentCounts] {
        try await change { try await $0.signOut(mode) }
    }

    /// Removes an account's records from this device, whatever waits to be pushed, so that no file holds any of their
    /// values. If it is in use, the guest is afterwards. Throws `notFound` for an account that is not known here.
    public func wipe(_ id: AccountID) async throws {
        try await change { try await $0.wipe(id) }
    }

    /// Closes the account in use; nothing is to be done with the accounts afterwards.
    public func close() async {
        space.close()
        await manager.close()
    }
}

extension SyncSpace {
    /// The space of an account in use.
    convenience init(session: AccountSession, configuration: AccountsConfiguration) throws {
        self.init(
            store: SpaceStore(session: session),
            remote: SpaceRemote(session: session, clock: configuration.environment.clock),
            board: StatusBoard(log: configuration.log),
            account: session.id,
            configuration.space
        )
    }
}
