import Foundation
package import SyncCore

/// Writes all records of one account into a new folder: one NDJSON file per entity, and `account.json`. The server
/// may run.
package struct AccountExport {
    /// The file that describes the export.
    static let manifestName = "account.json"
    private let folder: String
    private let now: Timestamp
    private let form: Form

    /// What a line is.
    package enum Form {
        /// A version as it is exchanged, with its metadata; deleted ones, too.
        case exchange
        /// A record as the schemas have it, as `synccheck export` prints it.
        case plain(entities: [EntityDescriptor], includesDeleted: Bool)
    }

    /// Describes an export.
    ///
    /// - Parameters:
    ///   - folder: The folder to make.
    ///   - form: What a line is.
    ///   - now: The present time.
    package init(folder: String, form: Form, now: Timestamp) {
        (self.folder, self.form, self.now) = (NewFolder.literal(path: folder), form, now)
    }

    /// What `account.json` says.
    private struct Description: Encodable {
        var account: String
        var name: String
        var added: String
        var entities: [String]?
        var exported: String
        var form: String
        var devices: [String] = []
        var records: [String: Int] = [:]
    }

    /// Exports an account. Returns the number of records that were written. Throws `SyncError`.
    ///
    /// - Parameter check: Called before each record. What it throws ends the export, of which nothing is left then.
    package func run(
        entry: AccountEntry,
        from records: any AccountRecords,
        check: () throws -> Void = {}
    ) throws -> Int {
        try NewFolder(path: folder).make { partial in
            var description = Description(
                account: entry.account.id,
                name: entry.account.name,
                added: entry.added.description,
                entities: entry.account.entities?.sorted(),
                exported: now.description,
                form: form.name
            )
            var lines: EntityLines?
            description.devices = try records.read(account: entry.account.id) { entity, version in
                try check()
                if lines?.entity != entity {
                    try lines?.close()
                    lines = try EntityLines(entity: entity, form: form, folder: partial)
                }
                if try lines?.append(version) == true { description.records[entity, default: 0] += 1 }
            }
            try lines?.close()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            guard let text = try? encoder.encode(description) else {
                throw SyncError.maintenanceFailed(detail: "the description could not be written")
            }
            try DurableFiles.write(Array(text), to: "\(partial)/\(Self.manifestName)")
            return description.records.values.reduce(0, +)
        }
    }
}

extension AccountExport.Form {
    /// The name in `account.json`.
    fileprivate var name: String {
        switch self {
        case .exchange: "exchange"
        case .plain: "plain"
        }
    }
}

/// The file of one entity in an export.
private final class EntityLines {
    let entity: String
    private let path: String
    private let descriptor: EntityDescriptor?
    private var encoder: RecordLineEncoder?
    private var includesDeleted = true
    private var file: FileHandle?
    private var buffer: [UInt8] = []
    private static let chunkBytes = 1 << 18

    /// Makes no file yet. Throws `SyncError` if there is no schema of the entity.
    init(entity: String, form: AccountExport.Form, folder: String) throws {
        self.entity = entity
        path = "\(folder)/\(entity).ndjson"
        switch form {
        case .exchange: descriptor = nil
        case .plain(let entities, let includesDeleted):
            guard let descriptor = entities.first(where: { $0.name == entity }) else {
                throw SyncError.noSchema(entity: entity)
            }
            self.descriptor = descriptor
            self.includesDeleted = includesDeleted
            encoder = RecordLineEncoder(descriptor)
        }
    }

    /// Adds a record. Returns whether it belongs into the export.
    func append(_ version: [UInt8]) throws -> Bool {
        var line = version
        if let descriptor {
            guard let record = try? EntryCodec.decode(version, descriptor: descriptor) else {
                throw SyncError.unfitSchema(entity: entity)
            }
            if record.isDeleted, !includesDeleted { return false }
            let plain = RecordLine(record: record.record, isDeleted: record.isDeleted)
            line = encoder?.bytes(plain) ?? []
        }
        if file == nil {
            try DurableFiles.write([], to: path)
            file = FileHandle(forWritingAtPath: path)
        }
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.chunkBytes { try flush() }
        return true
    }

    /// Writes what is left, and waits until the disk has it.
    func close() throws {
        guard let file else { return }
        try flush()
        try? file.close()
        try DurableFiles.flush(path: path)
    }

    private func flush() throws {
        do { try file?.write(contentsOf: Data(buffer)) } catch {
            throw SyncError.maintenanceFailed(detail: "writing a file of the export failed")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
