package import SyncCore
import SyncWire

/// The wording of errors of a session.
extension SyncError {
    static func boundElsewhere() -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message: "This store is bound to another remote, not to a server.",
            help: "Sync with that remote, or let this device join the server anew; values are kept.",
            commandLineHelp:
                "Sync with that remote, or bind the store to this server with 'sync --rejoin'; values are kept."
        )
    }

    static func otherAccount() -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message: "The server answers for another account than the one that this store synced with.",
            help:
                "Sign in to that account, or let this device join the server anew, which gives its records to the "
                + "account that is signed in; nothing was changed.",
            commandLineHelp:
                "Use that account's token, or another store. 'sync --rejoin' gives this store's records to the "
                + "account of the token; nothing was changed."
        )
    }

    static func historyChanged() -> SyncError {
        SyncError(
            kind: .wrongRemote,
            message:
                "The server's history is not the one that this store has seen: it was restored from a backup, "
                + "emptied or replaced.",
            help:
                "If that was on purpose, let this device join the server anew: it sends what the server lacks and "
                + "merges the rest. Nothing was changed.",
            commandLineHelp:
                "If that was on purpose, 'sync --rejoin' sends what the server lacks and merges the rest; "
                + "nothing was changed."
        )
    }

    static func copiedMeanwhile() -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "Another copy of this store has pushed to the server meanwhile.",
            help: "Sync again: the store then takes an identity of its own.",
            retry: .later
        )
    }

    static func serverStandsStill() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The server says that there is more, but its cursor does not move.",
            help: "This is a mistake of the server; nothing was lost.",
            commandLineHelp:
                "This is a mistake of the server; nothing was lost. 'synccheck conformance' names it.",
            retry: .later
        )
    }

    /// The token has expired.
    static func expiredToken() -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The token has expired.",
            help: "Give a new token for the account; nothing was lost.",
            retry: .afterSignIn
        )
    }

    /// A push is larger than the server takes. Once it is a single change, that is the record's fault, whoever says it.
    static func tooLargePush(_ refusal: WireError) -> SyncError {
        var error = SyncError(refusal)
        error.message = "\(refusal.detail) [\(refusal.code.rawValue)]"
        error.fault = .record
        return error
    }

    static func readOnlyPush() -> SyncError {
        SyncError(
            kind: .usage,
            message: "A session that only reads cannot push.",
            help: "Sync without asking for a dry run.",
            commandLineHelp: "Sync without '--dry-run'."
        )
    }

    /// The server says that its storage fails. What was sent is not to blame.
    private static func serverCannotStore(_ failure: StorageFailure, retryAfter: Int?) -> SyncError {
        let cause =
            switch failure {
            case .full: "its disk is full"
            case .readOnly: "its storage accepts no changes"
            case .notPermitted: "its system does not permit it"
            case .missing: "its folder is gone"
            case .databaseDown: "its database cannot be reached"
            case .failed: "its storage fails"
            }
        return SyncError(
            kind: .unreachable,
            message: "The server cannot store anything now: \(cause).",
            help: "Who runs the server has to look at it. Sync again later; nothing was lost.",
            retry: .later,
            retryAfterSeconds: retryAfter.map(Double.init)
        )
    }

    private static func noServer() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "There is no sync server under this URL.",
            help: "Check the URL: it is the one that the server prints when it starts.",
            retry: .afterAction
        )
    }

    /// Something else than a sync server says that there is nothing, such as what stands before one that is replaced just
    /// now: that may pass.
    package static func nothingThere() -> SyncError {
        var error = noServer()
        (error.fault, error.retry) = (.way, .later)
        return error
    }

    /// The error of a sync whose request was rejected. The server's own words are not repeated.
    init(_ error: WireError) {
        if let storage = error.storage {
            self = .serverCannotStore(storage, retryAfter: error.retryAfterSeconds)
            return
        }
        switch error.code {
        case .historyChanged: self = .historyChanged()
        case .deviceCopied: self = .copiedMeanwhile()
        case .unauthorized, .forbidden:
            self = SyncError(
                kind: .notPermitted,
                message: "The server does not permit it to this account.",
                help: "Check the token and the account's rights; nothing was lost.",
                retry: .afterSignIn
            )
        case .notFound, .methodNotAllowed: self = .noServer()
        case .malformed, .cursorExpired, .tooLarge, .unsupportedMediaType, .requestTimeout,
            .tooManyRequests, .internalError, .unavailable:
            self = SyncError(
                kind: .unreachable,
                message: "The server refused the request (\(error.code.rawValue)).",
                help: "Sync again later; if it stays so, client and server do not fit. Nothing was lost.",
                retry: .later
            )
        }
    }
}

extension RemoteDiagnostic {
    /// An entity that the server does not exchange.
    static func refusedEntity(refused: RefusedEntity) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "entity-refused",
            place: refused.entity,
            message: refused.rule == "forbidden"
                ? "The account may not exchange \(refused.entity) records; they stay on this device."
                : "The server does not know \(refused.entity) records; they stay on this device.",
            isSerious: true
        )
    }

    /// Records whose keys or versions are no text that can be read; nothing is known of them here.
    static func unreadable(count: Int) -> RemoteDiagnostic {
        let records = count == 1 ? "1 record" : "\(count) records"
        return RemoteDiagnostic(
            rule: "malformed-entry",
            place: "",
            message:
                "The server sent \(records) whose key or version is no Unicode text. Correct this at the server; the "
                + "other records are here.",
            isSerious: true
        )
    }

    /// Another device is at the same place of the server's log, and shows other records.
    static func recordsDiffer(entities: [String]) -> RemoteDiagnostic {
        let outcome = "it takes what the server holds, and what it had is in the journal."
        return recordsDiffer(
            place: "",
            entities: entities,
            help: "Let this device join the server anew, and if it stays so, the other one: " + outcome,
            commandLineHelp: "Run 'sync --rejoin' here, and if it stays so, on the other one: " + outcome
        )
    }
}
