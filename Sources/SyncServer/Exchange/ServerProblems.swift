import SyncCore
import SyncSQLite
import SyncWire

/// The wording of what the exchange refuses. No value that a person wrote is in it.
extension WireProblem {
    static func notJSON(_ problem: JSONProblem) -> WireProblem {
        WireProblem(
            .malformed,
            "The request is not what the protocol asks for: \(problem.kind.rawValue), at byte \(problem.offset)."
        )
    }

    static func badCursor() -> WireProblem {
        WireProblem(
            .cursorExpired,
            "The cursor is not one that this server gave: begin again without a cursor."
        )
    }

    static func notFound() -> WireProblem { WireProblem(.notFound, "There is nothing under this path.") }

    static func noScratchLog() -> WireProblem {
        WireProblem(.notFound, "There is no scratch log of this name.")
    }

    static func wrongMethod(_ allowed: String) -> WireProblem {
        WireProblem(.methodNotAllowed, "This path knows the method \(allowed) only.")
    }

    static func notJSONBody() -> WireProblem {
        WireProblem(.unsupportedMediaType, "The body must be \(WireProtocol.mediaType), not encoded.")
    }

    static func tooManyEntities(_ count: Int) -> WireProblem {
        WireProblem(.malformed, "A request names at most \(count) entities.")
    }

    static func tooLongBatch(_ count: Int) -> WireProblem {
        WireProblem(.malformed, "'batch' and 'previous' have at most \(count) bytes.")
    }

    static func tooManyFingerprints(_ count: Int) -> WireProblem {
        WireProblem(.malformed, "'records' names at most \(count) fingerprints, each in one short line.")
    }

    static func tooManyChanges(_ limits: WireLimits) -> WireProblem {
        WireProblem(.tooLarge, "A request holds at most \(limits.changes) changes.", limits: limits)
    }

    static func tooManyBytes(_ limits: WireLimits) -> WireProblem {
        WireProblem(.tooLarge, "A request holds at most \(limits.requestBytes) bytes.", limits: limits)
    }

    static func tooLargeAnswer(_ limits: WireLimits) -> WireProblem {
        WireProblem(
            .tooLarge,
            "The conflicts' records fill more than \(limits.requestBytes) bytes: send fewer changes at once.",
            limits: limits
        )
    }

    static func historyChanged() -> WireProblem {
        WireProblem(.historyChanged, "The cursor is of another history of this log.")
    }

    static func cursorExpired() -> WireProblem {
        WireProblem(.cursorExpired, "Tombstones after the cursor are gone: begin again without a cursor.")
    }

    static func deviceCopied() -> WireProblem {
        WireProblem(.deviceCopied, "The device's last batch is not the one that the request names.")
    }

    static func tooManyScratchLogs(_ count: Int) -> WireProblem {
        WireProblem(.forbidden, "The account has \(count) scratch logs: remove one.")
    }

    static func badAccount() -> WireProblem {
        WireProblem(.internalError, "The account's id is not one that names a file.")
    }

    static func foreignLog() -> WireProblem { unusable("the file is another program's") }

    static func otherAccountsLog() -> WireProblem { unusable("the file is another account's") }

    static func newerLog(_ version: Int) -> WireProblem {
        unusable("the file has format \(version); this server knows \(LogFormat.version)")
    }

    static func damagedLog() -> WireProblem { unusable("the file is damaged") }

    /// The account's file has to be looked at by who runs the server, who finds the cause and the account's id in the log. Until
    /// then a client waits: nothing of it is lost.
    private static func unusable(_ cause: String) -> WireProblem {
        var problem = WireProblem(
            .unavailable,
            "The account cannot be served now: who runs the server has to look at its file.",
            retryAfterSeconds: 300
        )
        problem.cause = cause
        return problem
    }

    static func folderNotMade() -> WireProblem {
        WireProblem(.internalError, "The folder for the accounts' files cannot be made.")
    }

    /// What a failure of SQLite or of the system means for who asks. SQLite's words stay here.
    init(failure: any Error) {
        switch failure {
        case let problem as WireProblem: self = problem
        case let problem as JSONProblem: self = .notJSON(problem)
        case let error as SQLiteError: self.init(sqlite: error)
        default:
            self.init(.unavailable, "The server cannot read its folder.", retryAfterSeconds: 30)
            cause = "\(type(of: failure))"
        }
    }

    /// NB: only damage is a mistake. Anything else may be over soon, and a client that is told to wait comes back.
    private init(sqlite error: SQLiteError) {
        switch error {
        case _ where error.isBusy:
            self.init(.unavailable, "The account's file is in use.", retryAfterSeconds: 1)
        case _ where error.isFull:
            self.init(.unavailable, "The server's disk is full.", retryAfterSeconds: 60)
        case _ where error.isCorrupt || error.isNotADatabase:
            self = .damagedLog()
            cause = "the file is damaged (SQLite \(error.extendedCode))"
            return
        case _ where error.isIOError || error.cantOpen || error.isReadOnly:
            let detail = "The account's file cannot be read or written now."
            self.init(.unavailable, detail, retryAfterSeconds: 30)
        default: self.init(.internalError, "The account's file cannot be read or written.")
        }
        cause = "SQLite \(error.extendedCode)"
    }
}

/// Why one change is not taken: rules are stable ids, reasons one sentence.
struct ChangeRefusal: Error {
    var rule: String
    var reason: String

    static let unknownEntity = ChangeRefusal(
        rule: "unknown-entity",
        reason: "The server does not know the entity."
    )
    static let forbidden = ChangeRefusal(
        rule: "forbidden",
        reason: "The account may not exchange the entity."
    )
    static let malformed = ChangeRefusal(
        rule: "malformed",
        reason: "This is not a change as the protocol writes it."
    )
    static let tooManyMembers = ChangeRefusal(
        rule: "members",
        reason:
            "The record has more than \(BodyCheck.maxUnknownMembers) members that its schema does not know."
    )
    static let tooManyRecords = ChangeRefusal(
        rule: "quota",
        reason: "The account holds as many records as it may."
    )
    static let tooManyBytes = ChangeRefusal(
        rule: "quota",
        reason: "The account's records take as much space as they may."
    )
    static let emptyKey = ChangeRefusal(rule: "key", reason: "The key is empty.")
    static let otherKey = ChangeRefusal(rule: "key", reason: "The key is not that of the body.")
    static let uncoveredMark = ChangeRefusal(
        rule: "vector",
        reason: "The vector does not hold the mark's edit."
    )
    static let longVector = ChangeRefusal(
        rule: "vector",
        reason: "The vector holds more than \(ChangeJudge.maxDevices) devices."
    )

    static func body(_ problem: JSONProblem) -> ChangeRefusal {
        ChangeRefusal(rule: "json", reason: "The body holds \(problem.kind.rawValue).")
    }
}
