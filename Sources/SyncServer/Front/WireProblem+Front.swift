import SyncCore
import SyncSQLite
public import SyncWire

/// The wording of every problem that the front door finds.
extension WireProblem {
    static let noToken = WireProblem(
        .unauthorized,
        "Send the account's token in one field 'Authorization: Bearer ...'."
    )
    static let badToken = WireProblem(.unauthorized, "The token is not valid.")
    static let noPath = WireProblem(.notFound, "There is nothing under this path.")
    static let otherMedia = WireProblem(
        .unsupportedMediaType,
        "Send the body with 'Content-Type: application/json'."
    )
    static let encodedBody = WireProblem(.unsupportedMediaType, "Send the body without content encoding.")
    static let internalMistake = WireProblem(
        .internalError,
        "The server made a mistake; its log has the request's id."
    )

    static func noMethod(_ allowed: [String]?) -> WireProblem {
        guard let allowed else {
            return WireProblem(.methodNotAllowed, "The path does not know this method.")
        }
        return WireProblem(.methodNotAllowed, "The path knows \(allowed.joined(separator: ", ")) only.")
    }

    static func wait(_ seconds: Int) -> WireProblem {
        WireProblem(.tooManyRequests, "There were too many requests.", retryAfterSeconds: seconds)
    }

    static func notNow(_ seconds: Int) -> WireProblem {
        WireProblem(.unavailable, "The server cannot answer now.", retryAfterSeconds: seconds)
    }

    /// The body is larger than the limits.
    public static func bodyTooLarge(_ limits: WireLimits) -> WireProblem {
        WireProblem(.tooLarge, "The body is larger than \(limits.requestBytes) bytes.", limits: limits)
    }

    /// The body did not come in time.
    public static let bodyTooSlow = WireProblem(.requestTimeout, "The body did not come in time.")

    /// The body is not what its framing says.
    public static let brokenFraming = WireProblem(.malformed, "The request is not valid HTTP.")

    /// The account, or the server, has as many open streams as it may.
    public static let tooManyStreams = WireProblem(
        .tooManyRequests,
        "There are too many open streams.",
        retryAfterSeconds: 30
    )

    /// The account has as many connections as it may.
    public static let tooManyConnections = WireProblem(
        .tooManyRequests,
        "The account has too many connections.",
        retryAfterSeconds: 1
    )

    /// The account's bodies take as much memory as they may.
    public static let tooMuchAtOnce = WireProblem(
        .tooManyRequests,
        "The account sends too much at once.",
        retryAfterSeconds: 1
    )

    /// The server holds as many bodies as it may.
    public static let tooBusy = WireProblem(.unavailable, "The server is busy.", retryAfterSeconds: 1)

    /// What a client may know of any error: problems as they are, a full or busy database as a wait, the rest as a mistake
    /// of the server. The second value is for the log: a type and a number, never words.
    static func of(_ error: any Error) -> (WireProblem, cause: String?) {
        switch error {
        case let problem as WireProblem: return (problem, problem.cause)
        case let problem as JSONProblem:
            let detail =
                "The body is not valid JSON: \(problem.kind.rawValue), at byte \(problem.offset + 1)."
            return (WireProblem(.malformed, detail), nil)
        case let error as SQLiteError:
            let cause = "SQLite \(error.extendedCode)"
            if error.isBusy { return (.notNow(1), cause) }
            if error.isFull || error.isIOError || error.cantOpen || error.isReadOnly {
                return (.notNow(30), cause)
            }
            return (.internalMistake, cause)
        case let error as SyncError:
            let cause = "SyncError \(error.kind.rawValue)"
            switch error.kind {
            case .busy: return (.notNow(1), cause)
            case .inputOutput, .notPermitted: return (.notNow(30), cause)
            default: return (.internalMistake, cause)
            }
        default: return (.internalMistake, "\(type(of: error))")
        }
    }
}
