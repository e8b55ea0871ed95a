import SyncCore

/// Why a request is retried.
public enum RetryCause: Sendable, Hashable {
    /// No connection.
    case unreachable
    /// The connection broke, or the answer was incomplete.
    case interrupted
    /// The answer did not arrive in time.
    case timedOut
    /// The status 408, 425, 429, 500, 502, 503 or 504, or 409 with `Retry-After`.
    case status(Int)
    /// A redirect, which is never followed.
    case redirect(Int)
    /// An answer that did not come from the server.
    case foreignAnswer

    /// The retry cause of a status; nil for success and for a status that a retry cannot change.
    init?(status: Int) {
        switch status {
        case 408, 425, 429, 500, 502, 503, 504: self = .status(status)
        case 300..<400: self = .redirect(status)
        default: return nil
        }
    }

    /// Whether the server is temporarily overloaded.
    var isBusy: Bool { self == .status(429) || self == .status(503) }

    /// Whether the server may have processed the request.
    var mayHaveBeenDone: Bool {
        switch self {
        case .unreachable, .redirect, .status(409), .status(425), .status(429): false
        case .interrupted, .timedOut, .status, .foreignAnswer: true
        }
    }

    /// The retry cause of a transport error; nil if a retry cannot help.
    init?(_ failure: TransportError) {
        switch failure {
        case .unreachable: self = .unreachable
        case .interrupted: self = .interrupted
        case .timedOut: self = .timedOut
        case .tooLarge, .notSecure: return nil
        }
    }
}
