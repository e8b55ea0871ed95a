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

        /// A UUID of version 8 (RFC 9562) from the first half of the name's SHA-256.
        private init(name: String) {
            var bytes = Array(SHA256.digest(bytes: Array("entitysync\0\(name)".utf8)).prefix(16))
            bytes[6] = bytes[6] & 0x0f | 0x80
            bytes[8] = bytes[8] & 0x3f | 0x80
            let digits = Array("0123456789abcdef")
            var text = ""
            for (index, byte) in bytes.enumerated() {
                if [4, 6, 8, 10].contains(index) { text.append("-") }
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
            id = text
        }
    }
#endif
