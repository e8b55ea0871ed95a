import Foundation
public import SyncCore
import SyncFileBackend
public import SyncRuntime
import SyncServer
import SyncStore
public import SyncWire

/// Some devices with a store each, around one remote, in a folder of the test's own.
public final class World {
    /// The devices, by position.
    public let devices: [Device]
    /// The entities that every device holds.
    public let entities: [EntityDescriptor]
    /// Where everything lies.
    public let path: String
    /// The server, where there is one.
    public let server: LoopbackServer?

    /// Where the devices meet.
    public enum Place: Sendable, Hashable, CaseIterable {
        /// One folder.
        case folder
        /// A copy of the folder for each, as with a file-syncing service that is offline; `deliver` brings them together.
        case folders
        /// A server.
        case server
    }

    /// One device.
    public final class Device: Sendable {
        /// `A`, `B`, `C` ...
        public let name: String
        /// The device's clock; all begin at the same instant.
        public let clock: ManualClock
        /// The device's store.
        public let store: any LocalStore
        /// Local writes of the device.
        public let writer: LocalWriter
        /// The folder that the device sees; nothing is there in a world with a server.
        public let folder: String
        /// What the device syncs with.
        public let backend: any RemoteBackend
        let engine: SyncEngine
        let random: SeededRandom

        init(
            name: String,
            path: String,
            folder: String,
            server: LoopbackServer?,
            entities: [EntityDescriptor],
            seed: UInt64
        ) throws {
            self.name = name
            self.folder = folder
            random = SeededRandom(seed)
            clock = ManualClock()
            store = try SQLiteStore.open(path: "\(path)/\(name).sqlite", entities: entities, random: random)
            writer = LocalWriter(store: store, clock: clock, random: random)
            backend =
                try server?.backend(token: World.token, clock: clock, random: random)
                ?? FolderBackend(root: folder)
            engine = SyncEngine(
                store: store,
                backend: backend,
                environment: SyncEnvironment(clock: clock, random: random, label: name)
            )
        }
    }

    /// The token of the one account that the devices share.
    public static let token = "everyone"

    /// Makes the devices. `path` must be an empty folder that the caller removes.
    public init(
        devices count: Int,
        entities: [EntityDescriptor],
        path: String,
        place: Place = .folder,
        limits: WireLimits = WireLimits(),
        seed: UInt64 = 1
    ) throws {
        self.entities = EntityOrder.sorted(entities)
        self.path = path
        let ordered = self.entities
        let server =
            place == .server
            ? LoopbackServer(path: "\(path)/server", entities: ordered, limits: limits, seed: seed) : nil
        server?.add(Account(id: "account-1", name: "everyone"), token: Self.token)
        self.server = server
        devices = try (0..<count).map { index in
            let name = String(UnicodeScalar(UInt8(65 + index)))
            let folder = place == .folders ? "\(path)/folder-\(name)" : "\(path)/folder"
            return try Device(
                name: name,
                path: path,
                folder: folder,
                server: server,
                entities: ordered,
                seed: seed &* 1000 &+ UInt64(index)
            )
        }
    }

    /// One more device whose store is a copy of another one's file, as after a restored phone. It is not among `devices`.
    public func copy(of index: Int, name: String) throws -> Device {
        let source = devices[index]
        // NB: copied with its log, in a moment when nobody writes.
        for suffix in ["", "-wal"]
        where FileManager.default.fileExists(atPath: "\(path)/\(source.name).sqlite\(suffix)") {
            try FileManager.default.copyItem(
                atPath: "\(path)/\(source.name).sqlite\(suffix)",
                toPath: "\(path)/\(name).sqlite\(suffix)"
            )
        }
        return try Device(
            name: name,
            path: path,
            folder: source.folder,
            server: server,
            entities: entities,
            seed: 4711
        )
    }

    /// Syncs one device.
    @discardableResult
    public func sync(_ index: Int) async throws -> SyncReport {
        try await devices[index].engine.sync()
    }

