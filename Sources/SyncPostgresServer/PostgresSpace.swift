#if Server
    package import SyncServer

    /// The space of a log: a UUID that is derived from the account's id, and of a scratch log from its name, too.
    package struct PostgresSpace {
        /// The UUID as text.
        package let id: String

        /// The space of an account's own log.
        package init(accountID: String) {
            self.init(name: "account\0\(accountID)")
        }

        /// The space of a log of an account.
        package init(account: Account, log: LogName) {
            switch log {
            case .main: self.init(accountID: account.id)
            case .scratch(let name): self.init(name: "scratch\0\(account.id)\0\(name)")
            }
        }

        private init(name: String) { id = NameUUID.make(name: "entitysync\0\(name)") }
    }
#endif
