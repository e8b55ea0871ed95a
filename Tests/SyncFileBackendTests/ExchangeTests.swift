import SyncCore
import Testing

@testable import SyncFileBackend

@Suite struct ExchangeTests {
    let disk = MemoryFileSystem()

    @Test func bringsEachDeviceWhatTheOtherWrote() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.edit("a", value: "from one")
        two.edit("b", value: "from two")
        try await one.sync()
        try await two.sync()
        try await one.sync()
        #expect(one.heads == two.heads)
        #expect(one.heads.count == 2)
        #expect(one.pending.isEmpty && two.pending.isEmpty)
    }

    @Test func keepsConcurrentVersionsAndDropsSupersededOnes() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.edit("a", value: "base")
        try await one.sync()
        try await two.sync()
        one.edit("a", value: "one")
        two.edit("a", value: "two")
        try await one.sync()
        try await two.sync()
        try await one.sync()
        #expect(one.shows("a").count == 2)
        #expect(one.heads == two.heads)
        let fresh = TestDevice(number: 3, files: disk)
        let outcome = try await fresh.sync()
        #expect(outcome.items.count == 2)
        #expect(fresh.heads == one.heads)
        two.edit("a", value: "merged")
        try await two.sync()
        let late = TestDevice(number: 4, files: disk)
        #expect(try await late.sync().items.count == 1)
        #expect(late.shows("a") == two.shows("a"))
    }

    @Test func carriesKeysOfAnyCharacterAndNeverPutsThemInNames() async throws {
        let keys = [
            "../../etc/passwd", "/", "..", "", " ", "\u{0}", "a\u{0}b", "\n", "\r\n", "\u{2028}", "\u{FEFF}",
            "CON", "nul.txt", "e\u{301}", "\u{e9}", "\u{1F469}\u{200D}\u{1F680}", "\"\\", "{}", "\u{202E}exe",
            String(repeating: "x", count: 4_000), String(repeating: "\u{1F469}", count: 4_000),
        ]
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for (index, key) in keys.enumerated() { one.edit(key, value: "\(index)\n\(key)") }
        try await one.sync()
        try await two.sync()
        #expect(two.heads.count == keys.count)
        #expect(one.heads == two.heads)
        #expect(
            Set(disk.nodes.keys) == [
                "/", "/disk", "/disk/shared", "/disk/shared/entitysync",
                "/disk/shared/entitysync/0000000000000001",
                "/disk/shared/entitysync/0000000000000001/device.json",
                disk.file(numbers: "/disk/shared/entitysync/0000000000000001/segment-00000001"),
                "/disk/shared/entitysync/0000000000000002",
                "/disk/shared/entitysync/0000000000000002/device.json",
            ]
        )
    }

    @Test func deliversInOrderOfKeyBytesInPages() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for number in (0..<25).shuffled() { one.edit("key \(number)", value: "\(number)") }
        try await one.sync()
        two.limits.pageItems = 10
        let outcome = try await two.sync()
        #expect(outcome.pages == 3)
        #expect(outcome.items.map(\.key) == outcome.items.map(\.key).sorted())
        #expect(outcome.items.count == 25)
    }

    @Test func cutsPagesByBytesAndGivesALargeBodyAPageOfItsOwn() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.edit("a", value: "small")
        one.edit("b", value: String(repeating: "large", count: 100))
        one.edit("c", value: "small")
        try await one.sync()
        two.limits.pageBytes = 50
        #expect(try await two.sync().pages == 3)
        #expect(one.heads == two.heads)
    }

    @Test func movesTheCursorOnlyWithTheLastPage() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for number in 0..<30 { one.edit("key \(number)", value: "\(number)") }
        try await one.sync()
        two.limits.pageItems = 10
        let session = try await two.backend.open(two.request)
        two.binding = session.greeting.binding
        let page = try #require(try await session.fetch())
        two.cursor = page.cursor
        // The process ends here: what was not applied yet comes again.
        #expect(try await two.sync().items.count == 30)
        #expect(one.heads == two.heads)
    }

    @Test func acceptsARepeatedPushAndWritesItOnce() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.edit("a", value: "value")
        let session = try await one.backend.open(one.request)
        let prepared = try await session.prepare(one.changes, cursor: nil)
        let first = try await session.push(prepared)
        disk.forgetCounts()
        let second = try await session.push(prepared)
        #expect(first.cursor == second.cursor)
        #expect(disk.writes.isEmpty)
        guard case .accepted(let editTimestamp, _) = try #require(second.results.first) else {
            Issue.record("a repeated push was not accepted")
            return
        }
        #expect(editTimestamp == one.heads[RecordKey("a")]?.first?.metadata.editTimestamp)
    }

    @Test(arguments: [1, 20]) func readsNoSegmentAndWritesNothingWhenNothingIsNew(devices: UInt64)
        async throws
    {
        var all: [TestDevice] = []
        for number in 1...devices {
            let device = TestDevice(number: number, files: disk)
            for round in 0..<5 {
                device.edit("key \(number)", value: "\(round)")
                try await device.sync()
            }
            all.append(device)
        }
        for device in all { try await device.sync() }
        for device in all { try await device.sync() }
        disk.forgetCounts()
        let outcome = try await all[0].sync()
        #expect(outcome.pages == 0)
        #expect(disk.reads.allSatisfy { $0.hasSuffix("device.json") })
        #expect(disk.reads.count <= devices + 2, "what each device says of itself")
        #expect(disk.writes.isEmpty)
    }

    @Test func writesNothingInADryRun() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        let empty = disk.nodes
        #expect(try await two.sync(readOnly: true).items.isEmpty)
        #expect(disk.nodes == empty)
        one.edit("a", value: "value")
        try await one.sync()
        let before = disk.nodes
        two.edit("b", value: "value")
        #expect(try await two.sync(readOnly: true).items.count == 1)
        #expect(disk.nodes == before)
    }

    @Test func readsBackAPushThatWasNeverAcknowledged() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.edit("a", value: "first")
        try await one.sync()
        one.edit("a", value: "second")
        disk.fail(.init(step: 0, kind: .crashAfter))
        await #expect(throws: MemoryFileSystem.Crash.self) { try await one.sync() }
        disk.fail(nil)
        #expect(one.intent != nil && !one.pending.isEmpty)
        try await two.sync()
        two.edit("a", value: "on top of it")
        try await two.sync()
        disk.forgetCounts()
        let outcome = try await one.sync()
        #expect(!outcome.wasCopy)
        #expect(
            outcome.items.contains {
                $0.metadata?.editTimestamp.device == one.id && $0.metadata?.editTimestamp.sequence == 2
            }
        )
        #expect(one.pending.isEmpty)
        #expect(one.heads == two.heads)
        #expect(!disk.writes.contains { $0.contains("segment") })
    }

    @Test func readsBackAnUnacknowledgedFirstPushInManyPagesAcrossACrash() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.limits.pageItems = 4
        for number in 0..<10 { one.edit("key \(number)", value: "\(number)") }
        disk.fail(.init(step: 1, kind: .crashAfter))
        await #expect(throws: MemoryFileSystem.Crash.self) { try await one.sync() }
        disk.fail(nil)
        let session = try await one.backend.open(one.request)
        #expect(!session.greeting.isCopy)
        let page = try #require(try await session.fetch())
        for change in page.changes { one.apply(change) }
        one.cursor = page.cursor
        one.intent = nil
        #expect(one.pending.count == 6)
        // The process ends here, after a part of the answer was saved.
        let outcome = try await one.sync()
        #expect(!outcome.wasCopy)
        #expect(one.pending.isEmpty)
    }

    @Test func noticesThatItIsACopyAndGoesOnAsAnother() async throws {
        let (one, reader) = (TestDevice(number: 1, files: disk), TestDevice(number: 3, files: disk))
        one.edit("a", value: "before")
        try await one.sync()
        let copy = one.copy()
        one.edit("a", value: "of the original")
        one.edit("b", value: "of the original")
        try await one.sync()
        copy.edit("a", value: "of the copy")
        copy.edit("c", value: "of the copy")
        let outcome = try await copy.sync()
        #expect(outcome.wasCopy)
        #expect(copy.id != one.id)
        try await one.sync()
        try await copy.sync()
        try await reader.sync()
        #expect(one.heads == copy.heads)
        #expect(one.heads == reader.heads)
        #expect(one.shows("a").count == 2)
        #expect(one.heads.count == 3)
    }

    @Test func tellsACopyWhatTheFolderHoldsOfItsSequence() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.edit("a", value: "1")
        try await one.sync()
        let copy = one.copy()
        one.edit("a", value: "2")
        one.edit("b", value: "3")
        try await one.sync()
        let greeting = try await copy.backend.open(copy.request).greeting
        #expect(greeting.isCopy)
        #expect(greeting.ownSequence == 3)
        #expect(try await one.backend.open(one.request).greeting.ownSequence == 3)
    }

    @Test func noticesACopyThatPublishedUnderTheSameNumberElsewhere() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.edit("a", value: "before")
        try await one.sync()
        let otherDisk = MemoryFileSystem(copying: disk)
        let copy = one.copy(otherDisk)
        one.edit("b", value: "of the original")
        try await one.sync()
        copy.edit("c", value: "of the copy")
        try await copy.sync()
        // The folder service lets the copy's files win.
        disk.nodes = otherDisk.nodes
        #expect(try await one.sync().wasCopy)
    }

    @Test func refusesToReplaceASegmentThatAnotherCopyWroteMeanwhile() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.edit("a", value: "before")
        try await one.sync()
        let copy = one.copy()
        one.edit("b", value: "of the original")
        let session = try await one.backend.open(one.request)
        copy.edit("c", value: "of the copy")
        try await copy.sync()
        let segment = disk.file(numbers: "/disk/shared/entitysync/0000000000000001/segment-00000002")
        let before = disk.nodes[segment]
        let error = await #expect(throws: SyncError.self) { try await one.push(session) }
        #expect(error?.retry == .later)
        #expect(disk.nodes[segment] == before)
        #expect(try await one.sync().wasCopy)
        try await copy.sync()
        #expect(one.heads == copy.heads)
    }
}

extension ExchangeTests {
    @Test func ordersKeysThatBeginAlikeByTheirBytes() async throws {
        let keys = [
            "", "\u{0}", "\u{0}\u{0}", "a", "a\u{0}", "a\u{0}\u{0}b", "abcdefgh", "abcdefgh\u{0}",
            "abcdefghi",
        ]
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for key in keys.reversed() { one.edit(key, value: key) }
        try await one.sync()
        #expect(try await two.sync().items.map(\.key) == keys.map { RecordKey($0) })
        #expect(one.heads == two.heads)
    }
}
