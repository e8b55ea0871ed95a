import Foundation
package import SyncCore
import SyncSQLite

/// Writes all records of one account into a new folder: one NDJSON file per entity, and `account.json`. The server may run.
package struct AccountExport {
    /// The file that describes the export.
    static let manifestName = "account.json"
    private static let chunkBytes = 1 << 18
    private let data: String
    private let folder: String
    private let now: Timestamp

    /// Describes an export.
    ///
    /// - Parameters:
    ///   - data: The server's data folder.
    ///   - folder: The folder to make.
    ///   - now: The present time.
    package init(data: String, folder: String, now: Timestamp) {
        (self.data, self.folder, self.now) = (data, NewFolder.literal(path: folder), now)
    }

    /// What `account.json` says.
    private struct Description: Encodable {
        var account: String
        var name: String
        var added: String
        var entities: [String]?
        var exported: String
        var devices: [String] = []
        var records: [String: Int] = [:]
    }

    /// Exports an account. Returns the number of records, including deleted ones. Throws `SyncError`.
    package func run(entry: AccountEntry) throws -> Int {
        try NewFolder(path: folder).make { partial in
            var description = Description(
                account: entry.account.id,
                name: entry.account.name,
                added: entry.added.description,
                entities: entry.account.entities?.sorted(),
                exported: now.description
            )
            let path = "\(data)/logs/\(entry.account.id).sqlite"
            if LogFolder.isFileName(entry.account.id), DurableFiles.exists(path: path) {
                try AccountFile.withMaintenanceErrors {
                    try write(log: path, into: partial, description: &description)
                }
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            guard let text = try? encoder.encode(description) else {
                throw SyncError.maintenanceFailed(detail: "the description could not be written")
            }
            try DurableFiles.write(Array(text), to: "\(partial)/\(Self.manifestName)")
            return description.records.values.reduce(0, +)
        }
    }

    /// Reads one state of the log.
    private func write(log: String, into partial: String, description: inout Description) throws {
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
        try connection.transaction(kind: .deferred) {
            let devices = try connection.texts(
                sql: "SELECT device FROM device, log WHERE log.id = log AND log.name = 'main' ORDER BY device"
            )
            description.devices = devices
            for entity in try connection.texts(sql: "SELECT name FROM entity ORDER BY name")
            where LogFolder.isFileName(entity) {
                let count = try write(entity: entity, of: connection, into: partial)
                if count > 0 { description.records[entity] = count }
            }
        }
    }

    private func write(entity: String, of connection: Connection, into partial: String) throws -> Int {
        let query = try connection.prepare(
            """
            SELECT record.revision, record.run, record.entry FROM record
            JOIN log ON log.id = record.log JOIN entity ON entity.id = record.entity
            WHERE log.name = 'main' AND entity.name = ?1 ORDER BY record.key
            """
        )
        try query.bind(entity, at: 1)
        let path = "\(partial)/\(entity).ndjson"
        var file: FileHandle?
        var (buffer, count): ([UInt8], Int) = ([], 0)
        while try query.step() {
            if file == nil {
                try DurableFiles.write([], to: path)
                file = FileHandle(forWritingAtPath: path)
            }
            let revision = StoredVersion.revision(number: query.int64(at: 0), run: query.string(at: 1))
            buffer += StoredVersion.answer(revision: revision, entry: query.bytes(at: 2))
            buffer.append(UInt8(ascii: "\n"))
            count += 1
            if buffer.count >= Self.chunkBytes { try flush(&buffer, to: file) }
        }
        guard let file else { return 0 }
        try flush(&buffer, to: file)
        try? file.close()
        try DurableFiles.flush(path: path)
        return count
    }

    private func flush(_ buffer: inout [UInt8], to file: FileHandle?) throws {
        do { try file?.write(contentsOf: Data(buffer)) } catch {
            throw SyncError.maintenanceFailed(detail: "writing a file of the export failed")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
