package import SyncCore
public import SyncRuntime

/// An account in use: its store, and its engine unless it is the guest.
///
/// A session ends when its account is left. From then on its store refuses reads and writes, its syncs are cancelled,
/// and later answers of the remote are dropped. Returning to the account makes another session.
public final class AccountSession: Sendable {
    /// Whose session it is.
    public let id: AccountID
    /// Distinguishes sessions of one manager; later sessions have greater numbers.
    public let generation: Int
    /// The account's store, until the account is left.
    package let store: any LocalStore
    /// Local writes into the account's store.
    package let writer: LocalWriter

    /// The store without the gate, for reads beyond the port. Closed when the session has ended.
    package let base: any AccountStore
    /// The account's remote, until the account is left; nil for the guest.
    package let remote: (any RemoteBackend)?
    let gate = AccountGate()
    package let folder: String
    private let engine: SyncEngine?
    private let syncs = Guarded(Syncs())

    private struct Syncs {
        var tasks: [Int: Task<SyncReport, any Error>] = [:]
        var next = 0
        var hasLeft = false
    }

    init(
        entry: AccountIndex.Entry,
        generation: Int,
        base: any AccountStore,
        backend: (any RemoteBackend)?,
        settings: AccountSettings
    ) {
        id = entry.id
        folder = entry.folder
        self.generation = generation
        self.base = base
        store = GatedStore(base: base, gate: gate, role: .app)
        let environment = settings.environment
        let deciding: @Sendable (EntityDescriptor) -> EntityDescriptor = { settings.deciding(entry.id, $0) }
        writer = LocalWriter(
            store: store,
            clock: environment.clock,
            random: environment.random,
            deciding: deciding
        )
        let remote = backend.map { [gate] in GatedBackend(base: $0, gate: gate) }
        self.remote = remote
        engine = remote.map { [gate] remote in
            SyncEngine(
                store: GatedStore(base: base, gate: gate, role: .engine),
                backend: remote,
                environment: environment,
                deciding: deciding,
                onProgress: { if gate.isOpen { settings.onProgress($0) } }
            )
        }
    }

    /// Whether the account is still in use.
    public var isCurrent: Bool { gate.isOpen }

    /// Runs one sync. See `SyncEngine.sync`. Throws `SyncError.accountLeft` when the account is left meanwhile, and
    /// `guestHasNoRemote` for the guest.
    public func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        guard let engine else { throw SyncError.guestHasNoRemote() }
        try gate.check()
        let (number, task) = syncs.use { syncs in
            syncs.next += 1
            let task = Task { try await engine.sync(options) }
            syncs.tasks[syncs.next] = task
            return (syncs.next, task)
        }
        // The account may have been left since the check above, by a caller that does not know this task.
        if !gate.isOpen { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            // A push of an account that was left may complete.
            if gate.isOpen || !gate.isPushing { task.cancel() }
        }
        syncs.use { $0.tasks[number] = nil }
        guard gate.isOpen else {
            closeWhenIdle()
            throw SyncError.accountLeft()
        }
        return try result.get()
    }

    /// Ends the session of an account whose store stays. A running push may complete.
    func leave() {
        syncs.use { $0.hasLeft = true }
        if !gate.isPushing { cancel() }
        closeWhenIdle()
    }

    /// Ends the session of an account whose store is removed.
    func drop() {
        gate.close(.dropping)
        cancel()
        base.close()
    }

    /// Whether no sync is running.
    var isIdle: Bool { syncs.use { $0.tasks.isEmpty } }

    private func cancel() {
        for task in syncs.use({ Array($0.tasks.values) }) { task.cancel() }
    }

    /// Not before the account is left for good: a closed gate may open again.
    private func closeWhenIdle() {
        if syncs.use({ $0.hasLeft && $0.tasks.isEmpty }) { base.close() }
    }
}
