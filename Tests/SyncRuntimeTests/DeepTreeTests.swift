import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Trees as deep as people never make them, in the stack of a secondary thread of Apple's systems.
@Suite struct DeepTreeTests {
    private static let depth = 10_000

    private static let folder = EntityDescriptor(
        name: "folder",
        typeName: "Folder",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "name", type: .string(), isRequired: true),
            FieldDescriptor(name: "parentId", type: .string(), isNullable: true),
        ] + Entities.times,
        key: ["id"],
        strategy: .lastWriteWins,
        created: "createdAt",
        updated: "updatedAt",
        unique: [["parentId", "name"]],
        references: [ReferenceDescriptor(field: "parentId", entity: "folder", onDelete: .cascade)]
    )

    /// A chain of folders under a root that all devices know, each in the one before.
    private func fill(_ device: World.Device) throws {
        try device.writer.write { session in
            for number in 0..<Self.depth {
                let parent = number == 0 ? "root" : "\(device.name)\(number - 1)"
                let json = #"{"id":"\#(device.name)\#(number)","name":"n\#(number)","parentId":"\#(parent)"}"#
                _ = try session.put(entity: Self.folder, json: Array(json.utf8))
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func aChainMadeOnTwoDevicesBecomesOneHoweverDeepItIs() async throws {
        let thread = SmallStack(bytes: 512 * 1_024)
        defer { thread.stop() }
        try await withTaskExecutorPreference(thread) { try await mergeDeleteAndRevive() }
    }

    private func mergeDeleteAndRevive() async throws {
        try await withWorld(count: 2, entities: Self.folder) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: Self.folder, json: #"{"id":"root","name":"root"}"#)
            try await world.converge()
            try fill(a)
            try fill(b)
            try await world.converge()
            for device in world.devices {
                let live = try device.export(entity: Self.folder)
                #expect(live.count == Self.depth + 1)
            }
            try a.delete(entity: Self.folder, key: "root")
            #expect(try a.export(entity: Self.folder).isEmpty)
            try await world.converge()
            #expect(try b.export(entity: Self.folder).isEmpty)
            try b.put(entity: Self.folder, json: #"{"id":"root","name":"again"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.export(entity: Self.folder).count == Self.depth + 1)
            }
        }
    }
}

/// Runs tasks in one thread with a stack of its own size.
private final class SmallStack: TaskExecutor, @unchecked Sendable {
    private let lock = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isStopped = false

    init(bytes: Int) {
        let thread = Thread { self.work() }
        thread.stackSize = bytes
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
        lock.signal()
    }

    /// Lets the thread end once it has nothing to do.
    func stop() {
        lock.withLock { isStopped = true }
        lock.signal()
    }

    private func work() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        lock.withLock {
            while jobs.isEmpty, !isStopped { lock.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }
}
