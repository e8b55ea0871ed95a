import SyncCore

/// Why a request is sent again.
public enum RetryCause: Sendable, Hashable {
    /// No connection could be made.
    case unreachable
    /// The connection broke, or the answer was cut short.
    case interrupted
    /// The answer did not come in time.
    case timedOut
    /// The server said so: 408, 425, 429, 500, 502, 503 or 504; 409 where it says when to come back.
    case status(Int)
    /// The answer leads elsewhere, which is never followed.
    case redirect(Int)
    /// Something answered, but not the server.
    case foreignAnswer

    /// The cause that a status is; nil where sending again is no use, and for success.
    init?(status: Int) {
        switch status {
        case 408, 425, 429, 500, 502, 503, 504: self = .status(status)
        case 300..<400: self = .redirect(status)
        default: return nil
        }
    }

    /// Whether the server takes no more for now.
    var isBusy: Bool { self == .status(429) || self == .status(503) }

    /// Whether the server may have done what was asked, although there is no answer that says so.
    var mayHaveBeenDone: Bool {
        switch self {
        case .unreachable, .redirect, .status(409), .status(425), .status(429): false
        case .interrupted, .timedOut, .status, .foreignAnswer: true
        }
    }

    /// The cause that a failure is; nil where sending again is no use.
    init?(_ failure: TransportError) {
        switch failure {
        case .unreachable: self = .unreachable
        case .interrupted: self = .interrupted
        case .timedOut: self = .timedOut
        case .tooLarge, .notSecure: return nil
        }
    }
}
