import EntitySync
import SyncPostgres

/// The wording of errors about SQL and databases.
extension SyncError {
    /// A database was named, and this build has no driver for it.
    static let withoutDatabase = SyncError(
        kind: .usage,
        message: "This build knows no database.",
        help: "Build it with '--traits Server', which needs libpq, or run: select * from entitysync.doctor()."
    )

    /// Turns what the generator of SQL throws into errors of the command line.
    static func cataloguing<Result>(body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLNameError {
            throw unusableName(error)
        } catch let error as SQLMigrationError {
            throw changedKey(error)
        }
    }

    private static func unusableName(_ error: SQLNameError) -> SyncError {
        let reason =
            switch error.reason {
            case .tooLong: "PostgreSQL keeps only 63 bytes of a name"
            case .taken: "another table or column has that name"
            case .reserved: "each table has a column of that name for PostgreSQL itself"
            }
        return SyncError(
            kind: .invalidInput,
            message: "'\(error.name)' of \(error.entity) cannot be a name in PostgreSQL: \(reason).",
            help: "Give the field or the entity another name on the wire (sync.name, sync.remote)."
        )
    }

    private static func changedKey(_ error: SQLMigrationError) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The key of \(error.entity) is not the same, so its records would be others.",
            help: "Make a new entity and copy the records, or take the change of the key back."
        )
    }
}
