import SyncChecks
import SyncCore
import SyncRuntime
import SyncServer
import SyncStore
import Testing

/// The state of a server on a simulated disk after a crash at each step that changes the disk.
@Suite struct DiskServerTests {
    @Test(arguments: DiskCrashTests.survivals)
    func aServerServesAfterACrashAtAnyStepAndKeepsWhatItAcknowledged(survival: Survival) async throws {
        let whole = try ServerStory()
        try await whole.push()
        #expect(whole.disk.steps > 50)
        for step in 1...whole.disk.steps {
            let story = try ServerStory()
            story.disk.crash(at: step)
            // A server without its disk refuses this.
            do { try await story.push() } catch is SyncError {}
            let place = "step \(step), \(story.disk.crashedIn ?? "none")"
            let acknowledged = try story.first.acknowledged()
            story.disk.restart(keeping: survival)
            story.server.restart()
            do {
                _ = try await story.second.engine.sync()
                #expect(try story.second.keys().isSuperset(of: acknowledged), "\(place)")
                _ = try await story.first.engine.sync()
                _ = try await story.second.engine.sync()
                #expect(try story.second.keys() == story.first.keys(), "\(place)")
            } catch {
                Issue.record("\(place): \(error)")
            }
        }
    }

    @Test func aBackupOnTheDiskIsPutBack() async throws {
        let story = try ServerStory()
        try story.server.backUp(to: "/backup")
        try await story.push()
        let full = story.disk.bytes(under: "/server")
        try story.server.restore(from: "/backup")
        #expect(story.disk.bytes(under: "/server") < full)
        _ = try await story.second.engine.sync()
        #expect(try story.second.keys().isEmpty)
    }
}

/// A server on a failing disk, and two devices on working disks.
private struct ServerStory {
    let disk = SimulatedDisk()
    let server: LoopbackServer
    let first: Device
    let second: Device

    init() throws {
        server = LoopbackServer(path: "/server", entities: [StoreWork.entity], disk: disk)
        server.add(Account(id: "account-1", name: "one"), token: "token")
        first = try Device(server: server, seed: 1)
        second = try Device(server: server, seed: 2)
    }

    /// Writes three notes, each followed by a sync.
    func push() async throws {
        for number in 1...3 {
            _ = try first.writer.put(
                entity: StoreWork.entity,
                json: Array(#"{"id": "note-\#(number)"}"#.utf8)
            )
            _ = try await first.engine.sync()
        }
    }

    struct Device {
        let store: SQLiteStore
        let writer: LocalWriter
        let engine: SyncEngine

        init(server: LoopbackServer, seed: UInt64) throws {
            let (clock, random) = (ManualClock(), SeededRandom(seed))
            store = try SQLiteStore.open(
                path: "/store.sqlite",
                entities: [StoreWork.entity],
                random: random,
                medium: SimulatedDisk()
            )
            writer = LocalWriter(store: store, clock: clock, random: random)
            engine = SyncEngine(
                store: store,
                backend: try server.backend(token: "token", clock: clock, random: random),
                environment: SyncEnvironment(clock: clock, random: random, label: "device")
            )
        }

        func keys() throws -> Set<String> {
            var keys: Set<String> = []
            try store.read { snapshot in
                try snapshot.scan(entity: StoreWork.entity, includeHidden: false) {
                    keys.insert($0.version.key.text)
                }
            }
            return keys
        }

        func acknowledged() throws -> Set<String> {
            try keys().subtracting(
                store.read {
                    try $0.keys(entity: StoreWork.entity, in: .pending, after: nil, limit: .max).map(\.text)
                }
            )
        }
    }
}
