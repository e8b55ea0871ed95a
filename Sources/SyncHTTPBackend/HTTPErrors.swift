import SyncCore
import SyncWire

/// The wording of everything that this module says to a person, in one place: first what is wrong with a URL.
extension SyncError {
    static func urlHasOtherScheme() -> SyncError {
        badURL(message: "The server's URL does not begin with 'https://'.")
    }

    static func urlHasForeignCharacters() -> SyncError {
        badURL(message: "The server's URL holds characters that do not belong in a URL.")
    }

    static func urlHasNoHost() -> SyncError {
        badURL(message: "The server's URL names no valid host.")
    }

    static func urlHasNoPort() -> SyncError {
        badURL(message: "The server's URL names a port that is not one.")
    }

    static func urlHasQuery() -> SyncError {
        badURL(message: "The server's URL has a query or a fragment.")
    }

    static func urlHasPassword() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The server's URL holds a user name or a password.",
            help: "Leave it out, and give a token instead."
        )
    }

    static func urlIsPlain() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The server's URL is plain 'http', which others on the network can read.",
            help: "Use 'https'; plain 'http' is for this machine alone, unless it is allowed explicitly."
        )
    }

    static func plainThroughProxy() -> SyncError {
        SyncError(
            kind: .usage,
            message: "A proxy is set for plain 'http', and would read the token on its way to the server.",
            help: "Use 'https', or name the server's host in the environment variable 'no_proxy'."
        )
    }

    static func authoritiesNotSupported() -> SyncError {
        SyncError(
            kind: .usage,
            message: "A file of certificate authorities cannot be used on this system.",
            help: "Add the authority to those that the system trusts."
        )
    }

    static func unreadableAuthorities() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The file of certificate authorities cannot be read, or holds no certificate.",
            help: "Name a file that can be read, with certificates in PEM form."
        )
    }

    static func authoritiesThroughProxy() -> SyncError {
        SyncError(
            kind: .usage,
            message: "A proxy is set for 'https', which an authority of one's own does not go through.",
            help:
                "Name the server's host in the environment variable 'no_proxy', or add the authority to the system's."
        )
    }

    private static func badURL(message: String) -> SyncError {
        SyncError(kind: .usage, message: message, help: "Give a URL such as 'https://sync.example.org'.")
    }
}

/// What a server that gives no usable answer looks like from here.
extension SyncError {
    /// The last attempt failed too. `retryAfter` is the time in seconds that the server named with it.
    static func noAnswer(cause: RetryCause, attempts: Int, retryAfter: Double? = nil) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: cause.sentence + (attempts > 1 ? " Tried \(attempts) times." : ""),
            help: cause.help,
            retry: .later,
            retryAfterSeconds: retryAfter
        )
    }

    /// The server wants a longer pause than one sync waits for.
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

    static func noToken() -> SyncError {
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

extension RetryCause {
    /// What happened, in one sentence.
    var sentence: String {
        switch self {
        case .unreachable: "The server cannot be reached: no connection could be made."
        case .interrupted: "The connection to the server broke off."
        case .timedOut: "The server is too slow to answer."
        case .status(429): "The server takes no more requests for now (status 429)."
        case .status(let status): "The server cannot answer now (status \(status))."
        case .redirect(let status):
            "The answer did not come from a sync server: it leads elsewhere (status \(status))."
        case .foreignAnswer: "The answer did not come from a sync server."
        }
    }

    /// What to do about it.
    var help: String {
        switch self {
        case .unreachable: "Check the network and the URL, and sync again; nothing was lost."
        case .interrupted, .timedOut, .status: "Sync again later; nothing was lost."
        case .redirect, .foreignAnswer:
            "Check the URL. A network that asks to sign in first, or a proxy, may have answered instead."
        }
    }
}

/// What a server says by its status alone, for the person who reads it.
extension WireError {
    static func detail(status: Int) -> String {
        switch status {
        case 403: "The account may not do this (status 403)."
        case 404: "There is nothing of the protocol under this URL (status 404)."
        case 410: "The cursor is too old (status 410)."
        case 413: "The request is too large (status 413)."
        default: "The server refuses the request (status \(status))."
        }
    }
}
