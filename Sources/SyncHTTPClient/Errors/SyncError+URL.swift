import SyncCore

/// Errors of a URL, a proxy or a file of certificate authorities.
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
            help:
                "Use 'https'. On a network where you trust everybody, 'ServerURL(_:allowsPlainHTTP:)' takes it.",
            commandLineHelp:
                "Use 'https'. On a network where you trust everybody, '--allow-plain-http' takes it."
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
            message: "The proxy that is set for 'https' is no HTTP proxy, and an own authority needs one.",
            help:
                "Name the server's host in the environment variable 'no_proxy', or give the proxy as 'http://HOST:PORT'."
        )
    }

    private static func badURL(message: String) -> SyncError {
        SyncError(kind: .usage, message: message, help: "Give a URL such as 'https://sync.example.org'.")
    }
}
