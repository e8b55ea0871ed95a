/// The wording of every runtime error, in one place.
extension SyncError {
    /// A record does not fit its schema.
    public static func doesNotFit(entity: String, error: FieldError) -> SyncError {
        var mismatch = SyncError(
            kind: .invalidInput,
            message: "A record of \(entity) does not fit its schema: \(error.message) [\(error.rule)]",
            help: "Correct the field and write again; nothing was written."
        )
        mismatch.fieldError = error
        return mismatch
    }

    /// Text is not the expected JSON.
    public static func notJSON(what: String, error: JSONError) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "\(what) is not valid JSON: \(error.kind.rawValue), at byte \(error.offset + 1).",
            help: "Correct the text and try again; nothing was written."
        )
    }

    /// No entity has that name.
    public static func unknownEntity(name: String, known: [String]) -> SyncError {
        SyncError(
            kind: .usage,
            message: "There is no entity '\(name)'.",
            help: "Known entities: \(known.joined(separator: ", "))."
        )
    }

    /// No live record has that key.
    public static func noSuchRecord(entity: String) -> SyncError {
        SyncError(
            kind: .notFound,
            message: "There is no \(entity) record with that key.",
            help: "It may have been deleted, here or on another device.",
            commandLineHelp:
                "List the records with 'export \(entity)'; '--include-deleted' shows deleted ones."
        )
    }

    /// The device has no network, so no sync was started.
    public static func offline() -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "There is no network, so no sync was started.",
            help: "What was written is kept, and is synced when the network returns.",
            retry: .later
        )
    }

    /// The record is not in conflict.
    public static func noConflict(entity: String) -> SyncError {
        SyncError(
            kind: .notFound,
            message: "That \(entity) record is not in conflict.",
            help: "It may have been resolved meanwhile; look at the list of conflicts again.",
            commandLineHelp: "List the conflicts with 'conflicts \(entity)'."
        )
    }

    /// The record cannot be read with this version's schema, so neither sending it again nor giving it up helps.
    package static func isSetAside(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The \(entity) record cannot be read with this schema; nobody has rejected it.",
            help: "Correct its values, delete it, or let the schema allow them."
        )
    }

    /// The record was not refused.
    public static func notRejected(entity: String) -> SyncError {
        SyncError(
            kind: .notFound,
            message: "That \(entity) record was not rejected.",
            help: "It may have been sent or discarded meanwhile; look at the list of rejected records again.",
            commandLineHelp: "List the rejected ones with 'rejected'."
        )
    }

    /// The remote neither compares a change with its base nor keeps versions apart.
    public static func overwritingRemote() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The remote cannot tell an older state from a newer one.",
            help: "Its backend has to compare and set, or to keep version metadata; nothing was sent."
        )
    }

    /// A page needs a capability that its backend does not declare.
    public static func undeclared(capability: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The remote tells of \(capability), which its backend does not declare.",
            help: "This is a mistake of the backend; what it told was not taken in."
        )
    }

    /// The database is of a newer format.
    public static func newerStore(found: Int, known: Int) -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The store was written by a newer version (format \(found), known: \(known)).",
            help: "Update this program; the store was not touched."
        )
    }

    /// The database was made with a newer version of a schema.
    public static func newerSchema(entity: String, found: Int, known: Int) -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The store holds \(entity) of schema version \(found); this is version \(known).",
            help: "Use the newer schema; the store was not touched."
        )
    }

    /// The file is a database, but not one of this framework's stores.
    public static func foreignStore() -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The store file is not a database of this program.",
            help: "Choose another file; this one was not touched.",
            commandLineHelp: "Choose another file with '--store'; this one was not touched."
        )
    }

    /// The file is not a database, or it is damaged.
    public static func damagedStore(detail: String) -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The store file is damaged or not a database (\(detail)).",
            help: "Keep the file, and restore a backup or choose another file; this one was not touched.",
            commandLineHelp:
                "Keep the file, restore a backup, or choose another file with '--store'; this one was not touched."
        )
    }

    /// The pages of a backup contradict each other, or cannot be read.
    package static func damagedBackup(detail: String) -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The backup is damaged (\(detail)).",
            help: "Restore another backup; the store was not touched."
        )
    }

    /// A schema change would lose data.
    public static func incompatibleSchema(entity: String, reason: String) -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The schema of \(entity) no longer fits the store: \(reason)",
            help: "Take the change back, or give the field a new name; the store was not touched."
        )
    }

    /// Another process holds the store.
    public static func storeBusy() -> SyncError {
        SyncError(
            kind: .busy,
            message: "Another process is syncing this store.",
            help: "Wait until it has finished and try again.",
            retry: .later
        )
    }

    /// Reading or writing the store failed.
    public static func storeFailed(detail: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The store could not be read or written (\(detail)).",
            help: "Check free space and permissions of its folder.",
            retry: .later
        )
    }

    /// The operating system does not permit the operation.
    public static func notPermitted(what: String) -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "\(what) is not permitted.",
            help: "Check the permissions of the file and its folder.",
            retry: .afterAction
        )
    }

    /// Two live records would share the values of a unique list.
    public static func notUnique(entity: String, fields: [String]) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is a \(entity) record with the same \(fields.joined(separator: ", ")) already.",
            help: "Change that record instead; nothing was written."
        )
    }

    /// The limit of live records is reached, of the schema or of the app.
    public static func overLimit(entity: String, limit: Int, isOfSchema: Bool = true) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There are \(limit) \(entity) records already, as many as "
                + (isOfSchema ? "the schema allows." : "this app allows at present."),
            help: "Delete one first; nothing was written."
        )
    }

    /// Live children restrict the delete.
    public static func restricted(entity: String, by child: String, count: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message:
                "\(count) \(child) \(count == 1 ? "record needs" : "records need") that \(entity) record.",
            help: "Delete them first, or let them refer to another one; nothing was written."
        )
    }

    /// The record would belong to a deleted one, and be deleted with it by other devices.
    public static func underDeleted(entity: String, field: String, parent: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The '\(field)' of that \(entity) record names a \(parent) record that is deleted.",
            help: "Name another \(parent) record, or write that one again first; nothing was written."
        )
    }

    /// A record of a tree would be put below itself.
    public static func insideItself(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message:
                "The '\(field)' of that \(entity) record names the record itself, or one that is inside of it.",
            help: "Name a \(entity) record elsewhere; nothing was written."
        )
    }

    /// A delete would take along more records than one may.
    public static func cascadeTooLarge(entity: String, limit: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "Deleting that \(entity) record would delete more than \(limit) others with it.",
            help: "Delete parts of them first; nothing was written."
        )
    }

    /// A key field would change.
    public static func keyChange(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The key of a \(entity) record cannot change.",
            help: "Delete the record and create another; nothing was written."
        )
    }

    /// A record was read from another store, such as that of another account.
    public static func otherStore(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The \(entity) record was read from another store.",
            help: "Insert it as a new record, or read it here and change that; nothing was written."
        )
    }

    /// The same error, with counts of what the store contains, so that a person can judge what is at stake.
    public func naming(records: Int, unsent: Int) -> SyncError {
        var error = self
        if error.message.hasSuffix(".") { error.message.removeLast() }
        error.message += "; this store holds \(records) records, \(unsent) of them not sent or in conflict."
        return error
    }

    /// A key appears twice in one import.
    public static func duplicateKey(entity: String, line: Int, firstLine: Int) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "Line \(line) has the same \(entity) key as line \(firstLine).",
            help: "Keep one of the two lines; nothing was imported."
        )
    }
}
