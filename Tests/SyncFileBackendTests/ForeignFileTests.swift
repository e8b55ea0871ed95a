import SyncCore
import Testing

@testable import SyncFileBackend

@Suite struct ForeignFileTests {
    let disk = MemoryFileSystem()
    let home = "/disk/shared/entitysync"
    var folder: String { "\(home)/0000000000000001" }

    /// A device that has published three segments, and one that has taken nothing yet.
    func twoDevices() async throws -> (TestDevice, TestDevice) {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for (index, key) in ["a", "b", "c"].enumerated() {
            one.edit(key, value: "\(index)")
            try await one.sync()
        }
        return (one, two)
    }

    @Test(arguments: [
        ".DS_Store", "segment-00000002 (conflicted copy).ndjson", "segment-00000002 2.ndjson", "desktop.ini",
        "segment-00000002.ndjson~", ".segment-00000002.ndjson.swp", "device (1).json",
        "segment-00000004.ndjson.part",
        "sub", "\u{1B}[31m\n",
    ])
    func skipsAFileThatIsNotOursAndSaysSo(name: String) async throws {
        let (one, two) = try await twoDevices()
        disk.put("\(folder)/\(name)", text: "anything")
        disk.put("\(home)/\(name)", text: "anything")
        let outcome = try await two.sync()
        #expect(outcome.rules == ["foreign-file", "foreign-file"])
        #expect(outcome.serious.isEmpty)
        #expect(one.heads == two.heads)
        #expect(outcome.diagnostics.allSatisfy { !$0.place.contains("\n") })
        #expect(outcome.diagnostics.allSatisfy { !$0.message.contains("anything") })
        #expect(disk.nodes["\(folder)/\(name)"] != nil)
    }

    @Test func tellsManyForeignFilesInFewWords() async throws {
        let (_, two) = try await twoDevices()
        for number in 0..<1_000 { disk.put("\(folder)/photo \(number).jpg", text: "") }
        #expect(try await two.sync().diagnostics.count == 21)
    }

    @Test func skipsTemporaryFilesAndRemovesOnlyItsOwn() async throws {
        let (one, two) = try await twoDevices()
        disk.put("\(folder)/.tmp-segment-00000004.ndjson", text: "half")
        disk.put("\(home)/0000000000000002/.tmp-device.json", text: "half")
        disk.nodes["\(home)/0000000000000002"] = .folder
        let outcome = try await two.sync()
        #expect(outcome.rules == ["temporary-file"])
        #expect(outcome.serious.isEmpty)
        #expect(disk.nodes["\(folder)/.tmp-segment-00000004.ndjson"] != nil)
        #expect(disk.nodes["\(home)/0000000000000002/.tmp-device.json"] == nil)
        try await one.sync()
        #expect(disk.nodes["\(folder)/.tmp-segment-00000004.ndjson"] == nil)
    }

    /// What may stand in place of a segment, and the rule under which it is reported.
    static let damages: [(rule: String, damage: @Sendable ([UInt8]) -> MemoryFileSystem.Node)] = [
        ("empty-segment", { _ in .file([]) }),
        ("torn-segment", { .file(Array($0.dropLast(9))) }),
        ("torn-segment", { .file([UInt8](repeating: 0, count: $0.count)) }),
        ("torn-segment", { .file($0 + $0) }),
        (
            "changed-segment",
            { .file(Array(String(decoding: $0, as: UTF8.self).replacing("value", with: "valve").utf8)) }
        ),
        ("foreign-segment", { _ in .file(Array("<html>Please sign in</html>\n".utf8)) }),
        (
            "newer-format",
            {
                .file(
                    Array(
                        String(decoding: $0, as: UTF8.self).replacing("\"version\":1", with: "\"version\":9")
                            .utf8
                    )
                )
            }
        ),
        ("not-a-file", { _ in .folder }),
        ("not-a-file", { _ in .other }),
        ("link", { _ in .link }),
    ]

