#if Server
    import Foundation
    import SyncCore
    import SyncServer
    import SyncWire

    /// What a client is told of a database's errors: never a message of the database, which may quote values.
    extension WireError {
        init(database error: any Error, limits: WireLimits) {
            switch error {
            case let error as WireError: self = error
            case let error as JSONError: self = .notJSON(error: error)
            case let error as PostgresError: self.init(error: error, limits: limits)
            default:
                self.init(
                    code: .unavailable,
                    detail: "The server cannot use its database.",
                    retryAfterSeconds: 30
                )
                cause = "\(type(of: error))"
            }
        }

        /// The changes of a request took longer than a statement may. The client halves them.
        static func tooMuchWork(limits: WireLimits, cause: String) -> WireError {
            var error = WireError(
                code: .tooLarge,
                detail: "The database did not store so many changes in time: send fewer at once.",
                limits: limits
            )
            error.cause = cause
            return error
        }

        /// What only the server's operator can mend.
        private static let broken =
            "The account cannot be served now: who runs the server has to look at its database."

        private init(error: PostgresError, limits: WireLimits) {
            if let response = error.response {
                self.init(raised: response, limits: limits)
                return
            }
            switch (error.kind, error.stateClass) {
            case (.busy, _):
                self.init(code: .unavailable, detail: "The server is busy.", retryAfterSeconds: 1)
            case (.unreachable, _), (.lost, _), (.timedOut, _), (_, "08"):
                self.init(
                    code: .unavailable,
                    detail: "The server's database cannot be reached.",
                    retryAfterSeconds: 5
                )
            case (_, "23"), (_, "40"), (_, "55"), (_, "57"):
                // The account was erased meanwhile; another transaction, a timeout, or a shutdown.
                self.init(code: .unavailable, detail: "The server's database is busy.", retryAfterSeconds: 1)
            case (_, "53"):
                let detail =
                    error.sqlstate == "53100"
                    ? "The server's disk is full." : "The server's database is full."
                self.init(code: .unavailable, detail: detail, retryAfterSeconds: 60)
            case (_, "25"), (_, "58"):
                let detail = "The server's database cannot be read or written now."
                self.init(code: .unavailable, detail: detail, retryAfterSeconds: 30)
            case (_, "42"), (_, "3F"), (_, "XX"), (_, "28"):
                // Functions or rights are missing, or the database is damaged.
                self.init(code: .unavailable, detail: Self.broken, retryAfterSeconds: 300)
            case (_, "22"):
                self.init(code: .malformed, detail: "The request is not what the protocol asks for.")
            default: self.init(code: .internalError, detail: "The request failed in the server's database.")
            }
            storage = error.storageFailure
            cause = error.cause
        }

        /// What an SQL function raised for the client, if it is one of the protocol's codes.
        private init(raised response: PostgresError.RaisedResponse, limits: WireLimits) {
            struct Message: Decodable {
                var code: String?
                var message: String?
            }
            let message = try? JSONDecoder().decode(Message.self, from: Data(response.message.utf8))
            if message?.code == "no-policy" {
                self.init(code: .unavailable, detail: Self.broken, retryAfterSeconds: 300)
                cause = "a table without a policy for users"
                return
            }
            guard let message, let code = message.code.flatMap({ Code(rawValue: $0) }) else {
                self.init(code: .internalError, detail: "The request failed in the server's database.")
                cause = "PostgreSQL PGRST"
                return
            }
            self.init(
                code: code,
                detail: message.message ?? "",
                limits: code == .tooLarge ? limits : nil,
                retryAfterSeconds: code == .unavailable ? 300 : nil
            )
        }
    }

    extension PostgresError {
        /// What the error says about the database as a whole; nil if the request may have caused it, as it may if the
        /// connection breaks off, memory is short or a statement takes too long.
        fileprivate var storageFailure: StorageFailure? {
            switch sqlstate {
            case _ where kind == .unreachable: .databaseDown
            // Shut down by a person, starting up, or with too many connections.
            case "57P01", "57P03", "53300": .databaseDown
            case "53100": .full
            case "25006": .readOnly
            default: stateClass == "58" ? .failed : nil
            }
        }
    }
#endif
