import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncFileBackend
import SyncRuntime
import SyncSchema
import SyncStore
import Testing

/// Worlds in which an account has apps of two versions, for every rule of `diff`: no word is lost, and what `diff` says
/// about a store is what happens.
@Suite struct SchemaChangeTests {
    @Test func everyRuleOfDiffHasAWorld() throws {
        let rules = Set(ChangeRule.allCases.map(\.rawValue)).subtracting([ChangeRule.unusedIgnore.rawValue])
        #expect(rules.subtracting(SchemaChangeTable.cases.map(\.rule)).sorted() == [])
        for change in SchemaChangeTable.cases {
            let (old, new) = try Self.schemas(change: change)
            let found = SchemaDiff.compare(old: old, new: new).map(\.rule)
            #expect(found.contains(change.rule), "\(change): \(found)")
        }
    }

    /// When the second device is updated.
    enum Update: CaseIterable { case beforeItsEdit, withAnUnsentEdit, afterItsSync }

    /// Fields that the two devices edit in the first round.
    private static let fields = [("title", "body"), ("code", "code"), ("code", "title"), ("body", "code")]

    @Test(arguments: SchemaChangeTable.cases, [true, false])
    func noWordIsLostBetweenTwoVersionsOfAnApp(change: SchemaChangeCase, isFolder: Bool) async throws {
        for granularity in ["record", "field"] {
            for (number, update) in Update.allCases.enumerated() {
                for oldFirst in [true, false] {
                    for fields in number == 0 ? Self.fields : Array(Self.fields.prefix(2)) {
                        let world = try SchemaChangeWorld(
                            schemas: try Self.schemas(change: change, granularity: granularity),
                            effect: change.effect,
                            isFolder: isFolder
                        )
                        defer { world.close() }
                        try await world.play(update: update, oldFirst: oldFirst, fields: fields)
                        let lost = try world.lostWords()
                        let where_ = isFolder ? "folder" : "server"
                        #expect(
                            lost == [],
                            "\(change) by \(granularity) on a \(where_), \(update), old first: \(oldFirst), \(fields)"
                        )
                    }
                }
            }
        }
    }

    private static func schemas(change: SchemaChangeCase, granularity: String? = nil) throws -> (
        old: [Schema], new: [Schema]
    ) {
        func schemas(_ edit: SchemaEdit) throws -> [Schema] {
            var sketch = SchemaSketch()
            if let granularity { sketch.sync["granularity"] = granularity }
            edit(&sketch)
            let report = SchemaLoader.load(try sketch.sources)
            try #require(report.isValid, "\(change): \(report.diagnostics)")
            return report.schemas
        }
        return (try schemas(change.old), try schemas(change.new))
    }
}

/// Two devices of one account, of which one is updated first.
private final class SchemaChangeWorld {
    private let (old, new): ([EntityDescriptor], [EntityDescriptor])
    private let effect: SchemaChangeCase.Effect
    private let path: String
    private let memory: MemoryRemote?
    private var devices: [VersionedDevice] = []
    /// Words that nobody has replaced knowingly.
    private var words: Set<String> = []
    private var count = 0

    init(schemas: (old: [Schema], new: [Schema]), effect: SchemaChangeCase.Effect, isFolder: Bool) throws {
        old = schemas.old.map { EntityDescriptor(schema: $0) }
        new = schemas.new.map { EntityDescriptor(schema: $0) }
        self.effect = effect
        path = NSTemporaryDirectory() + "change-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        memory = isFolder ? nil : MemoryRemote(name: "memory", entities: old)
        for name in ["first", "second"] {
            let remote: any RemoteBackend =
                memory?.backend(for: DeviceID(bits: 1)) ?? FolderBackend(root: path + "/folder")
            devices.append(try VersionedDevice(name: name, path: path, entities: old, backend: remote))
        }
    }

    func close() {
        for device in devices { device.close() }
        try? FileManager.default.removeItem(atPath: path)
    }

