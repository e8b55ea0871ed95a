package import SyncCore

/// The accounts of one device: which one is in use, and how that changes.
///
/// Each account has its own store, the guest included. Operations are atomic: one that was interrupted, by an error
/// or by the end of the process, is completed or undone by the next operation or the next start. Operations exclude
/// each other across processes; a second one throws `busy`.
///
/// If removing the files of a dropped store fails, the change of account has already happened. The next operation or
/// the next start removes the remaining files.
public actor AccountManager {
    /// The session of the account in use.
    public private(set) var current: AccountSession
    let storage: any AccountStorage
    let settings: AccountSettings
    var index: AccountIndex
    private var lastGeneration = 1
    /// Sessions of accounts that were left, whose last sync may still run.
    private var lingering: [AccountSession] = []

    /// Completes or undoes an interrupted operation, then opens the account that was in use last, or the guest.
    ///
    /// Throws `SyncError`, or the error of `AccountSettings.backend`.
    package init(storage: any AccountStorage, settings: AccountSettings) throws {
        self.storage = storage
        self.settings = settings
        let lock = try storage.lock()
        defer { lock.close() }
        let opening = AccountOpening(storage: storage, settings: settings)
        (index, current) = try opening.start()
    }

    /// The accounts on this device except the guest, in the order of their first sign-in.
    public func accounts() throws -> [AccountID] {
        try exclusively { index.entries.map(\.id).filter { !$0.isGuest } }
    }

    /// What would be lost if the account in use were discarded now: counts for every entity, parents first.
    public func pendingCounts() throws -> [UnsentCounts] {
        let session = current
        return try session.store.read { try $0.unsent(entities: session.store.entities) }
    }

    /// Ends the session in use; its account stays the one in use. Do not use the manager afterwards.
    public func close() {
        current.gate.close(.keeping)
        current.leave()
    }
}

extension AccountManager {
    /// Runs an operation on the present index while no other process runs one. After an error, restores the state
    /// that the index describes.
    func exclusively<Result>(body: () throws -> Result) throws -> Result {
        let lock = try storage.lock()
        defer { lock.close() }
        try catchUp()
        do { return try body() } catch {
            // If this fails too, the next operation or start repeats it. Until then the session may stay closed.
            try? catchUp()
            throw error
        }
    }

    /// Brings the session in line with the index, after a change by another process or by a failed operation.
    private func catchUp() throws {
        let opening = AccountOpening(storage: storage, settings: settings)
        index = try opening.recover()
        guard index.active == current.folder else {
            let session: AccountSession
            (index, session) = try opening.start(generation: nextGeneration())
            replace(current, by: session)
            return
        }
        // The store may say that it is being left although the gate is open: a commit may have failed.
        try opening.clearLeft(current.base)
        if !current.isCurrent { current.gate.reopen() }
    }

    func nextGeneration() -> Int {
        lastGeneration += 1
        return lastGeneration
    }

    /// Writes the index and uses it from now on.
    func write(_ next: AccountIndex) throws {
        try storage.writeIndex(next.bytes)
        index = next
    }

    /// Ends one session and starts another.
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
    }

    /// Removes the folders that were marked for removal.
    func removeDoomed() throws {
        guard !index.doomed.isEmpty else { return }
        for session in lingering where index.doomed.contains(session.folder) { session.drop() }
        let result = try AccountOpening(storage: storage, settings: settings).removeDoomed(index)
        index = result.index
        if let failure = result.failure { throw failure }
    }
}
