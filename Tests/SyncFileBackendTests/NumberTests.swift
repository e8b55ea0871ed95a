import SyncCore
import Testing

@testable import SyncFileBackend

@Suite struct NumberTests {
    @Test(arguments: 0..<200) func countsRangesLikeAPlainSet(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var numbers = NumberSet()
        var plain: Set<Int64> = []
        for _ in 0..<12 {
            let first = Int64.random(in: 1...30, using: &random)
            let range = first...Int64.random(in: first...min(first + 6, 30), using: &random)
            numbers.insert(range)
            plain.formUnion(range)
            let wrong = (Int64(1)...31).first { first in
                (first...31).contains { numbers.contains(first...$0) != plain.isSuperset(of: first...$0) }
            }
            #expect(wrong == nil)
            #expect(numbers.highest == plain.max() ?? 0)
            #expect(
                numbers.firstGap?.lowerBound == (1...30).first { !plain.contains($0) && $0 < numbers.highest }
            )
        }
    }

    @Test(arguments: 0..<100) func takesRangesAwayLikeAPlainSet(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var sets = [NumberSet(), NumberSet()]
        var plain: [Set<Int64>] = [[], []]
        for index in [0, 1, 0, 1, 0, 1] {
            let first = Int64.random(in: 1...30, using: &random)
            let range = first...Int64.random(in: first...min(first + 6, 30), using: &random)
            sets[index].insert(range)
            plain[index].formUnion(range)
        }
        let rest = sets[0].subtracting(other: sets[1])
        #expect(Set(rest.ranges.flatMap { Array($0) }) == plain[0].subtracting(plain[1]))
        #expect(rest.isEmpty == plain[0].isSubset(of: plain[1]))
    }

    @Test func notesTheLastNumbersOnly() throws {
        var notes = TagNotes()
        for number in Int64(1)...100 { notes.note(number, tag: "0123456789abcdef") }
        #expect(notes.numbers == Array(69...100))
        #expect(TagNotes(notes.text) == notes)
        var other = notes
        other.note(101, tag: "fedcba9876543210")
        #expect(notes.meets(other) && notes.firstDifference(from: other) == nil)
        notes.note(101, tag: "00000000ffffffff")
        #expect(notes.firstDifference(from: other) == 101)
        for text in ["1", "1:x", "0:0123456789abcdef", "1:0123456789abcdef ", "x:0123456789abcdef"] {
            #expect(TagNotes(text) == nil, "\(text)")
        }
    }

    @Test func keepsRangesApartInWhateverOrderTheyCome() {
        let ranges = (1...2_000).map { Int64(3 * $0)...Int64(3 * $0) }
        var (upwards, downwards) = (NumberSet(), NumberSet())
        for range in ranges { upwards.insert(range) }
        for range in ranges.reversed() { downwards.insert(range) }
        #expect(upwards == downwards)
        #expect(upwards.beyond == ranges)
        for range in ranges { upwards.insert((range.lowerBound - 2)...(range.lowerBound - 1)) }
        #expect(upwards == NumberSet(contiguous: 6_000))
    }

    @Test func readsOnlyTheNamesThatItWrites() {
        for file in [
            NumberedFile(number: 1), NumberedFile(number: 99_999_999), NumberedFile(number: 100_000_000),
            NumberedFile(snapshot: 1...40), NumberedFile(snapshot: 7...7),
            NumberedFile(number: 3, tag: "0123456789abcdef"),
            NumberedFile(snapshot: 3...12, tag: "fedcba9876543210"),
        ] {
            #expect(NumberedFile(name: file.name) == file)
        }
        for name in [
            "", ".ndjson", "segment-.ndjson", "segment-1.ndjson", "segment-00000000.ndjson",
            "segment-+0000001.ndjson", "segment--0000001.ndjson", "segment-000000001.ndjson",
            "Segment-00000001.ndjson", "segment-00000001.NDJSON", "segment-00000002 2.ndjson",
            "segment-00000002 (conflicted copy).ndjson", "segment-00000001.ndjson.icloud",
            "segment-99999999999999999999.ndjson", "segment-2000000000000000.ndjson",
            "snapshot-00000001.ndjson/", "snapshot-00000040-00000001.ndjson",
            "snapshot-00000001-00000002-00000003.ndjson", "segment-٠٠٠٠٠٠٠١.ndjson",
            "../segment-00000001.ndjson",
            "segment-00000001-00000002.ndjson", "segment-00000001-0123456789ABCDEF.ndjson",
            "segment-00000001-0123456789abcde.ndjson", "segment-00000001-0123456789abcdef-.ndjson",
            "snapshot-00000001-0123456789abcdef.ndjson",
        ] {
            #expect(NumberedFile(name: name) == nil, "\(name)")
        }
    }

    @Test func readsBackACursor() throws {
        var cursor = FolderCursor(device: DeviceID(bits: 7))
        #expect(FolderCursor(cursor.text) == cursor)
        cursor.own = 12
        cursor.ownDigest = "abc"
        cursor.sequence = 99
        cursor.used = 14
        cursor.readsOwn = true
        var numbers = NumberSet(contiguous: 4)
        numbers.insert(6...9)
        numbers.insert(12...12)
        cursor.taken = [DeviceID(bits: 1): numbers, DeviceID(bits: 2): NumberSet(contiguous: 3)]
        cursor.missing = [DeviceID(bits: 1): numbers]
        cursor.replaced = [DeviceID(bits: 2): NumberSet(contiguous: 2)]
        cursor.comparing = .lost
        var notes = TagNotes()
        for tag in ["0123456789abcdef", "fedcba9876543210"] { notes.note(3, tag: tag) }
        notes.note(4, tag: "0123456789abcdef*")
        cursor.tags = [DeviceID(bits: 1): notes]
        #expect(FolderCursor(cursor.text) == cursor)
        #expect(try #require(FolderCursor(cursor.text)).text == cursor.text)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", "{\"version\":2,\"device\":\"0000000000000007\"}",
        "{\"version\":1,\"device\":\"x\"}", "{\"version\":1,\"device\":\"0000000000000007\",\"own\":-1}",
        "{\"version\":1,\"device\":\"0000000000000007\",\"taken\":{\"x\":[1]}}",
        "{\"version\":1,\"device\":\"0000000000000007\",\"taken\":{\"0000000000000001\":[]}}",
        "{\"version\":1,\"device\":\"0000000000000007\",\"taken\":{\"0000000000000001\":[1,5]}}",
        "{\"version\":1,\"device\":\"0000000000000007\",\"taken\":{\"0000000000000001\":[1,5,3]}}",
        "{\"version\":1,\"device\":\"0000000000000007\",\"own\":9223372036854775807}",
    ])
    func takesABrokenCursorForALostOne(text: String) {
        #expect(FolderCursor(text) == nil)
    }

    @Test func readsBackADeviceFile() throws {
        var file = DeviceFile(device: DeviceID(bits: 7), label: "A \"phone\"\n")
        file.number = 3
        file.digest = "abc"
        file.sequence = 12
        file.taken = [DeviceID(bits: 1): 4, DeviceID(bits: 2): 0]
        file.retired = [DeviceID(bits: 3)]
        file.former = [DeviceID(bits: 4)]
        file.tags.note(3, tag: "0123456789abcdef")
        file.seen = [DeviceID(bits: 1): file.tags]
        file.records = ["note 1": "abc"]
        file.collected = 1_000
        #expect(try DeviceFile(bytes: file.bytes, of: file.device) == file)
        #expect(throws: DeviceFile.ReadError.broken) {
            try DeviceFile(bytes: file.bytes, of: DeviceID(bits: 8))
        }
        for length in 0..<(file.bytes.count - 1) {
            #expect(throws: DeviceFile.ReadError.broken) {
                try DeviceFile(bytes: Array(file.bytes[..<length]), of: file.device)
            }
        }
        let newer = String(decoding: file.bytes, as: UTF8.self).replacing(
            "\"version\":1",
            with: "\"version\":7"
        )
        #expect(throws: DeviceFile.ReadError.newerFormat(7)) {
            try DeviceFile(bytes: Array(newer.utf8), of: file.device)
        }
    }

    @Test func staysBelowTheRootHoweverItIsWritten() {
        func storage(_ path: String) -> FolderStorage { FolderStorage(path: path) }
        func home(_ path: String) -> String { storage(path).location(prefix: FolderLayout.homePrefix) }
        #expect(home("/a/b//") == "/a/b/entitysync")
        #expect(home("/") == "/entitysync")
        #expect(home("") == "./entitysync")
        #expect(home("a") == "a/entitysync")
        #expect(storage("/a/b/").parent == "/a")
        #expect(storage("/a").parent == "/")
        #expect(storage("a").parent == ".")
    }

    @Test func showsForeignNamesOnOneLine() {
        #expect(FolderLayout.shown(name: "a\nb\u{1B}[31m\u{202E}") == "a?b?[31m?")
        #expect(FolderLayout.shown(name: String(repeating: "x", count: 500)).count == 123)
    }
}
