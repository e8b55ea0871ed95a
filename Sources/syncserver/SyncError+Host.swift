import Foundation
import SyncCore
import SyncServer
import SyncWire

/// All errors of the command itself, with their wording.
extension SyncError {
    /// The program was built without its HTTP host.
    static let withoutHost = SyncError(
        kind: .usage,
        message: "This build has no HTTP host.",
        help: "Start it with 'swift run --traits Server syncserver --schemas Schemas --data DIR --port N'."
    )

    /// There is no such command.
    static func unknownCommand(name: String, of parent: String, nearest: String?) -> SyncError {
        let help = "Run '\(parent) --help' for the list of commands."
        return SyncError(
            kind: .usage,
            message: "There is no command '\(name)'.",
            help: nearest.map { "Did you mean '\($0)'? \(help)" } ?? help
        )
    }

    /// The program was built without what talks to a PostgreSQL.
    static let withoutDatabase = SyncError(
        kind: .usage,
        message: "This build knows no database.",
        help: "Build it with 'swift build --traits Server'; it needs libpq."
    )

    /// A quota was given, and records are in a PostgreSQL.
    static let quotaWithDatabase = SyncError(
        kind: .usage,
        message: "A quota of an account has no effect with a database.",
        help: "Leave out '--quota-records' and '--quota-megabytes', or limit the database itself."
    )

    /// The records of the data folder are in a database, and none was named.
    static let databaseIsMissing = SyncError(
        kind: .usage,
        message:
            "The records of this data folder are in a database, and none was named; nothing was changed.",
        help:
            "Name it with '--database', or set \(DatabaseOptions.variable). Should the records be in files again, "
            + "remove the file '\(DatabaseMark.fileName)' from the folder."
    )

    /// A database was named, and the data folder has records in files.
    static let recordsInFiles = SyncError(
        kind: .usage,
        message: "A database was named, and this data folder has records in files; nothing was changed.",
        help:
            "Leave out '--database' and \(DatabaseOptions.variable). Should the records be in the database already, "
            + "move the folder 'logs' out of the data folder."
    )

    /// The folder has no schemas.
    static func noSchemas(folder: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no '*.schema.json' file in '\(folder)'.",
            help: "Name the folder with the schemas with '--schemas DIR'."
        )
    }

    /// Something with the name of a schema is not a regular file.
    static func schemaIsNoFile(path: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "'\(path)' is not an ordinary file.",
            help: "Put a schema in its place, or remove it; the server was not started."
        )
    }

    /// Schemas have errors.
    static func brokenSchemas(errors: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The schemas have \(errors == 1 ? "an error" : "\(errors) errors").",
            help:
                "Correct what is listed above and check with 'synccheck validate'; the server was not started."
        )
    }

    /// An entity name of an account is invalid.
    static let badEntities = SyncError(
        kind: .usage,
        message: "The list of entities has an empty name.",
        help: "Write it as '--entities bookmark,note'."
    )

    /// An entity of an account is not in the schemas.
    static func unknownEntity(name: String, known: [String]) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The schemas have no entity '\(name)'.",
            help: known.isEmpty
                ? "Write names as in 'bookmark,reading-goal': small letters, digits and hyphens."
                : "They have: \(known.joined(separator: ", "))."
        )
    }

    /// Tombstones of some accounts could not be removed.
    static func purgeFailed(_ error: PurgeError) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: error.message,
            help: "Look at these accounts' files in the folder 'logs', and run it again.",
            retry: .afterAction
        )
    }

    /// The database did not do what it was asked to.
    static func databaseFailed(_ error: WireError) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The tombstones could not be removed\(error.cause.map { " (\($0))" } ?? "").",
            help: "Look at the database's log, and run it again.",
            retry: .later
        )
    }

    /// The server cannot listen on the address.
    static func cannotListen(host: String, port: Int, number: Int32?) -> SyncError {
        switch number {
        case EACCES, EPERM:
            SyncError(
                kind: .notPermitted,
                message: "Listening on port \(port) is not permitted.",
                help: "Choose a port above 1023, and let a reverse proxy have the low one."
            )
        case EADDRINUSE:
            SyncError(
                kind: .inputOutput,
                message: "Port \(port) is in use.",
                help: "Stop the program that has it, or choose another one; '--port 0' takes any free one.",
                retry: .afterAction
            )
        default:
            SyncError(
                kind: .inputOutput,
                message:
                    "The server cannot listen on '\(host)' port \(port)\(number.map { " (\(reason(number: $0)))" } ?? "").",
                help: "Name an address of this machine with '--host'."
            )
        }
    }

    /// There is no file with the operator's token.
    static let noAdminTokenFile = SyncError(
        kind: .invalidInput,
        message: "There is no file with the operator's token.",
        help: "Check the path after '--admin-token-file', or in \(AdminOptions.variable)."
    )

    /// The operator's token is too short.
    static let badAdminToken = SyncError(
        kind: .invalidInput,
        message: "The operator's token has at least 16 letters and digits, without spaces.",
        help: "Make one, for example with 'openssl rand -hex 32', and write it to the file."
    )

    /// The path of a socket is too long.
    static func badSocketPath(most: Int) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The path of a socket has 1 to \(most) bytes.",
            help: "Choose a shorter path, for example below '/run'."
        )
    }

    /// The operator's socket cannot be made.
    static let cannotMakeSocket = SyncError(
        kind: .inputOutput,
        message: "The operator's socket could not be made.",
        help: "Name a path in a folder that this server may write to, where no other file is.",
        retry: .afterAction
    )

    /// Another server has the operator's socket.
    static let socketInUse = SyncError(
        kind: .busy,
        message: "Another server listens on the operator's socket.",
        help: "Stop it first, or choose another path.",
        retry: .afterAction
    )

    /// No server answers on the operator's socket.
    static let noAdminSocket = SyncError(
        kind: .unreachable,
        message: "No server answers on this socket.",
        help: "Start it with '--admin-socket', and name the same path here.",
        retry: .afterAction
    )

    /// The system's limit of open files is too low.
    static func tooFewOpenFiles(found: Int, needed: Int) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The system allows \(found) open files; the server needs at least \(needed).",
            help: "Raise the limit before starting it, for example with 'ulimit -n 4096'.",
            retry: .afterAction
        )
    }

    /// Another server uses the data folder.
    static func folderInUse() -> SyncError {
        SyncError(
            kind: .busy,
            message: "Another server uses this data folder.",
            help: "Stop it first, or choose another folder with '--data'.",
            retry: .afterAction
        )
    }

    /// An unexpected error.
    static func unexpected(error: any Error) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The command failed (\(type(of: error))).",
            help: "Try again; if it happens again, please report it with the command that you ran."
        )
    }

    private static func reason(number: Int32) -> String { String(cString: strerror(number)) }
}
