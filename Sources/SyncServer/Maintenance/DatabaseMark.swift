import SyncSQLite

/// The note in a data folder that its accounts' records are in a database. Without it, a command that names no database
/// would take the folder for one whose accounts have no records.
///
/// The note is a file whose presence counts. It names no database, so it holds no secret.
package struct DatabaseMark {
    /// The file's name in the data folder.
    package static let fileName = "records-in-database"

    private let data: String
    private var path: String { "\(data)/\(Self.fileName)" }

    /// The mark of a data folder.
    package init(data: String) { self.data = data }

    /// Whether the folder has the mark. A folder that no program with marks has used has none.
    package var isSet: Bool { DurableFiles.exists(path: path) }

    /// Sets the mark in an existing folder. Throws `SyncError`.
    package func set() throws {
        guard !isSet else { return }
        try DurableFiles.write(Array("The records of these accounts are in a PostgreSQL.\n".utf8), to: path)
        try DurableFiles.flush(path: data)
    }

    /// Whether there are records in files of the folder. A file that cannot be read counts as empty.
    package var hasRecordsInFiles: Bool {
        let folder = "\(data)/logs"
        return DurableFiles.names(in: folder).contains { name in
            name.hasSuffix(".sqlite") && Self.hasRecords(log: "\(folder)/\(name)")
        }
    }

    private static func hasRecords(log: String) -> Bool {
        guard let connection = try? Connection.open(path: log, flags: .readOnly) else { return false }
        defer { connection.close() }
        return (try? connection.integer(sql: "SELECT EXISTS (SELECT 1 FROM record)")) == 1
    }
}
