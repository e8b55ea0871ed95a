import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

/// Fingerprints of many records, while somebody waits to write.
@Suite struct FingerprintRefreshTests {
    @Test func whoWaitsWritesBetweenTwoPartsOfTheFingerprints() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 1, entities: note, place: .folders) { world in
            let device = world.devices[0]
            try device.writeNotes(count: 3_000)
            try await world.sync(0)
            let alone = try RecordFingerprints(store: device.store).current()
            // Whatever was written is looked at again.
            try device.store.write(.full) { transaction in
                for number in 0..<3_000 {
                    let key = RecordKey("\(number)")
                    let header = try #require(try transaction.header(entity: note, key: key))
                    try transaction.update(entity: note, key: key, header: header)
                }
            }
            let store = CrowdedStore(device.store)
            let fingerprints = try RecordFingerprints(store: store).current()
            #expect(store.turns >= 3)
            #expect(fingerprints == alone)
            #expect(fingerprints.count == 1)
        }
    }

    @Test func theFingerprintsOfManyRecordsAreMadeByMoreThanOneSync() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 1, entities: note, place: .server) { world in
            let device = world.devices[0]
            try device.writeNotes(count: 6_000)
            try await world.sync(0)
            let backend = RequestsBackend(base: device.backend)
            let engine = SyncEngine(
                store: device.store,
                backend: backend,
                environment: SyncEnvironment(clock: device.clock, random: SeededRandom(3), label: "A")
            )
            for _ in 0..<3 { _ = try await engine.sync() }
            #expect(await backend.tellsRecords == [false, true, false])
        }
    }
}

extension World.Device {
    fileprivate func writeNotes(count: Int) throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try writer.write { session in
            for number in 0..<count {
                let json = #"{"id":"\#(number)","title":"t"}"#
                _ = try session.put(entity: note, json: Array(json.utf8))
            }
        }
    }
}

/// Notes which requests tell fingerprints.
private actor RequestsBackend: RemoteBackend {
    let base: any RemoteBackend
    private(set) var tellsRecords: [Bool] = []

    init(base: any RemoteBackend) { self.base = base }

    nonisolated var capabilities: RemoteCapabilities { base.capabilities }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        tellsRecords.append(request.records != nil)
        return try await base.open(request)
    }
}

/// A store for which somebody always waits.
private final class CrowdedStore: LocalStore, @unchecked Sendable {
    // A test uses it sequentially.
    private let base: any LocalStore
    /// How many transactions there were.
    private(set) var turns = 0

    init(_ base: any LocalStore) { self.base = base }

    var entities: [EntityDescriptor] { base.entities }

    func isAwaited(after records: Int) -> Bool { true }

    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    {
        turns += 1
        return try base.write(durability, body: body)
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try base.read(body) }

    func lease() throws -> any StoreLease { try base.lease() }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        base.changes(notify)
    }
}
