import SyncServer

extension TombstonePurger {
    /// Removes what the schemas say.
    func purgeTombstones() async throws -> Int {
        try await purgeTombstones(account: nil, olderThanDays: nil)
    }

    /// Removes what the schemas say, of one account.
    func purgeTombstones(account: String) async throws -> Int {
        try await purgeTombstones(account: account, olderThanDays: nil)
    }

    /// Removes what is older, of all accounts.
    func purgeTombstones(olderThanDays: Int) async throws -> Int {
        try await purgeTombstones(account: nil, olderThanDays: olderThanDays)
    }
}
