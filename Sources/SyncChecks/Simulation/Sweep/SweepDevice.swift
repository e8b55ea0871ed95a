package import SyncCore
import SyncFileBackend
package import SyncRuntime
import SyncServerBackend
import SyncStore
import SyncWire

/// A device of a sweep: the real store, engine and backend on a simulated disk.
package final class SweepDevice: @unchecked Sendable {
    // A sweep runs its steps sequentially, so nothing here is used concurrently. Names are `A`, `B` and so on.
    package let name: String
    package let disk: SimulatedDisk
    package let clock: ManualClock
    private let scene: SweepScene
    private let server: LoopbackServer?
    private let seed: UInt64
    /// The device's own part of the folder; nil before its first sync.
    private(set) var ownFolder: String?
    private var running: (store: SQLiteStore, engine: SyncEngine, random: SeededRandom)?

    static let storePath = "/device/store.sqlite"
    static let folder = "/shared"

    init(name: String, scene: SweepScene, disk: SimulatedDisk, server: LoopbackServer?, time: Timestamp) {
        self.name = name
        self.scene = scene
        self.disk = disk
        self.server = server
        clock = ManualClock(time)
        seed = UInt64(name.utf8.first ?? 0)
    }

    /// Starts the app with a fixed random seed, so that each run is the same. Throws errors of the app's start.
    func open(seed other: UInt64 = 0) throws {
        guard running == nil else { return }
        let random = SeededRandom(seed &* 1000 &+ other)
        try disk.makeFolder("/device")
        let store = try SQLiteStore.open(
            path: Self.storePath,
            entities: scene.entities,
            random: random,
            busyTimeoutMilliseconds: 0,
            medium: disk
        )
        let engine = SyncEngine(
            store: store,
            backend: try backend(random: random),
            environment: SyncEnvironment(clock: clock, random: random, label: name)
        )
        running = (store, engine, random)
        ownFolder = try store.read { try $0.value(name: "device") }.map { "\(Self.folder)/entitysync/\($0)" }
    }

    private func backend(random: SeededRandom) throws -> any RemoteBackend {
        if let server {
            return try server.backend(
                token: World.token,
                clock: clock,
                random: random,
                limits: HTTPLimits(
                    pageRecords: scene.pageRecords,
                    pushChanges: scene.limits.changes,
                    aheadBytes: 0,
                    preparesAhead: false
                )
            )
        }
        var limits = FolderLimits()
        limits.maxOwnFiles = scene.maxOwnFiles
        limits.collectBytes = scene.collectBytes
        return FolderBackend(storage: disk.objects(in: Self.folder), limits: limits)
    }

    /// Ends the app.
    func close() {
        running?.store.close()
        running = nil
    }

    /// The store of the running app. Throws if it is not running.
    package func store() throws -> any LocalStore { try app().store }

    /// Writes as a person does. The write is durable when the call returns.
    package func write(body: (WriteSession) throws -> Void) throws {
        let app = try app()
        try LocalWriter(store: app.store, clock: clock, random: app.random).write(body)
    }

    /// Writes a record from JSON.
    package func put(entity: EntityDescriptor, json: String) throws {
        try write { _ = try $0.put(entity: entity, json: Array(json.utf8)) }
    }

    /// Syncs once.
    @discardableResult
    package func sync() async throws -> SyncReport { try await app().engine.sync() }

    private func app() throws -> (store: SQLiteStore, engine: SyncEngine, random: SeededRandom) {
        guard let running else { throw WorldError(description: "\(name) does not run") }
        return running
    }
}
