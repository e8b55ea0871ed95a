import Foundation
import SyncChecks
import SyncCore
import SyncFileBackend
import SyncRuntime
import SyncStore
import Testing

/// A device whose schema may be another than that of its neighbours, and that can be updated.
final class App {
    private(set) var entity: EntityDescriptor
    private var others: [EntityDescriptor]
    private(set) var store: SQLiteStore
    private let (name, path): (String, String)
    private let clock = ManualClock()
    private let random: SeededRandom

    init(name: String, path: String, entity: EntityDescriptor, others: [EntityDescriptor] = []) throws {
        (self.name, self.path, self.entity, self.others) = (name, path, entity, others)
        random = SeededRandom(UInt64(name.utf8.first ?? 0))
        store = try SQLiteStore.open(path: "\(path)/\(name)", entities: [entity] + others, random: random)
    }

    /// Opens the store with another schema.
    func update(entity: EntityDescriptor, others: [EntityDescriptor] = []) throws {
        store.close()
        (self.entity, self.others) = (entity, others)
        store = try SQLiteStore.open(path: "\(path)/\(name)", entities: [entity] + others, random: random)
    }

    /// The path of the shared folder.
    var folder: String { path + "/folder" }

    private var writer: LocalWriter { LocalWriter(store: store, clock: clock, random: random) }

    func put(_ json: String, entity: EntityDescriptor? = nil) throws {
        clock.advance(seconds: 1)
        _ = try writer.put(entity: entity ?? self.entity, json: Array(json.utf8))
    }

    /// Writes a record whole: what is left out is taken away.
    func replace(_ json: String) throws {
        clock.advance(seconds: 1)
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = false
        let record = try decoder.record(Array(json.utf8))
        _ = try writer.write { session throws in try session.replace(entity: entity, record: record) }
    }

    func delete(key: String) throws {
        clock.advance(seconds: 1)
        try writer.delete(entity: entity, key: RecordKey(key))
    }

    func wait(_ seconds: Int64) { clock.advance(seconds: seconds) }

    @discardableResult
    func sync(through store: (any LocalStore)? = nil, backend: (any RemoteBackend)? = nil) async throws
        -> SyncReport
    {
        try await SyncEngine(
            store: store ?? self.store,
            backend: backend ?? FolderBackend(root: folder),
            environment: SyncEnvironment(clock: clock, random: random, label: name)
        ).sync()
    }

    /// The version of the record as it is now, as text that a draft keeps.
    func version() throws -> String {
        try store.read { snapshot in
            let record = try #require(try snapshot.load(entity: entity, key: RecordKey("a"))).version.record
            return RecordVersion(store: snapshot.storeID, record: record, entity: entity).text
        }
    }

    /// The record on the wire, with `keys` alone.
    func wire(keys: String...) throws -> [String: String] {
        let record = try #require(try store.read { try $0.load(entity: entity, key: RecordKey("a")) }).version
            .record
        let bytes = RecordEncoder(descriptor: entity, form: .wire).bytes(record)
        let members = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        return keys.reduce(into: [:]) { result, key in
            if let list = members[key] as? [String] {
                result[key] = list.sorted().joined()
            } else {
                result[key] = members[key].map { "\($0)" }
            }
        }
    }

    /// All that a person can find of the entity on this device: records, conflicts and the journal, as JSON.
    func everything() throws -> String {
        let encoder = RecordEncoder(descriptor: entity, form: .wire)
        func text(version: SyncRecord?) -> String {
            version.map { String(decoding: encoder.bytes($0.record), as: UTF8.self) } ?? ""
        }
        return try store.read { snapshot in
            let key = RecordKey("a")
            var texts = [text(version: try snapshot.load(entity: entity, key: key)?.version)]
            texts.append(text(version: try snapshot.side(entity: entity, key: key, kind: .remote)))
            for entry in try snapshot.journal() {
                texts += [text(version: entry.kept), text(version: entry.lost)]
            }
            return texts.joined(separator: "\n")
        }
    }

    /// Whether the record waits for a person.
    func isInConflict() throws -> Bool {
        try store.read { try $0.load(entity: entity, key: RecordKey("a"))?.state == .conflict }
    }

    /// The values that lost, as JSON with what stays on this device.
    func lostValues() throws -> [String] {
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        return try store.read { try $0.journal() }.map {
            String(decoding: encoder.bytes($0.lost.record), as: UTF8.self)
        }
    }

    /// Brings back what the last entry of the journal says.
    func restore() throws {
        let entry = try #require(try store.read { try $0.journal() }.last)
        _ = try writer.restore(journal: entry.id)
    }

    /// The record as a person sees it.
    func shown(key: String = "a") throws -> String? {
        let local = try store.read { try $0.load(entity: entity, key: RecordKey(key)) }
        guard let version = local?.version, !version.isDeleted else { return nil }
        return String(
            decoding: RecordEncoder(descriptor: entity, form: .plain).bytes(version.record),
            as: UTF8.self
        )
    }

    /// Writes a record and keeps what it had.
    func overwrite(_ json: String) throws {
        clock.advance(seconds: 1)
        try writer.write { session throws in
            var decoder = RecordDecoder(descriptor: entity, form: .plain)
            decoder.requiresAll = false
            let record = try decoder.record(Array(json.utf8))
            _ = try session.replace(entity: entity, record: record, journalsReplaced: true)
        }
    }

    func journal() throws -> Int { try store.read { try $0.journal() }.count }
    func rejections() throws -> Int { try store.read { try $0.rejections() }.count }
    func rejection() throws -> Rejection { try #require(try store.read { try $0.rejections().first }) }
    /// Records that cannot be read with the app's schema.
    func setAside() throws -> [Rejection] {
        try store.read { try $0.standingRejections() }.filter(\.isSetAside)
    }

    /// The local values of rejected records, as a person sees them.
    func rejectedValues() throws -> [String] {
        try store.read { snapshot in
            try snapshot.rejectedRecords(entities: [entity]).map {
                String(decoding: $0.local ?? [], as: UTF8.self)
            }
        }
    }

    func discard(key: String) throws { try writer.discard(entity: entity, key: RecordKey(key)) }

    func counts(entity: EntityDescriptor) throws -> EntityCounts {
        try store.read { try $0.counts(entity: entity) }
    }
}