    @Test(arguments: damages.indices)
    func doesNotBelieveADamagedSegmentTakesTheOthersAndTheDamagedOneOnceItIsWhole(index: Int) async throws {
        let (one, two) = try await twoDevices()
        let (rule, damage) = Self.damages[index]
        let path = disk.file(numbers: "\(folder)/segment-00000002")
        let whole = try #require(disk.nodes[path])
        guard case .file(let bytes) = whole else { return }
        disk.nodes[path] = damage(bytes)
        for _ in 0..<2 {
            let outcome = try await two.sync()
            #expect(outcome.serious == [rule])
            #expect(outcome.diagnostics[0].place.hasPrefix("entitysync/0000000000000001/segment-00000002"))
            #expect(Set(two.heads.keys) == [RecordKey("a"), RecordKey("c")])
        }
        disk.forgetCounts()
        try await two.sync()
        #expect(
            !disk.reads.contains(disk.file(numbers: "\(folder)/segment-00000003")),
            "taken beyond the gap, not read again"
        )
        disk.nodes[path] = whole
        let outcome = try await two.sync()
        #expect(outcome.diagnostics.isEmpty)
        #expect(one.heads == two.heads)
        #expect(two.cursor.flatMap { FolderCursor($0) }?.taken[one.id] == NumberSet(contiguous: 3))
    }

    @Test func refusesAHugeFileWithoutReadingIt() async throws {
        let (_, two) = try await twoDevices()
        two.limits.maxFileBytes = 100
        disk.forgetCounts()
        #expect(try await two.sync().serious == ["too-large", "too-large", "too-large"])
        #expect(!disk.reads.contains { $0.contains("segment") })
    }

    @Test func refusesASegmentInAnotherDevicesPlaceOrUnderAnotherNumber() async throws {
        let (one, two) = try await twoDevices()
        let bytes = try #require(disk.nodes[disk.file(numbers: "\(folder)/segment-00000003")])
        disk.nodes["\(folder)/segment-00000004.ndjson"] = bytes
        disk.nodes["\(folder)/snapshot-00000005-00000006.ndjson"] = bytes
        disk.nodes["\(home)/0000000000000009"] = .folder
        disk.nodes["\(home)/0000000000000009/segment-00000001.ndjson"] = bytes
        #expect(try await two.sync().serious == Array(repeating: "misplaced-segment", count: 3))
        #expect(one.heads == two.heads)
    }

    @Test func takesAllButAMalformedEntry() async throws {
        let (_, two) = try await twoDevices()
        let path = disk.file(numbers: "\(folder)/segment-00000002")
        guard case .file(let bytes) = disk.nodes[path] else { return }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        lines[0] = lines[0].replacing("\"entries\":1", with: "\"entries\":4")
        let good = lines[1]
        let body = [
            lines[0], good.replacing("\"key\"", with: "\"kez\""), good,
            "{\"entity\":\"thing\",\"body\":{\"a\":1,}}",
            good.replacing("000000001.", with: "00000000g."),
        ].map { $0 + "\n" }.joined()
        let footer = "{\"entries\":4,\"digest\":\"\(Digest(Array(body.utf8)))\"}\n"
        // NB: what somebody changed does not have the tag of what was written.
        disk.nodes[path] = nil
        disk.put("\(folder)/segment-00000002.ndjson", text: body + footer)
        let outcome = try await two.sync()
        #expect(outcome.rules == ["malformed-entry", "malformed-entry", "malformed-entry"])
        #expect(outcome.diagnostics.map { $0.place.suffix(2) } == [":2", ":4", ":5"])
        #expect(two.heads.count == 3)
        #expect(try await two.sync().diagnostics.isEmpty, "told once")
    }

    @Test func anEntryWhoseBodyIsNoUnicodeIsHandedOnWithItsBytes() async throws {
        let (_, two) = try await twoDevices()
        let path = disk.file(numbers: "\(folder)/segment-00000002")
        guard case .file(let bytes) = disk.nodes[path] else { return }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        let header = String(decoding: lines[0], as: UTF8.self).replacing(
            "\"entries\":1",
            with: "\"entries\":3"
        )
        let good = String(decoding: lines[1], as: UTF8.self)
        let start = try #require(good.firstRange(of: "\"body\":"))
        let head = Array(good[..<start.upperBound].replacing("\"key\":\"", with: "\"key\":\"bad-").utf8)
        var body = Array((header + "\n").utf8) + lines[1] + [0x0A]
        body += head + Array(#"{"t":"\ud800"}}"#.utf8) + [0x0A]
        body += head + Array(#"{"t":""#.utf8) + [0xFF] + Array(#""}}"#.utf8) + [0x0A]
        let footer = "{\"entries\":3,\"digest\":\"\(Digest(body))\"}\n"
        disk.nodes[path] = nil
        disk.nodes["\(folder)/segment-00000002.ndjson"] = .file(body + Array(footer.utf8))
        let session = try await two.backend.open(two.request)
        var changes: [Change] = []
        while let page = try await session.fetch() {
            #expect(page.diagnostics.isEmpty)
            changes += page.changes
        }
        let bad = changes.filter { $0.header.key.text.hasPrefix("bad-") }
        #expect(!bad.isEmpty && changes.count == bad.count + 3)
        for change in bad {
            #expect(throws: JSONError.self) {
                try change.withBody { body in
                    var reader = JSONReader(validated: body)
                    try reader.skipValue()
                }
            }
        }
    }

    @Test func waitsForWhatIsInTheCloudOnly() async throws {
        let (one, two) = try await twoDevices()
        let path = disk.file(numbers: "\(folder)/segment-00000003")
        let whole = disk.nodes[path]
        disk.nodes[path] = nil
        disk.put("\(folder)/.segment-00000003.ndjson.icloud", text: "bplist")
        disk.put("\(home)/.000000000000000a.icloud", text: "bplist")
        #expect(try await two.sync().serious == ["placeholder", "placeholder"])
        // The device itself is not deceived either: its last segment is where it should be.
        #expect(try await one.sync().serious == ["placeholder"])
        disk.nodes["\(folder)/.segment-00000003.ndjson.icloud"] = nil
        disk.nodes["\(home)/.000000000000000a.icloud"] = nil
        disk.nodes[path] = whole
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(one.heads == two.heads)
    }

    @Test func saysThatItsOwnPlaceIsInTheCloudOnly() async throws {
        let one = TestDevice(number: 1, files: disk)
        try await one.sync()
        disk.nodes["\(folder)/device.json"] = nil
        disk.put("\(folder)/.device.json.icloud", text: "bplist")
        let error = await #expect(throws: SyncError.self) { try await one.sync() }
        #expect(error?.kind == .unreachable)
    }

    @Test func noticesNamesThatDifferInCaseOnly() async throws {
        let (one, two) = try await twoDevices()
        let path = disk.file(numbers: "\(folder)/segment-00000003")
        disk.nodes[path.replacing("segment", with: "SEGMENT")] = disk.nodes[path]
        disk.nodes["\(home)/000000000000000A"] = .folder
        var outcome = try await two.sync()
        #expect(outcome.rules == ["renamed-file", "renamed-file"])
        #expect(outcome.serious.count == 1, "the folder hides entries, the second file does not")
        #expect(one.heads == two.heads)
        disk.nodes[path] = nil
        outcome = try await TestDevice(number: 3, files: disk).sync()
        #expect(outcome.serious.count == 2)
    }

    @Test func followsNoLinkInsideTheFolder() async throws {
        let (_, two) = try await twoDevices()
        disk.nodes["\(home)/000000000000000b"] = .link
        disk.nodes["\(home)/000000000000000c"] = .file([])
        #expect(try await two.sync().serious == ["link", "not-a-folder"])
        disk.nodes["\(home)/000000000000000d"] = .link
        let error = await #expect(throws: SyncError.self) {
            try await TestDevice(number: 0xd, files: disk).sync()
        }
        #expect(error?.kind == .wrongRemote)
        let other = MemoryFileSystem()
        other.nodes["/disk/shared"] = .folder
        other.nodes["/disk/shared/entitysync"] = .link
        await #expect(throws: SyncError.self) { try await TestDevice(number: 1, files: other).sync() }
        #expect(other.writes.isEmpty)
    }

    @Test func writesABrokenDeviceFileAnew() async throws {
        let (one, two) = try await twoDevices()
        for broken in ["", "{", "[]", "{\"format\":\"x\"}"] {
            disk.put("\(folder)/device.json", text: broken)
            one.edit("a", value: broken)
            try await one.sync()
            let file = try await one.backend.reader.deviceFile(device: one.id)
            #expect(file?.number == one.cursor.flatMap { FolderCursor($0) }?.own)
        }
        try await two.sync()
        #expect(one.heads == two.heads)
    }

    @Test func leavesTheFilesOfANewerVersionAlone() async throws {
        let (one, two) = try await twoDevices()
        let path = "\(folder)/device.json"
        disk.put(path, text: "{\"format\":\"entitysync.device\",\"version\":2,\"future\":true}\n")
        let before = disk.nodes
        let error = await #expect(throws: SyncError.self) { try await one.sync() }
        #expect(error?.kind == .wrongRemote)
        #expect(disk.nodes == before)
        try await two.sync()
        #expect(one.heads == two.heads)
    }
}
