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
        return try removeDoomed(index)
    }

    /// Removes the folders marked for removal. They are removed again until the index no longer lists them.
    func removeDoomed(_ index: AccountIndex) throws -> AccountIndex {
        guard !index.doomed.isEmpty else { return index }
        for folder in index.doomed { try storage.removeFolder(folder) }
        var index = index
        index.doomed = []
        try storage.writeIndex(index.bytes)
        return index
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
