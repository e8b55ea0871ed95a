package import SyncCore
package import SyncWire

/// All errors of the exchange, with their wording. They contain no user data.
extension WireError {
    package static func notJSON(error: JSONError) -> WireError {
        WireError(
            code: .malformed,
            detail:
                "The request is not what the protocol asks for: \(error.kind.rawValue), at byte \(error.offset)."
        )
    }

    static func badCursor() -> WireError {
        WireError(
            code: .cursorExpired,
            detail: "The cursor is not one that this server gave: begin again without a cursor."
        )
    }

    static func notFound() -> WireError {
        WireError(code: .notFound, detail: "There is nothing under this path.")
    }

    package static func noScratchLog() -> WireError {
        WireError(code: .notFound, detail: "There is no scratch log of this name.")
    }

    static func wrongMethod(allowed: String) -> WireError {
        WireError(code: .methodNotAllowed, detail: "This path knows the method \(allowed) only.")
    }

    static func notJSONBody() -> WireError {
        WireError(
            code: .unsupportedMediaType,
            detail: "The body must be \(WireProtocol.mediaType), not encoded."
        )
    }

    static func tooManyEntities(count: Int) -> WireError {
        WireError(code: .malformed, detail: "A request names at most \(count) entities.")
    }

    static func tooLongBatch(count: Int) -> WireError {
        WireError(code: .malformed, detail: "'batch' and 'previous' have at most \(count) bytes.")
    }

    static func tooManyFingerprints(count: Int) -> WireError {
        WireError(
            code: .malformed,
            detail: "'records' names at most \(count) fingerprints, each in one short line."
        )
    }

    static func tooManyChanges(limits: WireLimits) -> WireError {
        WireError(
            code: .tooLarge,
            detail: "A request holds at most \(limits.changes) changes.",
            limits: limits
        )
    }

    static func tooManyBytes(limits: WireLimits) -> WireError {
        WireError(
            code: .tooLarge,
            detail: "A request holds at most \(limits.requestBytes) bytes.",
            limits: limits
        )
    }

    static func tooLargeAnswer(limits: WireLimits) -> WireError {
        WireError(
            code: .tooLarge,
            detail:
                "The conflicts' records fill more than \(limits.requestBytes) bytes: send fewer changes at once.",
            limits: limits
        )
    }

    static func historyChanged() -> WireError {
        WireError(code: .historyChanged, detail: "The cursor is of another history of this log.")
    }

    static func cursorExpired() -> WireError {
        WireError(
            code: .cursorExpired,
            detail: "Tombstones after the cursor are gone: begin again without a cursor."
        )
    }

    static func deviceCopied() -> WireError {
        WireError(
            code: .deviceCopied,
            detail: "The device's last batch is not the one that the request names."
        )
    }

    /// The account has reached its limit of scratch logs.
    package static func tooManyScratchLogs(count: Int) -> WireError {
        WireError(code: .forbidden, detail: "The account has \(count) scratch logs: remove one.")
    }

    static func badAccount() -> WireError {
        WireError(code: .internalError, detail: "The account's id is not one that names a file.")
    }

    static func foreignLog() -> WireError { unusable(cause: "the file is another program's") }

    static func otherAccountsLog() -> WireError { unusable(cause: "the file is another account's") }

    static func newerLog(version: Int) -> WireError {
        unusable(cause: "the file has format \(version); this server knows \(LogFormat.version)")
    }

    static func damagedLog() -> WireError { unusable(cause: "the file is damaged") }

    /// The account's file needs attention by the operator, who finds the cause and the account's id in the
    /// log. Clients keep their changes and wait.
    private static func unusable(cause: String) -> WireError {
        var error = WireError(
            code: .unavailable,
            detail: "The account cannot be served now: who runs the server has to look at its file.",
            retryAfterSeconds: 300
        )
        error.cause = cause
        return error
    }

    static func folderNotMade() -> WireError {
        WireError(code: .internalError, detail: "The folder for the accounts' files cannot be made.")
    }

    /// The answer to a failure of the store or the system. The store's own message is not sent to the client.
    init(failure: any Error) {
        switch failure {
        case let error as WireError: self = error
        case let error as JSONError: self = .notJSON(error: error)
        case let error as LogStoreError: self.init(store: error)
        default:
            self.init(code: .unavailable, detail: "The server cannot read its folder.", retryAfterSeconds: 30)
            storage = .failed
            cause = "\(type(of: failure))"
        }
    }

    /// Only damage is an internal error. All other failures may be temporary, so the client retries later.
    private init(store error: LogStoreError) {
        switch error.kind {
        case .busy:
            self.init(code: .unavailable, detail: "The account's file is in use.", retryAfterSeconds: 1)
        case .full:
            self.init(code: .unavailable, detail: "The server's disk is full.", retryAfterSeconds: 60)
        case .damaged:
            self = .damagedLog()
            cause = "the file is damaged (\(error.cause))"
            return
        case .unreachable:
            let detail = "The account's file cannot be read or written now."
            self.init(code: .unavailable, detail: detail, retryAfterSeconds: 30)
        case .mistake:
            self.init(code: .internalError, detail: "The account's file cannot be read or written.")
        }
        storage = error.storage
        cause = error.cause
    }
}

/// Why a change is rejected: a stable rule id and one sentence.
package struct ChangeError: Error, Sendable {
    package var rule: String
    package var reason: String

    static let unknownEntity = ChangeError(
        rule: "unknown-entity",
        reason: "The server does not know the entity."
    )
    static let forbidden = ChangeError(
        rule: "forbidden",
        reason: "The account may not exchange the entity."
    )
    package static let malformed = ChangeError(
        rule: "malformed",
        reason: "This is not a change as the protocol writes it."
    )
    static let tooManyMembers = ChangeError(
        rule: "members",
        reason:
            "The record has more than \(BodyCheck.maxUnknownMembers) members that its schema does not know."
    )
    static let tooManyRecords = ChangeError(
        rule: "quota",
        reason: "The account holds as many records as it may."
    )
    static let tooManyBytes = ChangeError(
        rule: "quota",
        reason: "The account's records take as much space as they may."
    )
    static let emptyKey = ChangeError(rule: "key", reason: "The key is empty.")
    static let otherKey = ChangeError(rule: "key", reason: "The key is not that of the body.")
    static let uncoveredTimestamp = ChangeError(
        rule: "vector",
        reason: "The version vector does not include the edit itself."
    )
    static let longVector = ChangeError(
        rule: "vector",
        reason: "The vector holds more than \(ChangeRules.maxDevices) devices."
    )

    static func body(error: JSONError) -> ChangeError {
        ChangeError(rule: "json", reason: "The body holds \(error.kind.rawValue).")
    }
}
