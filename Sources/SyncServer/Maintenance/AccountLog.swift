import Foundation
import SyncCore
import SyncSQLite

/// The records of accounts in the files of a data folder. The server may run.
package struct AccountLog: AccountRecords {
    private let data: String

    /// The records in a data folder.
    package init(data: String) { self.data = data }

    package func read(
        account: String,
        visit: (_ entity: String, _ entry: [UInt8]) throws -> Void
    ) throws -> [String] {
        let path = "\(data)/logs/\(account).sqlite"
        guard LogFolder.isFileName(account), try DurableFiles.isPresent(path: path) else { return [] }
        return try AccountFile.withMaintenanceErrors { try read(log: path, visit: visit) }
    }

    private func read(log: String, visit: (String, [UInt8]) throws -> Void) throws -> [String] {
        let connection = try Connection.open(path: log, flags: .readOnly)
        defer { connection.close() }
        guard try connection.applicationID() == LogFormat.applicationID else {
            throw SyncError.foreignDatabase()
        }
        guard try connection.userVersion() == LogFormat.version else {
            throw SyncError.maintenanceFailed(
                detail: "the log has another format; start this version's server once"
            )
        }
        return try connection.transaction(kind: .deferred) {
            for entity in try connection.texts(sql: "SELECT name FROM entity ORDER BY name")
            where LogFolder.isFileName(entity) {
                try read(entity: entity, of: connection) { try visit(entity, $0) }
            }
            return try connection.texts(
                sql: "SELECT device FROM device, log WHERE log.id = log AND log.name = 'main' ORDER BY device"
            )
        }
    }

    /// UUIDs are stored as bytes and other keys as texts, so two lists are merged.
    private func read(entity: String, of connection: Connection, visit: ([UInt8]) throws -> Void) throws {
        func rows(ofType type: String) throws -> Statement {
            let query = try connection.prepare(
                """
                SELECT record.revision, \(LogFormat.runOfRecord), \(EntryHead.columns) FROM record
                JOIN log ON log.id = record.log JOIN entity ON entity.id = record.entity
                WHERE log.name = 'main' AND entity.name = ?1 AND typeof(record.key) = '\(type)' ORDER BY record.key
                """
            )
            try query.bind(entity, at: 1)
            return query
        }
        var head = EntryHead(entity: entity)
        func visitRow(of query: Statement) throws {
            let revision = StoredVersion.revision(number: query.int64(at: 0), run: query.string(at: 1))
            try head.read(query, at: 2)
            try visit(StoredVersion.answer(revision: revision, entry: head.bytes))
        }
        let (texts, identifiers) = (try rows(ofType: "text"), try rows(ofType: "blob"))
        var hasText = try texts.step()
        while try identifiers.step() {
            guard let identifier = UUID(bytes: identifiers.bytes(at: 2))?.lowercaseText else {
                throw SyncError.maintenanceFailed(detail: "the log has a damaged key")
            }
            while hasText, texts.string(at: 2).utf8.lexicographicallyPrecedes(identifier.utf8) {
                try visitRow(of: texts)
                hasText = try texts.step()
            }
            try visitRow(of: identifiers)
        }
        while hasText {
            try visitRow(of: texts)
            hasText = try texts.step()
        }
    }
}
