public import SyncCore

/// The accounts of one device: which of them is in use, and how it changes hands.
///
/// Each account has a store of its own, the guest included. An operation is done as a whole or not at all: one that was
/// interrupted, by an error or by the end of the process, is finished or undone by the next one or by the next start.
/// Operations exclude each other in all processes; one that finds another under way throws `busy`.
///
/// An error thrown while the files of a store that was given up are removed comes after the change of account; the rest
/// of them is removed by the next operation or the next start.
public actor AccountManager {
    /// The session of the account in use.
    public private(set) var current: AccountSession
    let storage: any AccountStorage
    let settings: AccountSettings
    var index: AccountIndex
    private var lastGeneration = 1
    /// Sessions of accounts that were left and whose last sync may still run.
    private var lingering: [AccountSession] = []
    private var watchers: [Int: AsyncStream<AccountSession>.Continuation] = [:]
    private var lastWatcher = 0

    /// Opens the account that was in use last, or the guest, after finishing or undoing what was interrupted.
    ///
    /// Throws `SyncError`, or what `AccountSettings.backend` throws.
    public init(storage: any AccountStorage, settings: AccountSettings) throws {
        self.storage = storage
        self.settings = settings
        let lock = try storage.lock()
        defer { lock.close() }
        let opening = AccountOpening(storage: storage, settings: settings)
        (index, current) = try opening.start()
    }

    /// The accounts that this device holds, the guest left out, in the order of their first sign-in.
    public func accounts() throws -> [AccountID] {
        try exclusively { index.entries.map(\.id).filter { !$0.isGuest } }
    }

    /// What would be lost if the account in use were discarded now, every entity listed, parents first.
    public func pendingCounts() throws -> [UnsentCounts] {
        let session = current
        return try session.store.read { try $0.unsent(entities: session.store.entities) }
    }

    /// Sessions as they become current, beginning with the one that is.
    public func sessions() -> AsyncStream<AccountSession> {
        let (stream, continuation) = AsyncStream<AccountSession>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        lastWatcher += 1
        let number = lastWatcher
        watchers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.forget(watcher: number) }
        }
        continuation.yield(current)
        return stream
    }

    /// Ends the session in use, which stays the device's account in use. Nothing is to be done with the manager afterwards.
    public func close() {
        current.gate.close(.keeping)
        current.leave()
    }

    private func forget(watcher number: Int) { watchers[number] = nil }
}

extension AccountManager {
    /// Runs an operation while no other process runs one, on the index as it stands now. After an error everything is
    /// brought back to what the index says.
    func exclusively<Result>(body: () throws -> Result) throws -> Result {
        let lock = try storage.lock()
        defer { lock.close() }
        try catchUp()
        do { return try body() } catch {
            // NB: where this fails, too, the next operation or start does it; until then the session may stay shut.
            try? catchUp()
            throw error
        }
    }

    /// Brings the session in line with the index: another process, or an operation that failed half-way, changed it.
    private func catchUp() throws {
        let opening = AccountOpening(storage: storage, settings: settings)
        index = try opening.recover()
        guard index.active == current.folder else {
            let session: AccountSession
            (index, session) = try opening.start(generation: nextGeneration())
            replace(current, by: session)
            return
        }
        // NB: the store may say that it is being left though the gate is open: a commit that failed may have been one.
        try opening.clearLeft(current.base)
        if !current.isCurrent { current.gate.reopen() }
    }

    func nextGeneration() -> Int {
        lastGeneration += 1
        return lastGeneration
    }

    /// Writes the index, and takes it as true from then on.
    func write(_ next: AccountIndex) throws {
        try storage.writeIndex(next.bytes)
        index = next
    }

    /// Ends one session and begins another.
    func replace(_ old: AccountSession, by session: AccountSession) {
        if index.holds(old.folder) {
            old.gate.close(.keeping)
            old.leave()
            lingering.removeAll(where: \.isIdle)
            if !old.isIdle { lingering.append(old) }
        } else {
            old.drop()
        }
        current = session
        for watcher in watchers.values { watcher.yield(session) }
    }

    /// Removes what was given up.
    func removeDoomed() throws {
        guard !index.doomed.isEmpty else { return }
        for session in lingering where index.doomed.contains(session.folder) { session.drop() }
        index = try AccountOpening(storage: storage, settings: settings).removeDoomed(index)
    }
}
