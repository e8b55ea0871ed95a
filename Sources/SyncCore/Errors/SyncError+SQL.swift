/// The wording of errors about statements of an app.
extension SyncError {
    /// SQLite cannot compile the statement. Its message names parts of the statement, which holds no argument.
    public static func badStatement(reason: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The SQL statement cannot be used: \(reason).",
            help: "Correct the statement. It can read the views of live records, such as 'bookmark_live'."
        )
    }

    /// The statement does something else than read.
    public static func writingStatement() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The SQL statement does more than read.",
            help: "Use one SELECT; records are written through collections, so that they sync."
        )
    }

    /// The number of arguments is not that of the parameters.
    public static func wrongArguments(found: Int, expected: Int) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The SQL statement has \(expected) parameters and got \(found) arguments.",
            help: "Give one argument for each parameter."
        )
    }

    /// SQLite failed to compute a row. The message is left out, because it may quote a value.
    public static func failedStatement(code: Int32) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The SQL statement failed on the values that it met (SQLite \(code)).",
            help: "Check what its functions get, such as JSON or a MATCH expression."
        )
    }

    /// A row lacks columns of the entity's view.
    public static func notAViewRow(entity: String, view: String, column: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The SQL statement returns no column '\(column)', so its rows are no \(entity) records.",
            help: "Select all columns of the view: SELECT \(view).* FROM \(view)."
        )
    }

    /// The store is no SQL database.
    public static func storeWithoutSQL() -> SyncError {
        SyncError(kind: .usage, message: "This store answers no SQL.", help: "Use a query instead.")
    }
}
