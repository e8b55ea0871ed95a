import Foundation
import GRDBSQLite

/// A first sync through a folder by hand: records are appended to a file that is made durable and read back, marked in
/// the store that they come from, and inserted into the other.
struct FolderBound {
    private let log: HandLog
    private let path: String
    private let first: RawDatabase
    private let other: RawPull
    private let folders: [String]
    private let keys: [String]

    /// `pending` is the folder of a raw store whose records wait.
    init(pending: String, records: [BenchRecord], bench: Bench) throws {
        let opened = try RawPull.copy(of: pending, bench: bench, synchronous: .full)
        other = try RawPull(folder: try bench.folder(path: "bound"))
        (first, folders) = (opened.database, [opened.folder, other.folder])
        (log, keys) = (HandLog(records: records), records.map(\.id))
        path = opened.folder + "/by-hand.ndjson"
    }

    func run() throws {
        try log.append(to: path)
        try mark()
        try other.run([try HandLog.load(path)])
    }

    /// Marks all records as sent in one transaction, which is durable.
    private func mark() throws {
        let update = try first.prepare("UPDATE bookmark SET state = 0, revision = '1' WHERE id = ?1")
        try first.execute("BEGIN IMMEDIATE")
        for key in keys {
            bindText(key, statement: update, index: 1)
            try first.run(update)
        }
        try first.execute("COMMIT")
        first.close()
    }

    /// Makes sure that all records were marked and arrived, and clears them away.
    func clear(_ bench: Bench) throws {
        for folder in folders {
            let database = try RawDatabase(path: RawPull.path(folder: folder), synchronous: .normal)
            defer { database.close() }
            let condition = folder == other.folder ? "" : " WHERE state = 0"
            let found = try database.integer(sql: "SELECT count(*) FROM bookmark\(condition)")
            guard found == keys.count else {
                throw Unmeasured(reason: "the yardstick has \(found) of \(keys.count) records")
            }
        }
        for folder in folders { try bench.remove(folder) }
    }
}
