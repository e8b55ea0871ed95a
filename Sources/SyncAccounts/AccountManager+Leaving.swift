import SyncCore

extension AccountManager {
    /// Switches to another account of this device, or to the guest. The previous account keeps its store.
    @discardableResult
    public func switchTo(_ id: AccountID) throws -> AccountSession {
        try exclusively {
            guard id.isGuest || index.entry(of: id) != nil else { throw SyncError.unknownAccount() }
            try enter(id)
            return current
        }
    }

    /// Signs out; the guest is in use afterwards. Returns counts of the records that the remote did not hold, for
    /// every entity: kept under `.keep`, lost under `.discard`.
    ///
    /// Under `.requireSynced`, throws `UnsentRecords` and changes nothing if there are any.
    @discardableResult
    public func signOut(_ mode: SignOutMode) throws -> [UnsentCounts] {
        try exclusively {
            var counts: [UnsentCounts] = []
            let entities = current.store.entities
            let gone = mode == .keep ? nil : current.folder
            try enter(.guest, removing: gone) { snapshot in
                counts = try snapshot.unsent(entities: entities)
                if mode == .requireSynced, counts.contains(where: { $0.total > 0 }) {
                    throw UnsentRecords(counts: counts)
                }
            }
            return counts
        }
    }

    /// Removes an account's records from this device, even unsent ones, so that no file contains any of their values.
    /// If the account is in use, the guest is in use afterwards. Throws `notFound` for an unknown account.
    public func wipe(_ id: AccountID) throws {
        try exclusively {
            guard let entry = index.entry(of: id) else { throw SyncError.unknownAccount() }
            guard entry.folder != current.folder else { return try enter(.guest, removing: entry.folder) }
            var next = index
            next.forget(entry.folder)
            try write(next)
            try removeDoomed()
        }
    }

    /// Makes another account the one in use. `condition` checks the previous account's store, in the transaction
    /// after which nobody can write to it.
    func enter(
        _ id: AccountID,
        removing gone: String? = nil,
        if condition: (any StoreSnapshot) throws -> Void = { _ in }
    ) throws {
        if gone == nil, index.entry(of: id)?.folder == current.folder {
            return try current.base.read(condition)
        }
        let (opening, entry) = try announced(id: id, without: gone)
        let session = try opening.open(entry: entry, generation: nextGeneration())
        do {
            try shut(current, removing: gone != nil, if: condition)
            var next = index
            if let gone { next.forget(gone) }
            next.activate(entry: entry)
            try write(next)
        } catch {
            session.drop()
            throw error
        }
        replace(current, by: session)
        try removeDoomed()
    }

    /// Closes the gate of a session inside a transaction of its store: every write is either before it or refused.
    private func shut(
        _ session: AccountSession,
        removing isRemoved: Bool,
        if condition: (any StoreSnapshot) throws -> Void
    ) throws {
        do {
            try session.base.write(isRemoved ? .full : .pulled) { transaction in
                try condition(transaction)
                // Other processes have their own gates and check this value.
                if isRemoved { try transaction.setValue(AccountValue.left, value: "1") }
                session.gate.close(isRemoved ? .dropping : .keeping)
            }
        } catch {
            session.gate.reopen()
            throw error
        }
    }
}
