public import SyncAccounts
public import SyncCore
public import SyncRuntime
import SyncStore

/// The accounts of a device, the guest included. Each has its own space.
///
/// ```swift
/// var configuration = AccountsConfiguration(folder: folder, entities: [Bookmark.self]) { account in
///     try HTTPBackend(url: "https://sync.example.org") { try keychain.token(of: account) }
/// }
/// configuration.setOwner(Bookmark.Fields.userId)
/// let accounts = try await SyncAccounts.open(configuration)
/// try await accounts.space.collection(Bookmark.self).insert(bookmark)
/// try await accounts.signIn(AccountID("ada"))
/// ```
///
/// Each operation is atomic. It ends the space that was in use before: its observations end, its running sync is
/// cancelled, and its reads and writes throw `SyncError.accountLeft`.
public final class SyncAccounts: Sendable {
    private let manager: AccountManager
    private let configuration: AccountsConfiguration
    private let state: Guarded<State>
    /// Held while watchers are told of a space, so that no space comes after a later one. Always before `state`.
    private let telling = Guarded(())

    private struct State {
        var space: SyncSpace
        var generation: Int
        var isActive = false
        var watchers: [Int: AsyncStream<SyncSpace>.Continuation] = [:]
        var lastWatcher = 0
    }

    /// Opens the account that was in use last, or the guest. If another process is opening or changing the accounts,
    /// waits for it up to five seconds. Throws `SyncError`.
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
        var settings = AccountSettings(
            ownerFields: configuration.ownerFields,
            environment: SyncEnvironment(
                clock: environment.clock,
                random: environment.random,
                label: configuration.deviceLabel
            ),
            onProgress: { progress.note($0) },
            backend: { id in DeferredRemote { try configuration.remote(id) } }
        )
        settings.deciding = configuration.deciding
        let manager = try AccountManager(
            storage: AccountFiles(
                root: configuration.folder,
                entities: try checkedDescriptors(types: configuration.entities),
                random: environment.random,
                sleeper: environment.sleeper
            ),
            settings: settings
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

    /// The space in use, and each later one as it comes into use.
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

    /// Syncs the space in use automatically, and each later one; see `SyncSpace.run`. Call it once.
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

    /// The app is no longer in the foreground.
    public func appEnteredBackground() {
        state.use { $0.isActive = false }
        space.appEnteredBackground()
    }

    /// Runs an operation, then shows the space of the account in use, whether or not the operation succeeded.
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
        // NB: watchers are told outside of `state`. It wakes their tasks, and cancelling such a task takes `state`.
        let old = telling.use { _ -> SyncSpace? in
            let (old, watchers) = state.use { state -> (SyncSpace?, [AsyncStream<SyncSpace>.Continuation]) in
                // The result of an earlier operation may arrive here after that of a later one.
                guard session.generation > state.generation else { return (nil, []) }
                let old = state.space
                state.space = space
                state.generation = session.generation
                return (old, Array(state.watchers.values))
            }
            for watcher in watchers { watcher.yield(space) }
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

/// Account operations of a person.
extension SyncAccounts {
    /// The accounts on this device except the guest, in the order of their first sign-in.
    public func all() async throws -> [AccountID] { try await change { try await $0.accounts() } }

    /// What would be lost if the account in use were discarded now: counts for every entity, parents first.
    public func unsent() async throws -> [UnsentCounts] { try await manager.pendingCounts() }

    /// Counts what signing in would do with the guest's records, without doing it. See
    /// `AccountManager.adoptionPreview`.
    public func adoptionPreview(id: AccountID, owner: FieldValue? = nil) async throws -> AdoptionReport {
        try await change { try await $0.adoptionPreview(id: id, owner: owner) }
    }

    /// Signs in. By default the account adopts the guest's records. Returns what became of them; nil if none were to
    /// be adopted, or there was no guest. See `AccountManager.signIn`.
    @discardableResult
    public func signIn(
        _ id: AccountID,
        adopting: GuestAdoption = .guestRecords,
        owner: FieldValue? = nil
    ) async throws -> AdoptionReport? {
        try await change { try await $0.signIn(id, adopting: adopting, owner: owner).adoption }
    }

    /// Switches to another account of this device, or to the guest. The previous account keeps its store.
    public func switchTo(_ id: AccountID) async throws {
        try await change { _ = try await $0.switchTo(id) }
    }

    /// Signs out; the guest is in use afterwards. Returns counts of the records that the remote did not hold, for
    /// every entity: kept under `.keep`, lost under `.discard`. Under `.requireSynced`, throws `UnsentRecords` and
    /// changes nothing if there are any.
    @discardableResult
    public func signOut(_ mode: SignOutMode) async throws -> [UnsentCounts] {
        try await change { try await $0.signOut(mode) }
    }

    /// Removes an account's records from this device, even unsent ones, so that no file contains any of their values.
    /// If the account is in use, the guest is in use afterwards. Throws `notFound` for an unknown account.
    public func wipe(_ id: AccountID) async throws {
        try await change { try await $0.wipe(id) }
    }

    /// Closes the account in use. Do not use the accounts afterwards.
    public func close() async {
        space.close()
        let watchers = state.use { state in
            defer { state.watchers = [:] }
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
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
            configuration.space(of: session.id)
        )
    }
}
