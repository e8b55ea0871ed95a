import SyncCore
import Testing

@testable import SyncFileBackend

@Suite struct CompactionTests {
    let disk = MemoryFileSystem()
    let home = "/disk/shared/entitysync"

    func names(device: TestDevice) throws -> [String] {
        try disk.list(path: "\(home)/\(device.id)").filter { $0.hasSuffix(".ndjson") }
    }

    func texts(device: TestDevice) throws -> String {
        try names(device: device).map { name in
            guard case .file(let bytes) = disk.nodes["\(home)/\(device.id)/\(name)"] else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }.joined()
    }

    @Test func keepsFewFilesAndTheNewestEntriesOfEachRecord() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for number in 0..<100 {
            one.edit("often", value: "\(number)")
            one.edit("once \(number)", value: "value")
            try await one.sync()
            #expect(try names(device: one).count <= one.limits.maxOwnFiles + 6)
        }
        let bytes = try texts(device: one).utf8.count
        #expect(bytes < 40_000)
        let outcome = try await two.sync()
        #expect(outcome.diagnostics.isEmpty)
        #expect(outcome.items.count == 101)
        #expect(two.heads == one.heads)
    }

    @Test func rewritesAnEntryOnlyALogarithmOfTimes() async throws {
        let one = TestDevice(number: 1, files: disk)
        var largest = 0
        for number in 0..<400 {
            one.edit("key \(number)", value: "value")
            disk.forgetCounts()
            try await one.sync()
            largest = max(largest, disk.writes.count)
        }
        #expect(largest <= 3, "one segment, one device file, one snapshot")
        disk.forgetCounts()
        let before = try texts(device: one).utf8.count
        for number in 400..<800 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        let grown = try texts(device: one).utf8.count - before
        let read = disk.reads.filter { $0.contains("snapshot") }.count
        #expect(grown > 0)
        #expect(read < 400 / 2, "large files are left alone most of the time: \(read)")
    }

    @Test func reachesAReaderThatStoodInTheMiddleOfTheSnapshot() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for number in 1...5 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        try await two.sync()
        for number in 6...30 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(one.heads == two.heads)
    }

    @Test func dropsATombstoneOnlyOnceAllHaveTakenItAndNothingIsLeftToHide() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for device in [one, two] {
            device.limits.maxOwnFiles = 1
            device.limits.collectBytes = -1_000_000
        }
        one.edit("a", value: "value")
        try await one.sync()
        try await two.sync()
        let tombstone = two.delete("a")
        try await two.sync()
        func publish(_ device: TestDevice) async throws {
            device.edit("other of \(device.label)", value: "value")
            try await device.sync()
        }
        try await publish(two)
        try await publish(two)
        #expect(
            try texts(device: two).contains(tombstone.metadata.editTimestamp.description),
            "the first device has not taken it"
        )
        try await one.sync()
        try await publish(two)
        #expect(
            try texts(device: two).contains(tombstone.metadata.editTimestamp.description),
            "it hides what the first one wrote"
        )
        try await publish(one)
        #expect(try !texts(device: one).contains("\"key\":\"a\""), "the tombstone of the other stands for it")
        try await publish(two)
        try await publish(two)
        #expect(try !texts(device: two).contains("\"key\":\"a\""))
        let fresh = TestDevice(number: 3, files: disk)
        try await fresh.sync()
        #expect(fresh.heads[RecordKey("a")] == nil)
        #expect(one.shows("a") == [nil])
    }

    /// A folder service brings an acknowledgement before the segments that stand before it.
    @Test func keepsATombstoneWhileAnothersSegmentsHaveNotArrived() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        two.limits.maxOwnFiles = 1
        two.limits.collectBytes = -1_000_000
        one.edit("a", value: "value")
        try await one.sync()
        try await two.sync()
        let tombstone = two.delete("a")
        try await two.sync()
        try await one.sync()
        let path = disk.file(numbers: "\(home)/\(one.id)/segment-00000001")
        let segment = disk.nodes[path]
        disk.nodes[path] = nil
        for round in 0..<4 {
            two.edit("other", value: "\(round)")
            try await two.sync()
        }
        #expect(try texts(device: two).contains(tombstone.metadata.editTimestamp.description))
        disk.nodes[path] = segment
        let fresh = TestDevice(number: 3, files: disk)
        try await fresh.sync()
        #expect(fresh.shows("a") == [nil])
    }

    /// A folder service brings a snapshot before the file of another device that stands for what it leaves out.
    @Test func nothingIsGoneWhileTheFilesThatASnapshotReliesOnHaveNotArrived() async throws {
        let devices = (1...3).map { TestDevice(number: UInt64($0), files: disk) }
        let (one, two, three) = (devices[0], devices[1], devices[2])
        one.limits.maxOwnFiles = 1
        one.limits.collectBytes = -1_000_000
        one.edit("lives", value: "by the first")
        one.edit("goes", value: "value")
        three.edit("own", value: "value")
        for device in devices { try await device.sync() }
        func nodes(of device: TestDevice) -> [String: MemoryFileSystem.Node] {
            disk.nodes.filter { $0.key.hasPrefix("\(home)/\(device.id)") }
        }
        // The second device's folder has not arrived where the first one drops the tombstone.
        let (second, early) = (nodes(of: two), nodes(of: three))
        let rewritten = "\(home)/\(one.id)/device.json"
        let outdated = disk.nodes[rewritten]
        for path in second.keys { disk.nodes[path] = nil }
        _ = one.delete("goes")
        for device in [one, three] { try await device.sync() }
        three.edit("lives", value: "by the third")
        try await three.sync()
        for round in 0..<6 {
            one.edit("other", value: "\(round)")
            try await one.sync()
        }
        for key in ["lives", "goes"] { #expect(try !texts(device: one).contains("\"key\":\"\(key)\"")) }
        disk.nodes.merge(second) { $1 }
        let late = nodes(of: three).merging([rewritten: try #require(disk.nodes[rewritten])]) { $1 }
        for path in late.keys { disk.nodes[path] = early[path] }
        disk.nodes[rewritten] = outdated
        let waiting = try await two.sync()
        #expect(waiting.rules.contains("waits-to-compare") && waiting.shown == nil)
        disk.nodes.merge(late) { $1 }
        let outcome = try await two.sync()
        let shown = try #require(outcome.shown, "now it compares")
        #expect(shown.contains(RecordKey("lives")) && !shown.contains(RecordKey("goes")))
    }

    @Test func keepsATombstoneForADeviceUntilItIsRetired() async throws {
        let (one, two, idle) = (
            TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk),
            TestDevice(number: 3, files: disk)
        )
        for device in [one, two] {
            device.limits.maxOwnFiles = 1
            device.limits.collectBytes = -1_000_000
        }
        one.edit("a", value: "value")
        try await one.sync()
        try await idle.sync()
        try await two.sync()
        let tombstone = one.delete("a")
        try await one.sync()
        func rounds() async throws {
            for round in 0..<6 {
                one.edit("other", value: "\(round)")
                try await one.sync()
                try await two.sync()
            }
        }
        try await rounds()
        #expect(try texts(device: one).contains(tombstone.metadata.editTimestamp.description))
        try await two.backend.retire(idle.id, by: two.id)
        try await rounds()
        #expect(try !texts(device: one).contains(tombstone.metadata.editTimestamp.description))
    }

    @Test func keepsATombstoneThatNamesASurvivor() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.limits.maxOwnFiles = 1
        one.limits.collectBytes = -1_000_000
        let version = one.delete("merged")
        let session = try await one.backend.open(one.request)
        one.binding = session.greeting.binding
        var changes = one.changes
        changes[0].mergedInto = RecordKey("survivor")
        let prepared = try await session.prepare(changes, cursor: nil)
        one.cursor = try await session.push(prepared).cursor
        one.pending = [:]
        for round in 0..<5 {
            one.edit("other", value: "\(round)")
            try await one.sync()
        }
        #expect(try texts(device: one).contains(version.metadata.editTimestamp.description))
    }

    @Test func removesLeftoversOfACutOffCompaction() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.limits.maxOwnFiles = 3
        for number in 0..<3 {
            one.edit("key", value: "\(number)")
            try await one.sync()
        }
        let segments = disk.nodes.filter { $0.key.contains("segment-") }
        one.edit("key", value: "last")
        try await one.sync()
        #expect(try names(device: one).map(untagged) == ["snapshot-00000001-00000004.ndjson"])
        for (path, node) in segments { disk.nodes[path] = node }
        let outcome = try await two.sync()
        #expect(outcome.diagnostics.isEmpty)
        #expect(outcome.items.count == 1)
        try await one.sync()
        #expect(try names(device: one).map(untagged) == ["snapshot-00000001-00000004.ndjson"])
    }

    @Test func keepsTheSegmentsThatABrokenSnapshotStandsFor() async throws {
        let (one, two, three) = (
            TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk),
            TestDevice(number: 3, files: disk)
        )
        for number in 0..<3 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        let torn = "\(home)/\(one.id)/snapshot-00000001-00000003.ndjson"
        disk.put(torn, text: "torn")
        let outcome = try await two.sync()
        #expect(outcome.serious == ["foreign-segment"])
        #expect(one.heads == two.heads)
        try await one.sync()
        #expect(try names(device: one).count == 3)
        #expect(disk.nodes[torn] == nil, "all that it stands for is there")
        disk.put(torn, text: "torn")
        disk.nodes[disk.file(numbers: "\(home)/\(one.id)/segment-00000002")] = nil
        try await one.sync()
        #expect(disk.nodes[torn] != nil, "not all of it is there")
        #expect(try await three.sync().serious == ["foreign-segment"])
    }

    @Test func readsOnWhileTheWriterCompacts() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.limits.maxOwnFiles = 3
        for number in 0..<3 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        let session = try await two.backend.open(two.request)
        two.binding = session.greeting.binding
        one.edit("key 3", value: "value")
        try await one.sync()
        while let page = try await session.fetch() {
            #expect(page.diagnostics.isEmpty)
            for change in page.changes { two.apply(change) }
        }
        #expect(one.heads == two.heads)
    }

    @Test func leavesASegmentThatIsNotAcknowledgedAsItIs() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.limits.maxOwnFiles = 1
        for number in 0..<2 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        one.edit("key 2", value: "value")
        let session = try await one.backend.open(one.request)
        let saved = one.cursor
        let prepared = try await session.prepare(one.changes, cursor: saved)
        one.intent = prepared.intent
        _ = try await session.push(prepared)
        try await session.close(cursor: saved)
        #expect(try names(device: one).map(untagged).contains("segment-00000003.ndjson"))
        #expect(try await !one.sync().wasCopy)
        #expect(one.pending.isEmpty)
    }
}
