import SyncCore
import Testing

@testable import SyncFileBackend

@Suite struct LostFolderTests {
    let disk = MemoryFileSystem()
    let home = "/disk/shared/entitysync"
    var folder: String { "\(home)/0000000000000001" }

    func error(device: TestDevice, rejoin: Bool = false) async -> SyncError? {
        do {
            try await device.sync(rejoin: rejoin)
            return nil
        } catch { return error as? SyncError }
    }

    func remove(_ path: String) {
        for name in disk.nodes.keys where name == path || name.hasPrefix(path + "/") {
            disk.nodes[name] = nil
        }
    }

    /// Two devices that have published two segments each and hold the same.
    func twoDevices() async throws -> (TestDevice, TestDevice) {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for round in 0..<2 {
            for device in [one, two] {
                device.edit("\(device.label) \(round)", value: "value")
                try await device.sync()
            }
        }
        try await one.sync()
        #expect(one.heads == two.heads)
        return (one, two)
    }

    @Test func makesTheFolderForANewStoreOnlyAndOnlyInAFolderThatStands() async throws {
        let one = TestDevice(number: 1, files: disk, root: "/disk/missing/shared")
        let refusal = await error(device: one)
        #expect(refusal?.kind == .unreachable)
        #expect(disk.writes.isEmpty)
        one.root = "/disk/shared"
        try await one.sync()
        remove("/disk/shared")
        #expect(await error(device: one)?.kind == .unreachable)
        #expect(await error(device: one, rejoin: true)?.kind == .unreachable)
        #expect(disk.nodes["/disk/shared"] == nil)
    }

    @Test func refusesARootThatIsNoFolder() async throws {
        disk.put("/disk/shared", text: "a file")
        #expect(await error(device: TestDevice(number: 1, files: disk))?.kind == .wrongRemote)
        #expect(disk.nodes["/disk/shared"] == .file(Array("a file".utf8)))
    }

    @Test func refusesAnEmptiedFolderWithCounts() async throws {
        let (one, two) = try await twoDevices()
        remove(home)
        let before = (disk.nodes, one.heads)
        let refusal = try #require(await error(device: one))
        #expect(refusal.kind == .wrongRemote)
        #expect(refusal.message.contains("0 device folders and 0 segments"))
        #expect(refusal.message.contains("2 device folders and 2 segments"))
        #expect(refusal.commandLineHelp?.contains("--rejoin") == true)
        #expect(refusal.help.contains("join"))
        #expect(disk.nodes == before.0)
        #expect(one.heads == before.1)
        #expect(await error(device: two)?.kind == .wrongRemote)
    }

    @Test func refusesAFolderThatLacksItsOwnPart() async throws {
        let (one, two) = try await twoDevices()
        remove(folder)
        let refusal = try #require(await error(device: one))
        #expect(refusal.kind == .wrongRemote)
        #expect(refusal.message.contains("1 device folder and 0 segments"))
        let outcome = try await two.sync()
        #expect(outcome.serious == ["vanished-device"])
        #expect(two.heads == one.heads, "nothing was deleted for it")
    }

    @Test func refusesAFolderThatWasRolledBack() async throws {
        let (one, two) = try await twoDevices()
        remove(disk.file(numbers: "\(folder)/segment-00000002"))
        let refusal = try #require(await error(device: one))
        #expect(refusal.kind == .wrongRemote)
        #expect(refusal.message.contains("1 segment of this store"))
        #expect(try await two.sync().serious == ["shrunk-device"])
    }

    @Test func refusesAnEmptiedFolderAlsoIfItPublishedNothing() async throws {
        let (_, _) = try await twoDevices()
        let reader = TestDevice(number: 3, files: disk)
        try await reader.sync()
        remove("\(home)/0000000000000003")
        #expect(await error(device: reader)?.kind == .wrongRemote)
    }