    /// Syncs all devices, and delivers what they published, until nothing moves. Throws when that never happens.
    public func settle(order: [Int]? = nil) async throws {
        for _ in 0..<12 {
            var moved = 0
            for index in order ?? Array(devices.indices) {
                try deliver()
                let report = try await sync(index)
                moved += report.entities.reduce(0) { $0 + $1.pushed + $1.pulled }
            }
            try deliver()
            if moved == 0 { return }
        }
        throw WorldError(description: "the devices never came to rest")
    }

    /// Copies what each device wrote into its own copy of the folder to all the others.
    public func deliver() throws {
        guard server == nil else { return }
        for from in devices {
            for to in devices where to.folder != from.folder { try deliver(from, to: to) }
        }
    }

    /// Copies what one device wrote to another one's copy of the folder.
    public func deliver(from: Int, to: Int) throws {
        try deliver(devices[from], to: devices[to])
    }

    private func deliver(_ from: Device, to: Device) throws {
        let files = FileManager.default
        guard let id = try from.store.read({ try $0.value(name: "device") }) else { return }
        let source = "\(from.folder)/entitysync/\(id)"
        guard files.fileExists(atPath: source) else { return }
        try files.createDirectory(atPath: "\(to.folder)/entitysync", withIntermediateDirectories: true)
        let target = "\(to.folder)/entitysync/\(id)"
        try? files.removeItem(atPath: target)
        try files.copyItem(atPath: source, toPath: target)
    }
}

/// Why a world cannot go on.
public struct WorldError: Error, CustomStringConvertible, Sendable {
    /// What happened.
    public let description: String
}

extension World.Device {
    /// Another engine on the same store and remote.
    public func engine(label: String) -> SyncEngine {
        SyncEngine(
            store: store,
            backend: backend,
            environment: SyncEnvironment(clock: clock, random: random, label: label)
        )
    }

    /// All live records as plain JSON lines in key order; deleted ones too when asked for.
    public func export(entity: EntityDescriptor, includeHidden: Bool = false) throws -> [String] {
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        var lines: [String] = []
        try store.read { snapshot in
            try snapshot.scan(entity: entity, includeHidden: includeHidden) { local in
                var writer = JSONWriter()
                encoder.encode(RecordRow(local.version.record), to: &writer)
                lines.append((local.visibility == .deleted ? "deleted " : "") + writer.text)
            }
        }
        return lines
    }

    /// The value of one field of a live record as JSON, or nil.
    public func value(entity: EntityDescriptor, key: String, field: String) throws -> FieldValue? {
        guard let local = try local(entity: entity, key: key), local.visibility == .live,
            let position = entity.layout.position(of: field)
        else { return nil }
        return local.version.record.values[position]
    }

    /// The local tree of a record.
    public func local(entity: EntityDescriptor, key: String) throws -> LocalRecord? {
        try store.read { try $0.load(entity: entity, key: RecordKey(key)) }
    }

    /// Writes members over a record, or creates it.
    @discardableResult
    public func put(entity: EntityDescriptor, json: String) throws -> String {
        try writer.put(entity: entity, json: Array(json.utf8)).text
    }

    /// Deletes a record.
    public func delete(entity: EntityDescriptor, key: String) throws {
        try writer.delete(entity: entity, key: RecordKey(key))
    }

    /// Settles a conflict.
    public func resolve(entity: EntityDescriptor, key: String, resolution: Resolution) throws {
        try writer.resolve(entity: entity, key: RecordKey(key), with: resolution)
    }

    /// Keys in conflict.
    public func conflicts(entity: EntityDescriptor) throws -> [String] {
        try store.read { try $0.keys(entity: entity, in: .conflict, after: nil, limit: .max).map(\.text) }
    }

    /// The journal.
    public func journal() throws -> [JournalEntry] {
        try store.read { try $0.journal() }
    }
}
