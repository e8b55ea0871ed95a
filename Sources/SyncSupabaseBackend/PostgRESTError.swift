import SyncCore
import SyncHTTPClient
import SyncWire

/// An error of PostgREST, or of PostgreSQL behind it: `{"code":…,"message":…,"details":…,"hint":…}`.
struct PostgRESTError {
    /// A code such as `PGRST202`, or PostgreSQL's SQLSTATE.
    var code: String

    /// Reads the body of an answer; nil if it is not from PostgREST.
    init?(_ response: HTTPResponse) {
        let object = try? response.body.withUnsafeBufferPointer { try SmallObject($0) }
        guard let code = object?.text(name: "code") else { return nil }
        self.code = code
    }
}

/// The wording of PostgREST's errors. Their own texts are not repeated: they can hold values.
extension SyncError {
    /// Nil if the status says enough.
    init?(_ error: PostgRESTError) {
        switch error.code {
        case "PGRST202", "42883":
            self = SyncError(
                kind: .wrongRemote,
                message: "The database has no function 'entitysync_exchange'.",
                help:
                    "Apply the SQL that 'synccheck generate --sql postgres' writes to the project's database, and "
                    + "reload the schema cache: notify pgrst, 'reload schema'.",
                retry: .afterAction
            )
        case "PGRST301", "PGRST302", "PGRST303":
            self = SyncError(
                kind: .notPermitted,
                message: "The user's token is missing, expired or not valid.",
                help: "Sign in again.",
                retry: .afterSignIn
            )
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
        default: return nil
        }
    }
}
