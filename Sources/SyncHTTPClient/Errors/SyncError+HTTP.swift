package import SyncCore

/// Errors for a server that gives no usable answer.
extension SyncError {
    /// The last attempt failed. `retryAfter` is the delay in seconds that the server asked for.
    static func noAnswer(cause: RetryCause, attempts: Int, retryAfter: Double? = nil) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: cause.sentence + (attempts > 1 ? " Tried \(attempts) times." : ""),
            help: cause.help,
            retry: .later,
            retryAfterSeconds: retryAfter
        )
    }

    /// The server asks for a longer delay than one sync waits.
    static func askedToWait(seconds: Double, cause: RetryCause) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "\(cause.sentence) It asks to wait \(Int(min(seconds, 1e9).rounded(.up))) seconds.",
            help: "Sync again after that time; nothing was lost.",
            retry: .later,
            retryAfterSeconds: seconds
        )
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

    static func answerTooLarge(limit: Int) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The answer is larger than the \(limit) bytes that were asked for.",
            help: "Check the URL: a sync server keeps to the limit. Nothing was changed.",
            retry: .later
        )
    }

    static func notSecure() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "No secure connection to the server could be made.",
            help: "Check the URL, this machine's clock and the server's certificate.",
            retry: .afterAction
        )
    }

    static func unexpectedStatus(status: Int) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The server gives an answer that is not part of the protocol (status \(status)).",
            help: RetryCause.foreignAnswer.help,
            retry: .afterAction
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
