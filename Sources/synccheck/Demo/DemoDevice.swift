import EntitySync
import SyncCore
import SyncFileBackend
import SyncRuntime

/// One of the devices in the demo.
struct DemoDevice {
    /// The device's name in the output.
    let name: String
    private let workspace: Workspace
    private let store: any LocalStore
    private let writer: LocalWriter
    private let engine: SyncEngine

    init(name: String, workspace: Workspace, shared: String) throws {
        self.name = name
        self.workspace = workspace
        store = try workspace.open()
        writer = LocalWriter(store: store, clock: workspace.clock, random: workspace.random)
        engine = SyncEngine(
            store: store,
            backend: FolderBackend(root: shared),
            environment: SyncEnvironment(clock: workspace.clock, random: workspace.random, label: name)
        )
    }

    /// Writes members of a record.
    func put(_ entity: String, json: String) throws {
        _ = try writer.put(entity: workspace.entity(name: entity), json: Array(json.utf8))
    }

    /// Imports whole records.
    func put(_ entity: String, all records: [[UInt8]]) throws {
        let entity = try workspace.entity(name: entity)
        try writer.write { session in
            for json in records { _ = try session.put(entity: entity, json: json) }
        }
    }

    /// Deletes a record.
    func delete(_ entity: String, key: String) throws {
        try writer.delete(entity: workspace.entity(name: entity), key: RecordKey(key))
    }

    /// Resolves a conflict with a new text in one field.
    func resolve(_ entity: String, key: String, setting field: String, to text: String) throws {
        let entity = try workspace.entity(name: entity)
        let key = RecordKey(key)
        try writer.write { session in
            guard var record = try session.transaction.load(entity: entity, key: key)?.version.record,
                let position = entity.layout.position(of: field)
            else { throw SyncError.noSuchRecord(entity: entity.name) }
            record.values[position] = .text(text)
            try session.resolve(entity: entity, key: key, with: .value(record))
        }
    }

    /// Syncs with the shared folder and returns a description of the result.
    func sync() async throws -> String {
        let report = try await engine.sync()
        let sums = [
            ("sent", report.entities.reduce(0) { $0 + $1.pushed }),
            ("received", report.entities.reduce(0) { $0 + $1.pulled }),
            ("merged", report.entities.reduce(0) { $0 + $1.merged }),
            ("in conflict", report.entities.reduce(0) { $0 + $1.conflicts }),
        ]
        let words = sums.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return "The \(name) syncs: \(words.isEmpty ? "nothing to do" : words.joined(separator: ", "))."
    }

    /// The counts of an entity.
    func counts(entity: String) throws -> EntityCounts {
        let entity = try workspace.entity(name: entity)
        return try store.read { try $0.counts(entity: entity) }
    }

    /// A field of a live record as text; nil if the record is deleted or the field is absent.
    func field(field: String, of entity: String, key: String) throws -> String? {
        let entity = try workspace.entity(name: entity)
        let record = try store.read { try $0.liveRecord(entity: entity, key: RecordKey(key)) }?.version.record
        guard let record, let position = entity.layout.position(of: field) else { return nil }
        return switch record.values[position] {
        case nil: nil
        case .text(let text), .json(let text): text
        case .boolean(let value): value ? "true" : "false"
        case let value?: "\(value)"
        }
    }

    /// The conflicts.
    func conflicts() throws -> [ConflictView] {
        try store.read { try ConflictView.all(snapshot: $0, entities: workspace.entities) }
    }

    /// The journal entries.
    func journal() throws -> [JournalView] {
        try store.read { snapshot in
            try snapshot.journal().map {
                JournalView(entity: try workspace.entity(name: $0.lost.entity), entry: $0)
            }
        }
    }

    /// All records of all entities including deleted ones, as `export` prints them.
    func export() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try store.read { snapshot in
            for entity in workspace.entities {
                try RecordExport(entity: entity, includesDeleted: true).forEachLine(in: snapshot) {
                    bytes += $0
                    bytes.append(UInt8(ascii: "\n"))
                }
            }
        }
        return bytes
    }
}
