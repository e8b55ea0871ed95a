import SyncCore
import SyncWire

/// The wording of errors of direct writes.
extension SyncError {
    static func noDirectWrite() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The bytes are not those of a direct write.",
            help: "Prepare the records again; nothing was sent."
        )
    }

    /// A record that was read from a store is to be written directly.
    static func editAsDirectWrite(entity: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The \(entity) record was read from a store, and a direct write only creates records.",
            help: "Save it in its store; nothing was sent."
        )
    }

    static func keyTakenAtServer(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The server holds another \(entity) record under that key.",
            help: "Give the new record a key of its own, or change that one in the app; nothing was written."
        )
    }

    static func tooLargeWrite() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The records are more than the server takes at once.",
            help: "Send fewer or smaller ones; nothing was written."
        )
    }

    /// The server's own words, with the violated rule.
    static func refusedWrite(rule: String, reason: String) -> SyncError {
        let message = "\(reason) [\(rule)]"
        if RefusedEntity.rules.contains(rule) {
            return SyncError(
                kind: .notPermitted,
                message: message,
                help: "Check the account's rights and the server's schemas; nothing was written.",
                retry: .afterSignIn
            )
        }
        if rule == "busy" {
            return SyncError(
                kind: .busy,
                message: message,
                help: "Send the same write again later; nothing was written.",
                retry: .later
            )
        }
        return SyncError(
            kind: .invalidInput,
            message: message,
            help: "Correct the record and write again; nothing was written.",
            retry: rule == "quota" ? .afterAction : .never
        )
    }
}
