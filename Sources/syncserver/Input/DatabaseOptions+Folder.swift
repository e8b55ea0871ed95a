import SyncCore
import SyncServer

extension DatabaseOptions {
    /// Throws `SyncError` `usage` if the records of a data folder are in a database and none is named.
    func require(for data: String) throws {
        guard try isGiven || !DatabaseMark(data: data).isSet else { throw SyncError.databaseIsMissing }
    }

    /// Throws `SyncError` `usage` if the records of a data folder are elsewhere than these options say: in a database and
    /// none is named, or in files and one is named. A folder without mark and without records in files may be either.
    func check(data: String) throws {
        try require(for: data)
        let mark = DatabaseMark(data: data)
        guard try !isGiven || mark.isSet || !mark.hasRecordsInFiles else { throw SyncError.recordsInFiles }
    }

    /// Marks a data folder if a database is named. Throws `SyncError`.
    func mark(data: String) throws { if try isGiven { try DatabaseMark(data: data).set() } }
}
