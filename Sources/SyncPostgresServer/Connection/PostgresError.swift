#if Server
    /// What went wrong with a database, as data. It never contains a message of the server, which may quote values.
    struct PostgresError: Error, Sendable, Hashable {
        /// What happened.
        var kind: Kind
        /// PostgreSQL's five characters, such as `57014`; empty if the server did not answer.
        var sqlstate = ""
        /// What an SQL function raised for the client with the state `PGRST`; nil for anything else.
        var response: RaisedResponse?
        /// For a failed login: libpq's sentence, without the password.
        var reason = ""

        /// The closed list of what can happen.
        enum Kind: Sendable, Hashable {
            /// The server answered with an error.
            case failed
            /// There is no connection, and none could be made.
            case unreachable
            /// The connection ended before the answer. Whether something was stored is unknown.
            case lost
            /// No answer came in time. Whether something was stored is unknown.
            case timedOut
            /// All connections are in use, and too many wait for one.
            case busy
        }

        /// What an SQL function raises for the client: as JSON in the message and the detail, as PostgREST defines it.
        struct RaisedResponse: Sendable, Hashable {
            /// The JSON with `code` and `message`.
            var message: String
            /// The JSON with `status`.
            var detail: String
        }

        /// The two characters of the state's class.
        var stateClass: String { String(sqlstate.prefix(2)) }

        /// Whether the connection is gone.
        var isLoss: Bool {
            kind == .lost || stateClass == "08" || ["57P01", "57P02", "57P03"].contains(sqlstate)
        }

        /// Whether the same statements may succeed at once: the connection was lost, or another transaction interfered.
        var mayHelpToRepeat: Bool { isLoss || ["40001", "40P01"].contains(sqlstate) }

        /// Whether the database ended the statement because it took too long by itself.
        var isTooSlow: Bool { sqlstate == "57014" }

        /// For the server's log: what failed, without any value.
        var cause: String {
            switch kind {
            case .failed: "PostgreSQL \(sqlstate)"
            case .unreachable: "PostgreSQL cannot be reached"
            case .lost: sqlstate.isEmpty ? "PostgreSQL closed the connection" : "PostgreSQL \(sqlstate)"
            case .timedOut: "PostgreSQL did not answer in time"
            case .busy: "all connections to PostgreSQL are in use"
            }
        }
    }
#endif
