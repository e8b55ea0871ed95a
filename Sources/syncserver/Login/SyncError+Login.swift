import SyncCore

/// All errors of the options for a login, with their wording. They never contain a secret or a claim.
extension SyncError {
    /// The shared secret is too short.
    static let shortLoginSecret = SyncError(
        kind: .usage,
        message: "The secret of HS256 tokens has at least 32 bytes.",
        help:
            "Set a longer one at the login, for example of 'openssl rand -hex 32', and write it to the file."
    )

    /// There is no file with the secret or the key set.
    static let noLoginFile = SyncError(
        kind: .invalidInput,
        message: "There is no file with the login's secret or keys.",
        help: "Check the path after '--jwt-secret-file' or '--jwks'."
    )

    /// The key set cannot be read.
    static let badKeySet = SyncError(
        kind: .invalidInput,
        message: "The login's keys are no JSON Web Key Set, or are larger than a megabyte.",
        help: "It looks like '{\"keys\": [...]}'. Check the file or URL after '--jwks'."
    )

    /// The key set has no key that this server can use.
    static let noSigningKeys = SyncError(
        kind: .invalidInput,
        message: "The login's key set has no key for RS256 or ES256.",
        help: "Let the login sign with one of them; RSA keys have at least 2048 bits."
    )

    /// The URL of the key set is not permitted.
    static let badKeySetURL = SyncError(
        kind: .usage,
        message: "The URL of the login's keys cannot be used.",
        help: "It begins with 'https://', or on this machine with 'http://', and has no password."
    )

    /// The key set could not be fetched.
    static func keySetUnreachable(cause: String) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The login's keys could not be fetched (\(cause)).",
            help: "Check the URL after '--jwks', also with 'curl'; redirects are not followed.",
            retry: .later
        )
    }
}
