import SyncChecks
import SyncCore
import Synchronization
import Testing

@testable import SyncFileBackend

/// Calls that wait for nothing of each other are made side by side, and what comes of them does not depend on which ends
/// first.
@Suite struct SideBySideTests {
    let bucket = MemoryObjectStorage()

    /// Devices that have published some segments each, in one bucket.
    @discardableResult
    private func publish(devices count: Int, rounds: Int = 3) async throws -> [TestDevice] {
        let devices = (0..<count).map { device(number: $0 + 1, storage: bucket) }
        for round in 0..<rounds {
            for device in devices {
                for number in 0..<5 {
                    let key = "key \((number * 7 + round * 3 + Int(device.id.bits) * 5) % 23)"
                    device.edit(key, value: "\(device.label), round \(round)")
                }
                try await device.sync()
            }
        }
        return devices
    }

    private func device(number: Int, storage: any ObjectStorage) -> TestDevice {
        let device = TestDevice(number: UInt64(number), files: MemoryFileSystem())
        device.storage = storage
        return device
    }

    @Test(.timeLimit(.minutes(30)), arguments: [GatedStorage.Call.list, .deviceFile, .segment])
    func asksForTheFilesOfManyDevicesAtOnce(call: GatedStorage.Call) async throws {
        let devices = try await publish(devices: 9)
        let storage = GatedStorage(base: bucket, call: call, width: 4)
        let reader = device(number: 99, storage: storage)
        let outcome = try await reader.sync()
        #expect(outcome.diagnostics.isEmpty)
        #expect(storage.mostUnderWay == 4)
        let late = device(number: 100, storage: bucket)
        try await late.sync()
        #expect(reader.heads == late.heads)
        #expect(reader.heads.count == 23 && devices.count == 9)
    }

    @Test func makesOneCallAfterTheOtherWhereTheStorageTakesOne() async throws {
        try await publish(devices: 4)
        let storage = GatedStorage(base: bucket, call: nil, width: 1)
        try await device(number: 99, storage: storage).sync()
        #expect(storage.mostUnderWay == 1)
    }

    @Test(arguments: 0..<20) func givesTheSamePagesWhicheverCallEndsFirst(seed: UInt64) async throws {
        try await publish(devices: 6)
        let torn = try #require(bucket.objects.keys.filter { $0.contains("segment-00000002") }.min())
        bucket.objects[torn]?.removeLast(9)
        var told: [[String]] = []
        for width in [1, 3, 8] {
            let reader = device(number: 99, storage: UnevenStorage(base: bucket, seed: seed, width: width))
            reader.limits.roundBytes = 3_000 * Int(seed % 4) + 1
            reader.limits.pageItems = 7
            let outcome = try await reader.sync(readOnly: true)
            let items = outcome.items.map { "\($0.key.text) \($0.writtenMetadata.editTimestamp)" }
            told.append(items + outcome.diagnostics.map { "\($0.rule) \($0.place)" } + ["\(outcome.pages)"])
        }
        #expect(told[0].contains { $0.hasPrefix("torn-segment") })
        #expect(told[1] == told[0] && told[2] == told[0])
    }

    @Test func throwsTheFirstErrorInTheOrderOfTheElements() async throws {
        let storage = UnevenStorage(base: bucket, seed: 7, width: 8)
        for _ in 0..<50 {
            let error = await #expect(throws: NumberedError.self) {
                try await storage.concurrentMap(Array(0..<30)) { number in
                    await storage.pause()
                    guard number < 5 else { throw NumberedError(number: number) }
                    return number
                }
            }
            #expect(error == NumberedError(number: 5))
        }
    }

    private struct NumberedError: Error, Equatable {
        var number: Int
    }
}

/// Lets the first calls of one kind go on only once as many are under way as the storage takes.
final class GatedStorage: ObjectStorage {
    /// What a call asks for.
    enum Call { case list, deviceFile, segment }

    let base: MemoryObjectStorage
    let maxConcurrentCalls: Int
    private let call: Call?
    private let state = Mutex(State())

    private struct State {
        var underWay = 0
        var most = 0
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(base: MemoryObjectStorage, call: Call?, width: Int) {
        (self.base, self.call, maxConcurrentCalls) = (base, call, width)
    }

    var mostUnderWay: Int { state.withLock { $0.most } }

    func root() async throws -> StorageRoot { try await base.root() }

    func list(prefix: String) async throws -> [ObjectEntry]? {
        // A device's own folder, and that of all, are listed by themselves.
        let isOther = prefix != FolderLayout.homePrefix && !prefix.hasSuffix("63/")
        return try await counted(isOther ? .list : nil) { try await base.list(prefix: prefix) }
    }

    func get(_ key: String, maxBytes: Int) async throws -> [UInt8] {
        let isOwn = key.contains("63/")
        let kind: Call = key.hasSuffix(FolderLayout.deviceFile) ? .deviceFile : .segment
        return try await counted(isOwn ? nil : kind) { try await base.get(key, maxBytes: maxBytes) }
    }

    func get(_ key: String, range: Range<Int>) async throws -> [UInt8] {
        try await counted(nil) { try await base.get(key, range: range) }
    }

    func put(
        _ key: String,
        ifAbsent: Bool,
        body: (ObjectWriter) async throws -> Void
    ) async throws {
        try await base.put(key, ifAbsent: ifAbsent, body: body)
    }

    func delete(_ key: String) async throws { try await base.delete(key) }

    private func counted<Value>(_ call: Call?, body: () async throws -> Value) async throws -> Value {
        state.withLock { state in
            state.underWay += 1
            state.most = max(state.most, state.underWay)
        }
        defer { state.withLock { $0.underWay -= 1 } }
        if call != nil, call == self.call { await arrive() }
        return try await body()
    }

    /// Waits until as many calls are under way as may be, once.
    private func arrive() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.waiting.append(continuation)
                if state.waiting.count == maxConcurrentCalls { state.isOpen = true }
                guard state.isOpen else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiting in released { waiting.resume() }
        }
    }
}

/// Answers some calls later than others.
final class UnevenStorage: ObjectStorage {
    let base: MemoryObjectStorage
    let maxConcurrentCalls: Int
    private let random: Mutex<SeededRandom>

    init(base: MemoryObjectStorage, seed: UInt64, width: Int) {
        (self.base, maxConcurrentCalls) = (base, width)
        random = Mutex(SeededRandom(seed: seed))
    }

    /// Lets others go first, a few times.
    func pause() async {
        let times = random.withLock { Int.random(in: 0..<6, using: &$0) }
        for _ in 0..<times { await Task.yield() }
    }

    func root() async throws -> StorageRoot { try await base.root() }

    func list(prefix: String) async throws -> [ObjectEntry]? {
        await pause()
        return try await base.list(prefix: prefix)
    }

    func get(_ key: String, maxBytes: Int) async throws -> [UInt8] {
        await pause()
        return try await base.get(key, maxBytes: maxBytes)
    }

    func get(_ key: String, range: Range<Int>) async throws -> [UInt8] {
        await pause()
        return try await base.get(key, range: range)
    }

    func put(
        _ key: String,
        ifAbsent: Bool,
        body: (ObjectWriter) async throws -> Void
    ) async throws {
        try await base.put(key, ifAbsent: ifAbsent, body: body)
    }

    func delete(_ key: String) async throws { try await base.delete(key) }
}
