public import SyncCore

extension AccountManager {
    /// Signs in: the account is in use afterwards, with a store of its own.
    ///
    /// Adopting takes the guest's live records along in one transaction: each keeps its key, gets `owner` in its owner
    /// field, and waits to be pushed. One that the account has already meets it by the entity's strategy, as an edit made
    /// without having seen it; a value that loses goes to the journal. What the guest
    /// deleted stays behind, `limit` is not applied, and the guest's store is emptied.
    ///
    /// - Parameters:
    ///   - id: The account, not the guest.
    ///   - adopting: Whether the guest's records are taken along.
    ///   - owner: What the owner fields shall hold; the account's name by default.
    /// - Throws: `SyncError`, or what `AccountSettings.backend` throws. Nothing has changed then, unless
    ///   the files failed after the records were taken: the sign-in is then finished by the next operation.
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

    /// Counts what signing in would do with the guest's records: it does it, in a transaction that is rolled back.
    ///
    /// It meets what this device holds of the account. What only the remote holds meets the records at the next sync.
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

    private func adoption(store: any LocalStore, owner: FieldValue) -> Adoption {
        Adoption(
            entities: store.entities,
            ownerFields: settings.ownerFields,
            owner: owner,
            now: settings.environment.clock.now()
        )
    }

    /// The point of no return is the transaction in the account's store, which also says whose records it took.
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
        let adoption = adoption(store: session.base, owner: owner)
        // NB: the guest's transaction is held meanwhile, so that nothing is written there that is not taken along.
        return try guest.write(.full) { leaving in
            let report = try session.base.write(.full) { transaction in
                let report = try adoption.run(from: leaving, into: transaction)
                try transaction.setValue(AccountValue.adopted, value: folder)
                return report
            }
            if current.folder == folder { current.gate.close(.dropping) }
            try leaving.setValue(AccountValue.left, value: "1")
            return report
        }
    }

    private func rehearse(_ guest: AccountIndex.Entry, id: AccountID, owner: FieldValue) throws
        -> AdoptionReport
    {
        let (_, target) = try announced(id: id)
        let report = try withStore(of: guest) { guest in
            try withStore(of: target) { account in
                let adoption = adoption(store: account, owner: owner)
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

    private func announced(id: AccountID) throws -> (AccountOpening, AccountIndex.Entry) {
        let opening = AccountOpening(storage: storage, settings: settings)
        var next = index
        let entry = try opening.announce(id: id, index: &next)
        index = next
        return (opening, entry)
    }

    /// The store of an account, that of the current session if it is the account's.
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
