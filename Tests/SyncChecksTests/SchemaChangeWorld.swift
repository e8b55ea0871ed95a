import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncFileBackend
import SyncRuntime
import SyncSchema
import SyncStore
import Testing

/// A way in which a world goes.
struct SchemaChangeRound: Sendable, CustomStringConvertible {
    /// When the second device is updated.
    enum Update: CaseIterable { case beforeItsEdit, withAnUnsentEdit, afterItsSync }

    var granularity: String
    var update: Update
    var oldFirst: Bool
    /// The fields that the two devices edit before the second sync.
    var fields: (String, String)

    var description: String { "by \(granularity), \(update), old first: \(oldFirst), \(fields)" }

    private static let fields = [("title", "body"), ("code", "code"), ("code", "title"), ("body", "code")]

    /// All ways.
    static let all: [Self] = ["record", "field"].flatMap { granularity in
        Update.allCases.flatMap { update in
            [true, false].flatMap { oldFirst in
                fields.prefix(update == .beforeItsEdit ? 4 : 2).map {
                    Self(granularity: granularity, update: update, oldFirst: oldFirst, fields: $0)
                }
            }
        }
    }

    /// Every sixth way, from one that differs from change to change: of the changes together, each way is played often.
    static func some(from position: Int) -> [Self] {
        all.indices.filter { ($0 + position).isMultiple(of: 6) }.map { all[$0] }
    }
}

/// What a world has done to words.
struct SchemaChangeOutcome: Equatable {
    /// Words that nobody could find after a sync.
    var lost: [String] = []
    /// What two updated devices share of the record, where it differs.
    var differences: [String] = []
}

/// Two devices of one account, of which one is updated first.
final class SchemaChangeWorld {
    private let (old, new): ([EntityDescriptor], [EntityDescriptor])
    private let effect: SchemaChangeCase.Effect
    private let path: String
    private let memory: MemoryRemote?
    private var devices: [VersionedDevice] = []
    /// Words that nobody has replaced knowingly.
    private var words: Set<String> = []
    /// What has become of them so far.
    private(set) var outcome = SchemaChangeOutcome()
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

    /// Both devices write before, between and after their updates.
    func play(_ round: SchemaChangeRound) async throws {
        let (first, second) = (devices[0], devices[1])
        let (update, oldFirst, fields) = (round.update, round.oldFirst, round.fields)
        try first.put(#"{"id":"a","title":"t","body":"b","code":"c","place":{"x":"p"},"labels":["l"]}"#)
        // Some of the older schemas do not take it.
        let hasOther = (try? first.put(#"{"id":"b","title":"word0x"}"#)) != nil
        if hasOther { words.insert("word0x") }
        try await sync(oldFirst: true)
        if update == .beforeItsEdit { try self.update(second) }
        // A value that nobody writes again.
        if hasOther, first.has(field: "code"), (try? first.put(#"{"id":"b","code":"word0y"}"#)) != nil {
            words.insert("word0y")
        }
        try write(first, field: fields.0)
        second.wait(7)
        try write(second, field: fields.1)
        if update == .withAnUnsentEdit { try self.update(second) }
        try await sync(oldFirst: oldFirst)
        if update == .afterItsSync { try self.update(second) }
        try write(first, field: "body")
        try write(second, field: "title")
        try await sync(oldFirst: oldFirst)
        // The updated app goes on alone.
        try write(second, field: "title")
        try await sync(oldFirst: oldFirst)
        try self.update(first)
        try write(second, field: "title")
        try await sync(oldFirst: oldFirst)
        try noteDifferences()
        try write(first, field: "title")
        try await sync(oldFirst: !oldFirst)
        try noteDifferences()
        try write(second, field: "code")
        try await sync(oldFirst: !oldFirst)
        try noteDifferences()
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
        let found = try devices.map { try $0.everything() }.joined(separator: "\n")
        for word in words.subtracting(outcome.lost).sorted() where !found.contains(word) {
            outcome.lost.append(word)
        }
    }

    /// A person writes a new word into a field, if the app has it and takes it. The word that was shown there is replaced
    /// knowingly.
    private func write(_ device: VersionedDevice, field: String) throws {
        count += 1
        let word = "word\(count)x"
        let name = device.fieldName(field)
        let shown = try device.shown(field: name)
        guard device.has(field: name), (try? device.put(#"{"id":"a","\#(name)":"\#(word)"}"#)) != nil else {
            return
        }
        words = words.filter { !shown.contains($0) }
        words.insert(word)
    }

    /// Notes what the devices share of the record, where they differ although nobody has to decide.
    private func noteDifferences() throws {
        for key in ["a", "b"] {
            let shared = try devices.compactMap { try $0.shared(key: RecordKey(key)) }
            if shared.count == devices.count, Set(shared).count > 1 { outcome.differences += shared }
        }
    }
}

/// A device that can be updated to other schemas.
final class VersionedDevice {
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

    func has(field: String) -> Bool { note?.layout.position(of: field) != nil }

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
    func shown(field: String, key: RecordKey = RecordKey("a")) throws -> String {
        guard let note, let position = note.layout.position(of: field) else { return "" }
        let local = try store.read { try $0.load(entity: note, key: key) }
        return local?.version.record.values[position].map { "\($0)" } ?? ""
    }

    /// What a person sees of a record, as JSON; nil if there is none.
    func shown(key: RecordKey, form: RecordForm = .plain) throws -> String? {
        guard let note, let local = try store.read({ try $0.load(entity: note, key: key) }),
            local.visibility == .live
        else { return nil }
        return String(
            decoding: RecordEncoder(descriptor: note, form: form).bytes(local.version.record),
            as: UTF8.self
        )
    }

    func delete(key: RecordKey) throws {
        clock.advance(seconds: 1)
        let note = try #require(note)
        try LocalWriter(store: store, clock: clock, random: random).delete(entity: note, key: key)
    }

    /// Whether somebody has to decide or to mend something on this device.
    func asks() throws -> Bool {
        guard let note else { return true }
        return try store.read { snapshot in
            try !snapshot.keys(entity: note, in: .conflict, after: nil, limit: 1).isEmpty
                || !snapshot.standingRejections().isEmpty
        }
    }

    /// The record as it travels; nil if there is none, if a person has to decide about it, or if it is set aside.
    func shared(key: RecordKey) throws -> String? {
        guard let note else { return nil }
        return try store.read { snapshot in
            guard let local = try snapshot.load(entity: note, key: key), local.state == .synced,
                local.visibility == .live, try snapshot.standingRejections().isEmpty
            else { return nil }
            let bytes = RecordEncoder(descriptor: note, form: .wire).bytes(local.version.record)
            return String(decoding: bytes, as: UTF8.self)
        }
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
                // A list shows no record that it cannot read.
                let fit = RecordFit(entity)
                try snapshot.scan(entity: entity, includeHidden: false) {
                    if fit.fits($0.version.record) { add($0.version) }
                }
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
