import SyncCore
import SyncRuntime

/// Recovers the files of the accounts, and opens the account in use.
struct AccountOpening {
    let storage: any AccountStorage
    let settings: AccountSettings

    /// Completes or undoes an interrupted operation, then opens the account in use, or the guest.
    func start(generation: Int = 1) throws -> (AccountIndex, AccountSession) {
        var index = try recover()
        guard let entry = index.entries.first(where: { $0.folder == index.active }) else {
            let entry = try announce(id: .guest, index: &index)
            let session = try open(entry: entry, generation: generation)
            index.activate(entry: entry)
            do { try storage.writeIndex(index.bytes) } catch {
                session.drop()
                throw error
            }
            return (index, session)
        }
        return (index, try open(entry: entry, generation: generation))
    }

    /// Completes or undoes an interrupted operation.
    func recover() throws -> AccountIndex {
        var index = try storage.readIndex().map { try AccountIndex($0) } ?? AccountIndex()
        if let adoption = index.adoption {
            if try isDone(adoption) { index.finish(adoption) } else { index.adoption = nil }
            try storage.writeIndex(index.bytes)
        }
        // What cannot be removed keeps nobody from the other accounts. Whoever had it removed was told.
        return try removeDoomed(index).index
    }

    /// Removes the folders marked for removal. They are removed again until the index no longer lists them.
    ///
    /// - Returns: The index, and why the last of those that are left could not be removed; nil if none is left.
    func removeDoomed(_ index: AccountIndex) throws -> (index: AccountIndex, failure: (any Error)?) {
        var (next, failure) = (index, (any Error)?.none)
        next.doomed = index.doomed.filter { folder in
            do {
                try storage.removeFolder(folder)
                return false
            } catch {
                failure = error
                return true
            }
        }
        if next.doomed.count < index.doomed.count { try storage.writeIndex(next.bytes) }
        return (next, failure)
    }

    /// The account's entry, or a new one if its folder is `gone`, which is to be removed. A new one gets a folder, which
    /// is marked for removal until the account is in use.
    func announce(
        id: AccountID,
        without gone: String? = nil,
        index: inout AccountIndex
    ) throws -> AccountIndex.Entry {
        if let entry = index.entry(of: id), entry.folder != gone { return entry }
        let entry = AccountIndex.Entry(id: id, folder: settings.environment.random.uuid())
        index.doomed.append(entry.folder)
        try storage.writeIndex(index.bytes)
        return entry
    }

    /// Opens a session on an account's store.
    func open(entry: AccountIndex.Entry, generation: Int) throws -> AccountSession {
        let backend = entry.id.isGuest ? nil : try settings.backend(entry.id)
        let store = try storage.openStore(in: entry.folder)
        do { try clearLeft(store) } catch {
            store.close()
            throw error
        }
        return AccountSession(
            entry: entry,
            generation: generation,
            base: store,
            backend: backend,
            settings: settings
        )
    }

    /// Clears the note that the account was being left, if leaving was not completed.
    func clearLeft(_ store: any AccountStore) throws {
        guard try store.read({ try $0.value(name: AccountValue.left) }) != nil else { return }
        try store.write(.full) { try $0.setValue(AccountValue.left, value: nil) }
    }

    /// Whether the account already has the guest's records.
    private func isDone(_ adoption: AccountIndex.Adopting) throws -> Bool {
        guard try storage.holdsStore(in: adoption.target.folder) else { return false }
        let store = try storage.openStore(in: adoption.target.folder)
        defer { store.close() }
        return try store.read { try $0.value(name: AccountValue.adopted) } == adoption.guest
    }
}
