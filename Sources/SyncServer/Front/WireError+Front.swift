import SyncCore
import SyncSQLite
public import SyncWire

/// All errors of the request handler, with their wording.
extension WireError {
    static let noToken = WireError(
        code: .unauthorized,
        detail: "Send the account's token in one field 'Authorization: Bearer ...'."
    )
    static let badToken = WireError(code: .unauthorized, detail: "The token is not valid.")
    /// A token that is valid but for its time.
    package static let expiredToken = WireError(code: .unauthorized, detail: "The token has expired.")
    static let noPath = WireError(code: .notFound, detail: "There is nothing under this path.")
    static let otherMedia = WireError(
        code: .unsupportedMediaType,
        detail: "Send the body with 'Content-Type: application/json'."
    )
    static let encodedBody = WireError(
        code: .unsupportedMediaType,
        detail: "Send the body without content encoding."
    )
    static let internalMistake = WireError(
        code: .internalError,
        detail: "The server made a mistake; its log has the request's id."
    )

    static func noMethod(allowed: [String]?) -> WireError {
        guard let allowed else {
            return WireError(code: .methodNotAllowed, detail: "The path does not know this method.")
        }
        return WireError(
            code: .methodNotAllowed,
            detail: "The path knows \(allowed.joined(separator: ", ")) only."
        )
    }

    static func wait(_ seconds: Int) -> WireError {
        WireError(
            code: .tooManyRequests,
            detail: "There were too many requests.",
            retryAfterSeconds: seconds
        )
    }

    static func notNow(seconds: Int, storage: StorageFailure? = nil) -> WireError {
        WireError(
            code: .unavailable,
            detail: "The server cannot answer now.",
            retryAfterSeconds: seconds,
            storage: storage
        )
    }

    /// The body exceeds the limit.
    public static func bodyTooLarge(limits: WireLimits) -> WireError {
        WireError(
            code: .tooLarge,
            detail: "The body is larger than \(limits.requestBytes) bytes.",
            limits: limits
        )
    }

    /// The body did not arrive in time.
    public static let bodyTooSlow = WireError(
        code: .requestTimeout,
        detail: "The body did not come in time."
    )

    /// The body does not match its framing.
    public static let brokenFraming = WireError(code: .malformed, detail: "The request is not valid HTTP.")

    /// The account or the server has too many open streams.
    public static let tooManyStreams = WireError(
        code: .tooManyRequests,
        detail: "There are too many open streams.",
        retryAfterSeconds: 30
    )

    /// The account has too many connections.
    public static let tooManyConnections = WireError(
        code: .tooManyRequests,
        detail: "The account has too many connections.",
        retryAfterSeconds: 1
    )

    /// The account's bodies use too much memory.
    public static let tooMuchAtOnce = WireError(
        code: .tooManyRequests,
        detail: "The account sends too much at once.",
        retryAfterSeconds: 1
    )

    /// The server holds too many bodies.
    public static let tooBusy = WireError(
        code: .unavailable,
        detail: "The server is busy.",
        retryAfterSeconds: 1
    )

    /// The client's view of any error: wire errors unchanged, a full or busy database as a reason to wait,
    /// everything else as an internal error. The cause is for the log: a type and a number, never a message.
    static func of(error: any Error) -> (WireError, cause: String?) {
        switch error {
        case let error as WireError: return (error, error.cause)
        case let error as JSONError:
            let detail =
                "The body is not valid JSON: \(error.kind.rawValue), at byte \(error.offset + 1)."
            return (WireError(code: .malformed, detail: detail), nil)
        case let error as SQLiteError:
            let cause = "SQLite \(error.extendedCode)"
            if error.isBusy { return (.notNow(seconds: 1), cause) }
            if let storage = StorageFailure(error) { return (.notNow(seconds: 30, storage: storage), cause) }
            return (.internalMistake, cause)
        case let error as SyncError:
            let cause = "SyncError \(error.kind.rawValue)"
            switch error.kind {
            case .busy: return (.notNow(seconds: 1), cause)
            case .inputOutput, .notPermitted: return (.notNow(seconds: 30), cause)
            default: return (.internalMistake, cause)
            }
        default: return (.internalMistake, "\(type(of: error))")
        }
    }
}
