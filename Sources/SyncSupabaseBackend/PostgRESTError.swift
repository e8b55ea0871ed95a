import SyncCore
import SyncHTTPClient
import SyncWire

/// An error of PostgREST, or of PostgreSQL behind it: `{"code":…,"message":…,"details":…,"hint":…}`.
struct PostgRESTError {
    /// A code such as `PGRST202`, or PostgreSQL's SQLSTATE.
    var code: String
    /// PostgREST's text; of the database's errors it may hold values.
    var message: String

    /// Reads the body of an answer; nil if it is not from PostgREST.
    init?(_ response: HTTPResponse) {
        let object = try? response.body.withUnsafeBufferPointer { try SmallObject($0) }
        guard let object, let code = object.text(name: "code") else { return nil }
        self.code = code
        message = object.text(name: "message") ?? ""
    }

    /// Whether other transactions or the database's state may be to blame, and not the request: a timeout, which a lock
    /// can cause, a deadlock, no free connection or disk, or a restart.
    var isAboutOthers: Bool {
        ["57014", "55P03", "40001", "40P01"].contains(code) || code.hasPrefix("53") || code.hasPrefix("57P")
            || code.hasPrefix("08") || code.hasPrefix("PGRST00")
    }

    /// The message of Supabase's gateway, which refused the publishable key before PostgREST saw the request; nil for
    /// any other answer. Its errors have a message, and no code.
    static func gatewayMessage(of response: HTTPResponse) -> String? {
        guard response.status == 401,
            let object = try? response.body.withUnsafeBufferPointer({ try SmallObject($0) }),
            object.text(name: "code") == nil
        else { return nil }
        return object.text(name: "message")
    }
}

/// The wording of PostgREST's errors. Their own texts are not repeated: they can hold values.
extension SyncError {
    /// Nil if the status says enough.
    init?(_ error: PostgRESTError) {
        switch error.code {
        case "PGRST202":
            self = SyncError(
                kind: .wrongRemote,
                message: "The database has no function 'entitysync_exchange'.",
                help:
                    "Apply the SQL that 'synccheck generate --sql postgres' writes to the project's database, and "
                    + "reload the schema cache: notify pgrst, 'reload schema'.",
                retry: .afterAction
            )
        // A function, table, column, type or schema of the runtime is not there.
        case "42883", "42P01", "42703", "42704", "3F000":
            self = SyncError(
                kind: .wrongRemote,
                message: "EntitySync's SQL in the database is incomplete, or of another version.",
                help:
                    "Apply the SQL that 'synccheck generate --sql postgres' writes to the project's database again.",
                retry: .afterAction
            )
        case "PGRST301", "PGRST302", "PGRST303": self = SyncError(TokenDefect(error))
        case "42501":
            self = SyncError(
                kind: .notPermitted,
                message: "The token's role may not call 'entitysync_exchange'.",
                help:
                    "Sign in as a user: the publishable key alone is not enough. If the user is signed in, apply the "
                    + "generated SQL again, which grants the right to 'authenticated'.",
                retry: .afterSignIn
            )
        case "22P02":
            self = SyncError(
                kind: .notPermitted,
                message: "The token names no user: its claim 'sub' is not a UUID.",
                help: "Sign in with a token of Supabase Auth, or one whose 'sub' is a UUID.",
                retry: .afterSignIn
            )
        case "no-policy":
            self = SyncError(
                kind: .notPermitted,
                message: "A table of the project has no policy by which users read its rows.",
                help:
                    "Apply the SQL that 'synccheck generate --sql postgres' writes again, or write a policy; "
                    + "'synccheck doctor --database URL' names the table. Nothing was lost.",
                retry: .afterAction
            )
        default: return nil
        }
    }

    /// The gateway refused the request for its key, or for having none.
    static func badPublishableKey(isMissing: Bool) -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: isMissing
                ? "The request has no publishable key, which the project's gateway asks for."
                : "The project's gateway does not accept the publishable key.",
            help: "Copy the key from the project's settings, under «API Keys»; nothing was lost.",
            commandLineHelp:
                "Copy the key from the project's settings, under «API Keys», into the environment variable "
                + "SYNCCHECK_APIKEY; nothing was lost.",
            retry: .afterAction
        )
    }
}
