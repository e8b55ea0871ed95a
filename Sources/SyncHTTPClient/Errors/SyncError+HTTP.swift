package import SyncCore

/// Errors for a server that gives no usable answer.
extension SyncError {
    /// The last attempt failed, and the call is given up.
    static func givenUp(_ setback: Setback, attempts: Int, policy: RetryPolicy) -> SyncError {
        if let error = setback.error { return error }
        var error = SyncError(
            kind: .unreachable,
            message: setback.sentence,
            help: setback.help,
            retry: setback.retry,
            retryAfterSeconds: setback.retryAfterSeconds
        )
        error.fault = setback.lastFault(policy: policy)
        if let seconds = setback.retryAfterSeconds, seconds > policy.maxRetryAfterSeconds {
            error.message += " It asks to wait \(Int(min(seconds, 1e9).rounded(.up))) seconds."
            error.help = "Sync again after that time; nothing was lost."
        } else if attempts > 1 {
            error.message += " Tried \(attempts) times."
        }
        return error
    }

    static func breakerIsOpen(until: Timestamp, now: Timestamp) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The server failed many times in a row; it is not asked again before \(until).",
            help: "Check the network and the server, and sync again after that time; nothing was lost.",
            retry: .later,
            retryAfterSeconds: Double(until.microseconds - now.microseconds) / 1_000_000
        )
    }

    package static func noToken() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The token is empty, or holds characters that no token has.",
            help: "Give the token as the server printed it.",
            retry: .afterSignIn
        )
    }

    static func tokenRefused() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The server does not accept the token.",
            help: "Give a new token; nothing is sent with this one again, and nothing was lost.",
            retry: .afterSignIn
        )
    }
}
