import SyncCore
import Testing

@testable import SyncFileBackend

/// What is held at once does not grow with what is new, with what waits, or with what was ever published.
@Suite struct BoundTests {
    let disk = MemoryFileSystem()
    let home = "/disk/shared/entitysync"

    /// More than the longest line of these tests takes.
    private let lineBytes = 400

    private func files(device: TestDevice) throws -> [String] {
        try disk.list(path: "\(home)/\(device.id)").filter { $0.hasSuffix(".ndjson") }
    }

    private func size(path: String) -> Int {
        if case .file(let bytes) = disk.nodes[path] { bytes.count } else { 0 }
    }

    private func edit(_ device: TestDevice, count: Int, from first: Int = 0) {
        for number in first..<first + count { device.edit("key \(number)", value: "value \(number)") }
    }

    /// One segment of that many records, as a program without a limit wrote it.
    private func publishAtOnce(_ count: Int, by device: TestDevice) async throws {
        device.limits.pushLimit = .none
        edit(device, count: count)
        try await device.sync()
        #expect(try files(device: device).count == 1)
    }

    @Test(arguments: [100, 1000]) func aPushIsSegmentsOfBoundedSize(records: Int) async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.limits.pushLimit = PushLimit(changes: 30, bytes: 600)
        edit(one, count: records)
        try await one.sync()
        #expect(disk.largestPiece <= 31 * lineBytes)
        #expect(try files(device: one).count >= records / 30)
        try await two.sync()
        #expect(two.heads == one.heads)
        #expect(one.pending.isEmpty)
    }

    @Test(arguments: [200, 2000]) func aPullHoldsNoMoreThanARound(records: Int) async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.limits.pushLimit = PushLimit(changes: 20, bytes: .max)
        edit(one, count: records)
        try await one.sync()
        two.limits.roundBytes = 20_000
        two.limits.pageItems = 7
        let smallest = try files(device: one).map { size(path: "\(home)/\(one.id)/\($0)") }.min() ?? 1
        let session = try await two.backend.open(two.request)
        two.binding = session.greeting.binding
        disk.forgetCounts()
        var given = 0
        while let page = try await session.fetch() {
            let read = disk.reads.count { $0.contains("segment-") }
            #expect(
                read * 20 <= given + (two.limits.roundBytes / smallest + 1) * 20,
                "read ahead of the pages"
            )
            given += page.changes.count
            for change in page.changes { two.apply(change) }
        }
        #expect(two.heads == one.heads)
    }

    @Test func aPullThatBreaksOffGoesOnWithTheFilesThatAreNew() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        one.limits.pushLimit = PushLimit(changes: 10, bytes: .max)
        edit(one, count: 200)
        try await one.sync()
        two.limits.roundBytes = 5_000
        let session = try await two.backend.open(two.request)
        two.binding = session.greeting.binding
        for _ in 0..<3 {
            let page = try #require(try await session.fetch())
            for change in page.changes { two.apply(change) }
            two.cursor = page.cursor
        }
        let known = two.heads.count
        #expect(known > 20 && known < 200)
        #expect(try await two.sync().items.count == 200 - known)
        #expect(two.heads == one.heads)
    }

    @Test(arguments: [500, 5000]) func aFileOfAnySizeIsReadInPieces(records: Int) async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        try await publishAtOnce(records, by: one)
        two.limits.pieceBytes = 10_000
        two.limits.roundBytes = 10_000
        disk.forgetCounts()
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(disk.largestRead <= 10_000)
        #expect(two.heads == one.heads)
    }

    @Test func anEntryThatIsLargerThanAPieceIsReadWhole() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        edit(one, count: 20)
        one.edit("key 7", value: String(repeating: "x", count: 30_000))
        try await one.sync()
        two.limits.pieceBytes = 2_000
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(two.heads == one.heads)
    }

    @Test func whatChangesAfterAFileWasFoundWholeIsNotBelieved() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        try await publishAtOnce(200, by: one)
        let path = "\(home)/\(one.id)/\(try files(device: one)[0])"
        guard case .file(let whole) = disk.nodes[path] else { throw TestFailure() }
        two.limits.pieceBytes = 5_000
        two.limits.roundBytes = 5_000
        let session = try await two.backend.open(two.request)
        two.binding = session.greeting.binding
        let before = two.cursor
        var rules: [String] = []
        var isFirst = true
        while let page = try await session.fetch() {
            if isFirst {
                var changed = whole
                let place = try #require(whole.lastRange(of: Array("value 98".utf8))?.lowerBound)
                changed[place] = UInt8(ascii: "V")
                disk.nodes[path] = .file(changed)
                isFirst = false
            }
            rules += page.diagnostics.map(\.rule)
            for change in page.changes { two.apply(change) }
            two.cursor = page.cursor
        }
        #expect(rules == ["changed-segment"])
        #expect(!isFirst && two.heads.count < 200 && !two.heads.isEmpty)
        #expect(!two.heads.values.contains { $0.contains { $0.body.contains("Value") } })
        let taken = two.cursor.flatMap { FolderCursor($0) }?.taken[one.id]
        #expect(taken == nil || before == two.cursor, "the file is not taken")
        disk.nodes[path] = .file(whole)
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(two.heads == one.heads)
    }

    @Test func piecesAreBelievedExactlyWhereTheWholeFileIs() async throws {
        let one = TestDevice(number: 1, files: disk)
        edit(one, count: 12)
        try await one.sync()
        let file = try #require(
            try await one.backend.reader.ownListing(device: one.id).files.first
        )
        let path = "\(home)/\(one.id)/\(file.name)"
        guard case .file(let whole) = disk.nodes[path] else { throw TestFailure() }
        func rule(bytes: [UInt8], pieceBytes: Int) async throws -> String? {
            disk.nodes[path] = .file(bytes)
            let reader = one.backend.reader
            let listing = try await reader.ownListing(device: one.id)
            switch try await reader.load(file, of: listing, pieceBytes: pieceBytes) {
            case .success: return nil
            case .failure(.vanished): return "vanished"
            case .failure(.refused(let diagnostic)): return diagnostic.rule
            }
        }
        var broken = (1..<40).map { Array(whole.prefix(whole.count * $0 / 40)) }
        broken += [whole + whole, whole + Array("x".utf8), Array("plain text".utf8), Array("a\nb\n".utf8)]
        broken += [
            Array(whole.prefix(400)) + [UInt8](repeating: 0, count: 4000), [UInt8](repeating: 0, count: 4000),
        ]
        for place in stride(from: 0, to: whole.count, by: 37) {
            var changed = whole
            changed[place] ^= 1
            broken.append(changed)
        }
        for pieceBytes in [300, 1000, 3000] {
            #expect(try await rule(bytes: whole, pieceBytes: pieceBytes) == nil)
            for bytes in broken {
                let expected = try await rule(bytes: bytes, pieceBytes: 1 << 20)
                let found = try await rule(bytes: bytes, pieceBytes: pieceBytes)
                #expect((expected == nil) == (found == nil), "\(bytes.count) bytes, pieces of \(pieceBytes)")
            }
        }
    }

    @Test(arguments: [false, true], [50, 500])
    func compactionHoldsAPieceOfEachFile(collects: Bool, records: Int) async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for round in 0..<5 {
            edit(one, count: records, from: round * records / 2)
            try await one.sync()
        }
        one.limits.maxOwnFiles = 3
        one.limits.mergePieceBytes = 3_000
        if collects { one.limits.collectBytes = -10_000_000 } else { edit(one, count: records / 2) }
        one.edit("key 0", value: "last")
        one.limits.pushLimit = PushLimit(changes: 10, bytes: .max)
        disk.forgetCounts()
        try await one.sync()
        let names = try files(device: one)
        #expect(names.contains { $0.hasPrefix("snapshot") && size(path: "\(home)/\(one.id)/\($0)") > 4_000 })
        if collects { #expect(names.count == 1) }
        #expect(disk.largestRead <= 3_000)
        #expect(disk.largestPiece <= max(3_000, 10 * lineBytes) + lineBytes)
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(two.heads == one.heads)
    }

    @Test func aLargeSegmentIsSortedWhateverTheOrderOfItsChanges() async throws {
        let one = TestDevice(number: 1, files: disk)
        edit(one, count: 500)
        let session = try await one.backend.open(one.request)
        let prepared = try await session.prepare(one.changes.shuffled(), cursor: nil)
        _ = try await session.push(prepared)
        one.limits.mergePieceBytes = 3_000
        let reader = one.backend.reader
        let listing = try await reader.ownListing(device: one.id)
        one.limits.mergeBytes = 3_000
        var sorted = SortedFiles(one.backend.reader)
        #expect(try await sorted.addAll(of: listing))
        var keys: [RecordKey] = []
        try await sorted.forEachRecord { keys += $0.map(\.header.key) }
        #expect(keys == one.heads.keys.sorted())
    }

    @Test func compactionGivesUpWhereItWouldHoldTooMuch() async throws {
        let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
        for round in 0..<6 {
            edit(one, count: 50, from: round * 20)
            try await one.sync()
        }
        one.limits.maxOwnFiles = 3
        one.limits.mergePieceBytes = 3_000
        one.limits.mergeBytes = 9_000
        one.edit("key 0", value: "last")
        try await one.sync()
        #expect(try files(device: one).count == 7)
        #expect(try await two.sync().diagnostics.isEmpty)
        #expect(two.heads == one.heads)
    }

    @Test func aFirstPushOfManySegmentsIsNotWrittenTwice() async throws {
        let one = TestDevice(number: 1, files: disk)
        one.limits.pushLimit = PushLimit(changes: 10, bytes: .max)
        one.limits.largeBytes = 100
        edit(one, count: 300)
        try await one.sync()
        #expect(try files(device: one).count == 30)
        #expect(try files(device: one).allSatisfy { $0.hasPrefix("segment") })
        one.edit("key 0", value: "again")
        try await one.sync()
        #expect(try files(device: one).count == 31, "large files are no reason to merge")
    }

    @Test(arguments: MemoryFileSystem.Fault.Kind.allCases)
    func aLongPushThatIsCutOffAnywhereLosesNothing(kind: MemoryFileSystem.Fault.Kind) async throws {
        var step = 0
        while true {
            let disk = MemoryFileSystem()
            let (one, two) = (TestDevice(number: 1, files: disk), TestDevice(number: 2, files: disk))
            one.limits.pushLimit = PushLimit(changes: 4, bytes: .max)
            edit(one, count: 30)
            let all = one.heads
            disk.fail(MemoryFileSystem.Fault(step: step, kind: kind))
            _ = try? await one.sync()
            let hasFailed = disk.hasFailed
            disk.fail(nil)
            try await one.sync()
            try await two.sync()
            try await one.sync()
            #expect(one.pending.isEmpty)
            // NB: a torn segment is not recognised as its own, which is then a copy that publishes all anew.
            if kind == .torn {
                #expect(Set(two.heads.keys) == Set(all.keys), "step \(step)")
            } else {
                #expect(one.id == DeviceID(bits: 1), "step \(step)")
                #expect(two.heads == all && one.heads == all, "step \(step)")
            }
            if !hasFailed { break }
            step += 1
        }
        #expect(step >= 8)
    }
}

/// What a test needs is not there.
private struct TestFailure: Error {}

extension [UInt8] {
    /// The last place where some bytes stand.
    fileprivate func lastRange(of bytes: [UInt8]) -> Range<Int>? {
        indices.reversed().lazy.map { $0..<$0 + bytes.count }
            .first { $0.upperBound <= count && self[$0].elementsEqual(bytes) }
    }
}
