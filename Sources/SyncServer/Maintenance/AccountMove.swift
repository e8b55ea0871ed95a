import Foundation
package import SyncCore
import SyncSQLite

/// Moves an account with its records and its token to the data folder of another server. Both servers must not run.
///
/// The account is locked out first. Interrupted at any point, the move can be run again; until then at most one of the
/// servers lets the account in.
package struct AccountMove {
    private let data: String
    private let target: String
    private let now: Timestamp

    /// Describes a move from one data folder to another.
    package init(data: String, target: String, now: Timestamp) {
        (self.data, self.now) = (data, now)
        self.target = URL(fileURLWithPath: target).resolvingSymlinksInPath().path
    }

    /// Moves an account. Its epoch stays, so devices go on where they were. Throws `SyncError`.
    ///
    /// - Returns: Whether there was something to move; false if the account was moved to this target before.
    package func run(name: String) throws -> Bool {
        try AccountFile.require(directory: data)
        try check()
        let source = try AccountFile.open(directory: data)
        defer { source.close() }
        let other = try AccountFile.open(directory: target)
        defer { other.close() }
        return try AccountFile.withErrors {
            try DurableFiles.makeFolder(path: target + "/logs")
            let departed = try DepartedAccounts(connection: source)
            _ = try DepartedAccounts(connection: other)
            let normalized = AccountName.normalized(name: name) ?? name
            let isBegun = try source.texts(sql: "SELECT name FROM departed WHERE name IS NOT NULL")
                .contains(normalized)
            // A move that was finished has nothing left to do here, though the target has the account.
            guard try isBegun || ServerAccounts.isTaken(name: normalized, connection: source) else {
                guard try wasMoved(name: normalized, from: source, to: other) else {
                    throw SyncError.noAccount()
                }
                return false
            }
            let others = Set(try other.texts(sql: "SELECT id FROM account"))
            // Only an earlier run of this move may have taken the account there: what this folder has may be newer than
            // what a backup, or a move before it, has left there.
            guard
                try isBegun
                    || (!ServerAccounts.isTaken(name: normalized, connection: other)
                        && ids(of: normalized, in: source).isDisjoint(with: others))
            else { throw SyncError.accountExists() }
            let id = try departed.begin(name: name, target: target, now: now)
            if !others.contains(id) {
                try copyLog(id: id)
                try copyRows(id: id, from: source)
            }
            try AccountErasure.removeFiles(id: id, data: data)
            try departed.finish(id: id)
            return true
        }
    }

    /// The accounts of a name, also removed ones.
    private func ids(of name: String, in accounts: Connection) throws -> Set<String> {
        let query = try accounts.prepare("SELECT id FROM account WHERE name = ?1")
        try query.bind(name, at: 1)
        var ids: Set<String> = []
        try query.forEachRow { ids.insert($0.string(at: 0)) }
        return ids
    }

    /// Whether the target has an account of this name that has left this data folder.
    private func wasMoved(name: String, from source: Connection, to other: Connection) throws -> Bool {
        try !ids(of: name, in: other).isDisjoint(with: DepartedAccounts.ids(in: source))
    }

    /// Throws `SyncError` if both folders are the same.
    package func check() throws {
        guard URL(fileURLWithPath: data).resolvingSymlinksInPath().path != target else {
            throw SyncError.sameFolder()
        }
    }

    private func copyLog(id: String) throws {
        let source = "\(data)/logs/\(id).sqlite"
        let place = "\(target)/logs/\(id).sqlite"
        guard LogFolder.isFileName(id), try DurableFiles.isPresent(path: source) else { return }
        try DurableFiles.removeDatabase(path: place)
        try DatabaseCopy(source: source, target: place + ".moving", applicationID: LogFormat.applicationID)
            .run()
        try DurableFiles.move(path: place + ".moving", to: place)
    }

    /// Copies the account's rows in one transaction, which lets it in at the other server.
    private func copyRows(id: String, from source: Connection) throws {
        let attach = try source.prepare("ATTACH ?1 AS target")
        try attach.bind("\(target)/\(ServerAccounts.fileName)", at: 1)
        try attach.run()
        try source.transaction(kind: .immediate) {
            for (table, column) in try AccountRows.tables(in: source).reversed() {
                let names = try source.texts(
                    sql:
                        "SELECT name FROM pragma_table_info('\(table)') WHERE NOT (pk = 1 AND type = 'INTEGER')"
                )
                let columns = names.map { "\"\($0)\"" }.joined(separator: ", ")
                let insert = try source.prepare(
                    """
                    INSERT INTO target."\(table)" (\(columns)) SELECT \(columns) FROM main."\(table)"
                    WHERE "\(column)" = ?1
                    """
                )
                try insert.bind(id, at: 1)
                try insert.run()
            }
            for sql in [
                "UPDATE target.account SET removed = NULL WHERE id = ?1",
                "DELETE FROM target.departed WHERE id = ?1",
            ] {
                let change = try source.prepare(sql)
                try change.bind(id, at: 1)
                try change.run()
            }
        }
        try source.execute("DETACH target")
    }
}