    @Test func refusesTheBindingOfAnotherKindOfRemote() async throws {
        let (one, _) = try await twoDevices()
        one.binding = "{\"epoch\":\"abc\",\"account\":\"x\"}"
        #expect(await error(device: one)?.kind == .wrongRemote)
    }

    @Test func goesOnWithItsOwnSegmentsWhenOnlyItsDeviceFileIsLost() async throws {
        let (one, two) = try await twoDevices()
        remove("\(folder)/device.json")
        one.edit("new", value: "value")
        try await one.sync()
        try await two.sync()
        #expect(one.heads == two.heads)
        #expect(try await one.backend.reader.deviceFile(device: one.id)?.number == 3)
    }

    @Test(arguments: [true, false])
    func publishesEverythingAgainAfterARejoinOfAnEmptiedFolder(keepsCursor: Bool) async throws {
        let (one, two) = try await twoDevices()
        let late = TestDevice(number: 3, files: disk)
        try await late.sync()
        remove(home)
        if !keepsCursor { one.cursor = nil }
        try await one.sync(rejoin: true)
        // It goes on as another device: numbers and sequences that the others have taken are not used again.
        #expect(disk.nodes[folder] == nil)
        #expect(one.id != DeviceID(bits: 1))
        try await two.sync(rejoin: true)
        one.edit("after", value: "value")
        try await one.sync()
        try await late.sync(rejoin: true)
        try await two.sync()
        try await one.sync()
        #expect(one.heads == two.heads)
        #expect(one.heads == late.heads)
        let fresh = TestDevice(number: 4, files: disk)
        #expect(try await fresh.sync().diagnostics.isEmpty)
        #expect(fresh.heads == one.heads)
        #expect(try await one.sync().pages == 0)
    }

    @Test func reachesDevicesThatDidNotRejoinAfterAnotherHasRolledBackAndRejoined() async throws {
        let (one, two) = try await twoDevices()
        remove(disk.file(numbers: "\(folder)/segment-00000001"))
        remove(disk.file(numbers: "\(folder)/segment-00000002"))
        try await one.sync(rejoin: true)
        one.edit("after", value: "value")
        try await one.sync()
        #expect(one.id != DeviceID(bits: 1))
        #expect(try await two.sync().serious == ["shrunk-device"])
        let outcome = try await two.sync()
        #expect(outcome.serious.isEmpty, "\(outcome.diagnostics)")
        #expect(two.heads == one.heads)
        let fresh = TestDevice(number: 4, files: disk)
        #expect(try await fresh.sync().diagnostics.isEmpty)
        #expect(fresh.heads == one.heads)
    }