    func play(update: SchemaChangeTests.Update, oldFirst: Bool, fields: (String, String)) async throws {
        let (first, second) = (devices[0], devices[1])
        try first.put(#"{"id":"a","title":"t","body":"b","code":"c","place":{"x":"p"},"labels":["l"]}"#)
        try await sync(oldFirst: true)
        if update == .beforeItsEdit { try self.update(second) }
        try write(first, field: fields.0)
        second.wait(7)
        try write(second, field: fields.1)
        if update == .withAnUnsentEdit { try self.update(second) }
        try await sync(oldFirst: oldFirst)
        if update == .afterItsSync { try self.update(second) }
        try write(first, field: "body")
        try write(second, field: "title")
        try await sync(oldFirst: oldFirst)
        try self.update(first)
        try write(first, field: "title")
        try write(second, field: "code")
        try await sync(oldFirst: !oldFirst)
    }

    private func update(_ device: VersionedDevice) throws {
        switch effect {
        case .opens: try device.update(entities: new)
        case .refuses:
            #expect(throws: SyncError.self) { try device.update(entities: new) }
            try device.update(entities: old)
        case .leavesTable:
            try device.update(entities: new)
            try device.update(entities: old)
        }
    }

    private func sync(oldFirst: Bool) async throws {
        for _ in 0..<3 {
            for device in oldFirst ? devices : devices.reversed() { try await device.sync() }
        }
    }

    /// A person writes a new word into a field, if the app has it and takes it. The word that was shown there is replaced
    /// knowingly.
    private func write(_ device: VersionedDevice, field: String) throws {
        count += 1
        let word = "word\(count)x"
        let name = device.fieldName(field)
        let shown = try device.shown(field: name)
        guard (try? device.put(#"{"id":"a","\#(name)":"\#(word)"}"#)) != nil else { return }
        words = words.filter { !shown.contains($0) }
        words.insert(word)
    }

    func lostWords() throws -> [String] {
        let found = try devices.map { try $0.everything() }.joined(separator: "\n")
        return words.filter { !found.contains($0) }.sorted()
    }
}

/// A device that can be updated to other schemas.
private final class VersionedDevice {
    private let (name, path): (String, String)
    private let backend: any RemoteBackend
    private let clock = ManualClock()
    private let random: SeededRandom
    private var entities: [EntityDescriptor]
    private var store: SQLiteStore

    init(name: String, path: String, entities: [EntityDescriptor], backend: any RemoteBackend) throws {
        (self.name, self.path, self.entities, self.backend) = (name, path, entities, backend)
        random = SeededRandom(UInt64(name.utf8.first ?? 0))
        store = try SQLiteStore.open(path: "\(path)/\(name)", entities: entities, random: random)
    }

    func update(entities: [EntityDescriptor]) throws {
        store.close()
        store = try SQLiteStore.open(path: "\(path)/\(name)", entities: entities, random: random)
        self.entities = entities
    }

    func close() { store.close() }
    func wait(_ seconds: Int64) { clock.advance(seconds: seconds) }

    private var note: EntityDescriptor? { entities.first { $0.typeName == "Note" } }

    /// A field's name in this version of the app.
    func fieldName(_ name: String) -> String {
        note?.fields.first { $0.renamedFrom == name }?.name ?? name
    }

    func put(_ json: String) throws {
        clock.advance(seconds: 1)
        let note = try #require(note)
        _ = try LocalWriter(store: store, clock: clock, random: random).put(
            entity: note,
            json: Array(json.utf8)
        )
    }

    func sync() async throws {
        let environment = SyncEnvironment(clock: clock, random: random, label: name)
        _ = try await SyncEngine(store: store, backend: backend, environment: environment).sync()
    }

    /// What a person sees in a field.
    func shown(field: String) throws -> String {
        guard let note, let position = note.layout.position(of: field) else { return "" }
        let local = try store.read { try $0.load(entity: note, key: RecordKey("a")) }
        return local?.version.record.values[position].map { "\($0)" } ?? ""
    }

    /// All that a person finds on this device: live records, the other side of conflicts, values that lost a decision, and
    /// what was set aside.
    func everything() throws -> String {
        try store.read { snapshot in
            var texts: [String] = []
            for entity in entities {
                let encoder = RecordEncoder(descriptor: entity, form: .plain)
                func add(_ version: SyncRecord?) {
                    if let version {
                        texts.append(String(decoding: encoder.bytes(version.record), as: UTF8.self))
                    }
                }
                try snapshot.scan(entity: entity, includeHidden: false) { add($0.version) }
                for key in try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max) {
                    add(try snapshot.side(entity: entity, key: key, kind: .remote))
                }
                for entry in try snapshot.journal() where entry.lost.entity == entity.name { add(entry.lost) }
            }
            for record in try snapshot.rejectedRecords(entities: entities) {
                texts.append(String(decoding: record.local ?? [], as: UTF8.self))
                texts.append(String(decoding: record.rejection.raw ?? [], as: UTF8.self))
            }
            return texts.joined(separator: "\n")
        }
    }
}
