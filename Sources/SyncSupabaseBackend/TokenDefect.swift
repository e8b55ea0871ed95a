import SyncCore

/// What PostgREST says is wrong with a token, as far as its answer tells.
///
/// Source: «Errors» in PostgREST's documentation, and the texts of versions 12 to 14. Before version 13, the code of
/// an expired token is that of any other token.
enum TokenDefect {
    /// The request has no token, and PostgREST asks for one.
    case missing
    /// Its time is over.
    case expired
    /// Its time has not come.
    case early
    /// Its signature is not from a key that PostgREST knows.
    case unknownKey
    /// It is not a JWT.
    case noToken
    /// It is for another audience.
    case otherAudience
    /// Something else.
    case other

    /// Classifies an error with a code of the group `PGRST30x`.
    init(_ error: PostgRESTError) {
        func says(_ words: String...) -> Bool { words.contains { error.message.contains($0) } }
        if error.code == "PGRST302" {
            self = .missing
        } else if says("expired", "JWTExpired") {
            self = .expired
        } else if says("not yet valid", "issued at future", "JWTNotYetValid", "JWTIssuedAtFuture") {
            self = .early
        } else if says("audience", "JWTNotInAudience") {
            self = .otherAudience
        } else if says("Signature", "cryptographic", "key", "algorithm") {
            self = .unknownKey
        } else if says("parts", "Empty JWT", "Decode", "decoded") {
            self = .noToken
        } else {
            self = .other
        }
    }

    /// One sentence about the token.
    var sentence: String {
        switch self {
        case .missing: "The request has no token of a user, and the server asks for one."
        case .expired: "The user's token has expired."
        case .early: "The user's token is not valid yet: its time lies ahead of the server's clock."
        case .unknownKey: "The user's token is not signed with a key of this project."
        case .noToken: "What was sent as the user's token is not a JWT."
        case .otherAudience: "The user's token is for another audience: its claim 'aud' does not fit."
        case .other: "The user's token is not valid."
        }
    }

    /// What to do next.
    var help: String {
        switch self {
        case .missing, .other: "Sign in again; nothing was lost."
        case .expired: "Sign in again, or refresh the session; nothing was lost."
        case .early:
            "Set the clocks of the server and of what issues the tokens, and sign in again; nothing was lost."
        case .unknownKey:
            "Sign in again at this project: a token of another project, or of a key that was revoked, does not work. "
                + "Nothing was lost."
        case .noToken:
            "Give the access token of a user's session, not a key of the project; nothing was lost."
        case .otherAudience: "Sign in at this project, or correct the setting 'jwt-aud'; nothing was lost."
        }
    }

    /// What to do next on the command line; nil for the same.
    var commandLineHelp: String? {
        switch self {
        case .expired, .missing, .other:
            "Put a new access token of the user's session into the environment variable SYNCCHECK_TOKEN; nothing was "
                + "lost."
        default: nil
        }
    }
}

extension SyncError {
    /// A token that the server refuses.
    init(_ defect: TokenDefect) {
        self.init(
            kind: .notPermitted,
            message: defect.sentence,
            help: defect.help,
            commandLineHelp: defect.commandLineHelp ?? defect.help,
            retry: .afterSignIn
        )
    }

    /// The exchange found no user in a token that is valid.
    static func noUser() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The token names no user: it has no claim 'sub'.",
            help:
                "Sign in as a user, with a token of Supabase Auth or one whose 'sub' is a UUID; nothing was lost.",
            retry: .afterSignIn
        )
    }
}