    @Test func usesNoNumberAgainThatItMayHaveUsedWhereItsCursorIsLost() async throws {
        let one = TestDevice(number: 1, files: disk)
        for number in 1...2 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        remove(disk.file(numbers: "\(folder)/segment-00000002"))
        one.cursor = nil
        try await one.sync(rejoin: true)
        #expect(one.id == DeviceID(bits: 1), "nobody knows of more than stands there")
        let names = try disk.list(path: folder).map(untagged)
        #expect(
            names == ["device.json", "segment-00000001.ndjson", "snapshot-00000002-01000002.ndjson"],
            "\(names)"
        )
    }

    @Test func closesAHoleInItsOwnSegmentsByARejoin() async throws {
        let (one, two) = try await twoDevices()
        remove(disk.file(numbers: "\(folder)/segment-00000001"))
        disk.put(disk.file(numbers: "\(home)/0000000000000002/segment-00000001"), text: "torn")
        #expect(try await one.sync().serious == ["lost-segment"])
        #expect(try await two.sync().diagnostics.map(\.isSerious) == [true])
        #expect(try await TestDevice(number: 4, files: disk).sync().serious == ["gap", "foreign-segment"])
        try await one.sync(rejoin: true)
        try await two.sync(rejoin: true)
        let fresh = TestDevice(number: 5, files: disk)
        #expect(try await fresh.sync().diagnostics.isEmpty)
        #expect(fresh.heads == one.heads)
        #expect(try await one.sync().diagnostics.isEmpty)
    }

    @Test func holdsTheCursorAtAGapButNotTheEntriesAfterIt() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for number in 1...5 {
            one.edit("key \(number)", value: "value")
            try await one.sync()
        }
        let path = disk.file(numbers: "\(folder)/segment-00000003")
        let late = disk.nodes[path]
        disk.nodes[path] = nil
        var outcome = try await two.sync()
        #expect(outcome.serious == ["gap"])
        #expect(outcome.diagnostics[0].message.contains("Segment 3"))
        #expect(two.heads.count == 4)
        disk.forgetCounts()
        outcome = try await two.sync()
        #expect(outcome.serious == ["gap"])
        #expect(outcome.items.isEmpty)
        #expect(!disk.reads.contains { $0.contains("segment") })
        #expect(
            try await two.backend.reader.deviceFile(device: two.id)?.taken[one.id] == 2,
            "only what is contiguous counts"
        )
        disk.nodes[path] = late
        outcome = try await two.sync()
        #expect(outcome.diagnostics.isEmpty)
        #expect(two.heads == one.heads)
        #expect(try await two.backend.reader.deviceFile(device: two.id)?.taken[one.id] == 5)
    }

    @Test func readsAllAgainWhenTheStoreLostItsCursor() async throws {
        let (one, two) = try await twoDevices()
        let heads = one.heads
        one.cursor = "not a cursor"
        one.heads = [:]
        let outcome = try await one.sync()
        #expect(!outcome.wasCopy)
        #expect(one.heads == heads)
        one.edit("after", value: "value")
        try await one.sync()
        try await two.sync()
        #expect(one.heads == two.heads)
    }

    @Test func goesOnReadingAfterACrashInTheMiddleOfARejoin() async throws {
        let (one, two) = try await twoDevices()
        one.limits.pageItems = 1
        one.cursor = nil
        one.heads = [:]
        var request = one.request
        request.rejoin = true
        let session = try await one.backend.open(request)
        let page = try #require(try await session.fetch())
        for change in page.changes { one.apply(change) }
        one.cursor = page.cursor
        let outcome = try await one.sync()
        #expect(!outcome.wasCopy)
        #expect(one.heads == two.heads)
    }

    @Test func forgetsAVanishedDeviceOnceItIsRetired() async throws {
        let (one, two) = try await twoDevices()
        remove(folder)
        #expect(try await two.sync().serious == ["vanished-device"])
        try await two.backend.retire(one.id, by: two.id)
        #expect(try await two.sync().diagnostics.isEmpty)
        await #expect(throws: SyncError.self) { try await two.backend.retire(DeviceID(bits: 99), by: two.id) }
    }

    @Test func listsTheDevicesOfTheFolder() async throws {
        #expect(try await TestDevice(number: 1, files: disk).backend.devices().isEmpty)
        let (one, two) = try await twoDevices()
        try await two.backend.retire(one.id, by: two.id)
        let devices = try await one.backend.devices()
        #expect(devices.map(\.device) == [one.id, two.id])
        #expect(devices.map(\.label) == ["device 1", "device 2"])
        #expect(devices.map(\.published) == [2, 2])
        #expect(devices.map(\.isRetired) == [true, false])
        #expect(devices[0].taken == [two.id: 2])
    }

    @Test(arguments: [
        (MemoryFileSystem.Fault.Kind.noSpace, SyncError.Kind.inputOutput), (.notPermitted, .notPermitted),
    ])
    func saysWhenTheFolderCannotBeWrittenAndLosesNothing(
        kind: MemoryFileSystem.Fault.Kind,
        expected: SyncError.Kind
    )
        async throws
    {
        let (one, two) = try await twoDevices()
        one.edit("new", value: "value")
        disk.fail(.init(step: 0, kind: kind))
        #expect(await error(device: one)?.kind == expected)
        #expect(!one.pending.isEmpty)
        try await one.sync()
        try await two.sync()
        #expect(one.heads == two.heads)
    }
}
