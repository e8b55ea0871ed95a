import Foundation
public import SyncCore
import SyncFileBackend
public import SyncRuntime
import SyncServer
import SyncStore
public import SyncWire

/// Several devices with their own stores around one remote, in a folder of the test.
public final class World {
    /// The devices, by index.
    public let devices: [Device]
    /// The entities of every device.
    public let entities: [EntityDescriptor]
    /// The folder that contains everything.
    public let path: String
    /// The server, if there is one.
    public let server: LoopbackServer?

    /// The kind of remote.
    public enum Place: Sendable, Hashable, CaseIterable {
        /// One shared folder.
        case folder
        /// A copy of the folder for each device, like an offline file-syncing service. `deliver` copies the
        /// files.
        case folders
        /// A server.
        case server
    }

    /// One device.
    public final class Device: Sendable {
        /// `A`, `B`, `C` ...
        public let name: String
        /// Whether the most recent edit wins on this device, as its person chose; nil for what the schemas say.
        package let prefersRecent = Guarded<Bool?>(nil)
        /// The device's clock. All start at the same time.
        public let clock: ManualClock
        /// The device's store.
        package let store: any LocalStore
        /// The device's local writer.
        package let writer: LocalWriter
        /// The folder of the device; empty in a world with a server.
        public let folder: String
        /// The device's backend.
        public let backend: any RemoteBackend
        let engine: SyncEngine
        let random: SeededRandom
        let deciding: @Sendable (EntityDescriptor) -> EntityDescriptor

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
            let prefersRecent = prefersRecent
            deciding = { entity in
                guard let isRecent = prefersRecent.use({ $0 }), let choices = entity.choices else {
                    return entity
                }
                return isRecent ? choices.recent : choices.asking
            }
            writer = LocalWriter(store: store, clock: clock, random: random, deciding: deciding)
            backend =
                try server?.backend(token: World.token, clock: clock, random: random)
                ?? FolderBackend(root: folder)
            engine = SyncEngine(
                store: store,
                backend: backend,
                environment: SyncEnvironment(clock: clock, random: random, label: name),
                deciding: deciding
            )
        }
    }

    /// The token of the account that all devices share.
    public static let token = "everyone"

    /// Makes the devices. `path` must be an empty folder, which the caller removes. `served`: the entities by which a
    /// server checks what it is sent, if they are others than the devices'.
    public init(
        devices count: Int,
        entities: [EntityDescriptor],
        served: [EntityDescriptor]? = nil,
        path: String,
        place: Place = .folder,
        limits: WireLimits = WireLimits(),
        seed: UInt64 = 1
    ) throws {
        self.entities = EntityOrder.sorted(entities)
        self.path = path
        let ordered = self.entities
        let known = served.map { EntityOrder.sorted($0) } ?? ordered
        let server =
            place == .server
            ? LoopbackServer(path: "\(path)/server", entities: known, limits: limits, seed: seed) : nil
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

    /// A device whose store is a copy of another one's file, as after restoring a phone. It is not added to
    /// `devices`.
    public func copy(of index: Int, name: String) throws -> Device {
        let source = devices[index]
        // NB: the WAL file is copied as well; nobody writes at this time.
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

    /// Syncs all devices and delivers their files until nothing changes. Throws if that never happens.
    public func converge(order: [Int]? = nil) async throws {
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

    /// Copies each device's files to all other copies of the folder.
    public func deliver() throws {
        guard server == nil else { return }
        for from in devices {
            for to in devices where to.folder != from.folder { try deliver(from, to: to) }
        }
    }

    /// Copies one device's files to another one's copy of the folder.
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

/// Thrown if a world cannot continue.
public struct WorldError: Error, CustomStringConvertible, Sendable {
    /// What happened.
    public let description: String
}

extension World.Device {
    /// Makes another engine on the same store and remote.
    public func engine(label: String) -> SyncEngine {
        SyncEngine(
            store: store,
            backend: backend,
            environment: SyncEnvironment(clock: clock, random: random, label: label),
            deciding: deciding
        )
    }

    /// All live records as plain JSON lines in key order, and deleted ones if requested.
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

    /// The value of one field of a live record; nil if it is absent.
    public func value(entity: EntityDescriptor, key: String, field: String) throws -> FieldValue? {
        guard let local = try local(entity: entity, key: key), local.visibility == .live,
            let position = entity.layout.position(of: field)
        else { return nil }
        return local.version.record.values[position]
    }

    /// The local record.
    public func local(entity: EntityDescriptor, key: String) throws -> LocalRecord? {
        try store.read { try $0.load(entity: entity, key: RecordKey(key)) }
    }

    /// Sets members of a record, or creates it.
    @discardableResult
    public func put(entity: EntityDescriptor, json: String) throws -> String {
        try writer.put(entity: entity, json: Array(json.utf8)).text
    }

    /// Deletes a record.
    public func delete(entity: EntityDescriptor, key: String) throws {
        try writer.delete(entity: entity, key: RecordKey(key))
    }

    /// Resolves a conflict.
    package func resolve(entity: EntityDescriptor, key: String, resolution: Resolution) throws {
        try writer.resolve(entity: entity, key: RecordKey(key), with: resolution)
    }

    /// The keys of records in conflict.
    public func conflicts(entity: EntityDescriptor) throws -> [String] {
        try store.read { try $0.keys(entity: entity, in: .conflict, after: nil, limit: .max).map(\.text) }
    }

    /// The journal entries.
    package func journal() throws -> [JournalEntry] {
        try store.read { try $0.journal() }
    }
}
