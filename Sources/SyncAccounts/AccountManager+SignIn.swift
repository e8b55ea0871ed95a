public import SyncCore
public import SyncRuntime

extension AccountManager {
    /// Signs in; the account is in use afterwards, with its own store.
    ///
    /// Adopting moves the guest's live records to the account in one transaction. Each record keeps its key, gets
    /// `owner` in its owner field, and waits to be pushed. If the account already has the record, the two merge by
    /// the entity's strategy, as concurrent edits; a value that loses goes to the journal. Records that the guest
    /// deleted are not adopted, `limit` is not applied, and the guest's store is emptied.
    ///
    /// - Parameters:
    ///   - id: The account, not the guest.
    ///   - adopting: Whether the account adopts the guest's records.
    ///   - owner: The value of the owner fields; the account's name by default.
    /// - Throws: `SyncError`, or the error of `AccountSettings.backend`. Nothing has changed then, except if files
    ///   failed after the records were adopted: the next operation then completes the sign-in.
    @discardableResult
    public func signIn(
        _ id: AccountID,
        adopting: GuestAdoption = .guestRecords,
        owner: FieldValue? = nil
    ) throws -> SignIn {
        let name = try name(of: id)
        return try exclusively {
            guard adopting == .guestRecords, let guest = index.entry(of: .guest) else {
                try enter(id)
                return SignIn(session: current, adoption: nil)
            }
            let report = try adopt(guest, into: id, owner: owner ?? .text(name))
            return SignIn(session: current, adoption: report)
        }
    }

    /// Counts what signing in would do with the guest's records, by doing it in a transaction that is rolled back.
    ///
    /// It sees only this device's records of the account. Records that only the remote holds are merged by the next
    /// sync.
    public func adoptionPreview(id: AccountID, owner: FieldValue? = nil) throws -> AdoptionReport {
        let name = try name(of: id)
        return try exclusively {
            guard let guest = index.entry(of: .guest) else { return AdoptionReport() }
            return try rehearse(guest, id: id, owner: owner ?? .text(name))
        }
    }

    private func name(of id: AccountID) throws -> String {
        guard let name = id.text, !name.isEmpty else { throw SyncError.noAccountName() }
        return name
    }

    private func adoption(by id: AccountID, store: any LocalStore, owner: FieldValue) -> Adoption {
        Adoption(
            entities: store.entities.map { settings.deciding(id, $0) },
            ownerFields: settings.ownerFields,
            owner: owner,
            now: settings.environment.clock.now()
        )
    }

    /// Adoption takes effect with the transaction in the account's store, which also records whose records it
    /// adopted.
    private func adopt(_ guest: AccountIndex.Entry, into id: AccountID, owner: FieldValue) throws
        -> AdoptionReport
    {
        let (opening, target) = try announced(id: id)
        let isCurrent = target.folder == current.folder
        let session = isCurrent ? current : try opening.open(entry: target, generation: nextGeneration())
        let report: AdoptionReport
        do {
            var next = index
            next.adoption = AccountIndex.Adopting(guest: guest.folder, target: target)
            try write(next)
            report = try withStore(of: guest) { store in
                try move(store, into: session, owner: owner, guest: guest.folder)
            }
            if let adoption = next.adoption { next.finish(adoption) }
            try write(next)
        } catch {
            if !isCurrent { session.drop() }
            throw error
        }
        if !isCurrent { replace(current, by: session) }
        try removeDoomed()
        return report
    }

    private func move(
        _ guest: any AccountStore,
        into session: AccountSession,
        owner: FieldValue,
        guest folder: String
    ) throws -> AdoptionReport {
        let adoption = adoption(by: session.id, store: session.base, owner: owner)
        // Also after a crash, no process writes a record there that is not adopted.
        try guest.write(.full) { try $0.setValue(AccountValue.left, value: "1") }
        var isAdopted = false
        do {
            // The guest's write lock is held meanwhile: what was written there before is adopted.
            return try guest.write(.full) { leaving in
                let report = try session.base.write(.full) { transaction in
                    let report = try adoption.run(from: leaving, into: transaction)
                    try transaction.setValue(AccountValue.adopted, value: folder)
                    return report
                }
                isAdopted = true
                if current.folder == folder { current.gate.close(.dropping) }
                return report
            }
        } catch {
            // Once the account has the records, the guest's store is about to go.
            if !isAdopted { try? guest.write(.full) { try $0.setValue(AccountValue.left, value: nil) } }
            throw error
        }
    }

    private func rehearse(_ guest: AccountIndex.Entry, id: AccountID, owner: FieldValue) throws
        -> AdoptionReport
    {
        let (_, target) = try announced(id: id)
        let report = try withStore(of: guest) { guest in
            try withStore(of: target) { account in
                let adoption = adoption(by: id, store: account, owner: owner)
                return try guest.read { leaving in
                    do {
                        return try account.write(.pulled) { transaction -> AdoptionReport in
                            throw Rehearsal(report: try adoption.run(from: leaving, into: transaction))
                        }
                    } catch let rehearsal as Rehearsal { return rehearsal.report }
                }
            }
        }
        try removeDoomed()
        return report
    }

    /// Carries a report out of a transaction that must not be committed.
    private struct Rehearsal: Error {
        let report: AdoptionReport
    }

    /// The entry of an account that is about to be used.
    func announced(
        id: AccountID,
        without gone: String? = nil
    ) throws -> (AccountOpening, AccountIndex.Entry) {
        let opening = AccountOpening(storage: storage, settings: settings)
        var next = index
        let entry = try opening.announce(id: id, without: gone, index: &next)
        index = next
        return (opening, entry)
    }

    /// Runs `body` with the store of an account: the current session's, if it is the account's.
    private func withStore<Result>(
        of entry: AccountIndex.Entry,
        body: (any AccountStore) throws -> Result
    ) throws -> Result {
        if entry.folder == current.folder { return try body(current.base) }
        let store = try storage.openStore(in: entry.folder)
        defer { store.close() }
        return try body(store)
    }
}
