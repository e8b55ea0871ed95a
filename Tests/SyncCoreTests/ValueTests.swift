import Foundation
import SyncChecks
import SyncCore
import Testing

@Suite struct CoreValueTests {
    @Test(arguments: [
        ("2025-12-25T01:21:01.952723-08:00", "2025-12-25T09:21:01.952723Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("2024-02-29t12:00:00.1200z", "2024-02-29T12:00:00.12Z"),
        ("2025-01-01T00:00:00.123456789+00:00", "2025-01-01T00:00:00.123456Z"),
        ("1900-03-01T00:00:00+14:00", "1900-02-28T10:00:00Z"),
    ])
    func aDateTimeKeepsItsMicroseconds(text: String, canonical: String) {
        #expect(Timestamp(text)?.description == canonical)
    }

    @Test(arguments: [
        "2025-02-29T00:00:00Z", "2025-13-01T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01T00:00:60Z",
        "2025-01-01 00:00:00Z", "2025-01-01T00:00:00", "2025-01-01T00:00:00.Z", "0000-12-31T00:00:00Z",
        "9999-12-31T23:59:59-01:00", "2025-1-01T00:00:00Z", "", "2025-01-01T00:00:00+0100",
    ])
    func whatIsNoDateTimeIsRefused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func aVersionThatIsChangedLeavesItsCopiesAsTheyWere() {
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: 1),
            device: DeviceID(bits: 1),
            sequence: 1
        )
        let version = SyncRecord(
            entity: "note",
            key: RecordKey("a"),
            record: Record(values: [.text("a"), .integer(1)]),
            metadata: VersionMetadata(first: editTimestamp)
        )
        let changes: [(inout SyncRecord) -> Void] = [
            { $0.entity = "book" }, { $0.key = RecordKey("b") }, { $0.record.values[1] = .integer(2) },
            { $0.isDeleted = true }, { $0.mergedInto = RecordKey("c") },
            { $0.metadata.detail = FieldTimestamps(origin: editTimestamp) },
        ]
        var copies: [SyncRecord] = []
        for change in changes {
            var copy = version
            #expect(copy == version && copy.hashValue == version.hashValue)
            change(&copy)
            copies.append(copy)
        }
        #expect(version.entity == "note" && version.key.text == "a" && version.mergedInto == nil)
        #expect(version.record.values == [.text("a"), .integer(1)] && !version.isDeleted)
        #expect(version.metadata == VersionMetadata(first: editTimestamp))
        // Each differs from the others by one part, and none is the version any more.
        #expect(Set(copies + [version]).count == changes.count + 1)
    }

    @Test func datesBeforeAndAfter1970GoThereAndBackExactly() {
        var seed = Seed(1)
        for _ in 0..<2000 {
            let instant = Timestamp(
                microseconds: Int64.random(in: -2_208_988_800_000_000...7_258_118_400_000_000, using: &seed)
            )
            #expect(Timestamp(instant.date) == instant)
            #expect(Timestamp(instant.description) == instant)
        }
    }

    @Test(arguments: [
        ("866.231000", "866.231"), ("-0", "0"), ("-0.00", "0"), ("007.50", "7.5"), ("100", "100"),
        ("0.1", "0.1"),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ])
    func aDecimalHasOneSpelling(text: String, canonical: String) {
        #expect(DecimalText.canonical(text) == canonical)
    }

    @Test(arguments: [
        "", "1e5", "+1", ".5", "1.", "1,5", "NaN", "--1", " 1", "123456789012345678901234567890123456789",
    ])
    func whatIsNoExactDecimalIsRefused(text: String) {
        #expect(DecimalText.canonical(text) == nil)
    }

    @Test func decimalsCompareByValue() {
        let sorted = ["-10", "-9.5", "-0.1", "0", "0.05", "0.5", "9", "10", "10.01"]
        for (index, left) in sorted.enumerated() {
            for right in sorted[(index + 1)...] {
                #expect(DecimalText.isLess(left: left, right: right))
                #expect(!DecimalText.isLess(left: right, right: left))
            }
        }
    }

    @Test func aDigestIsTheOneThatOthersCompute() {
        // Test vectors of MurmurHash3_x64_128 with seed 0, from its reference implementation.
        #expect(Digest([]).description == "00000000000000000000000000000000")
        #expect(Digest(Array("hello".utf8)).description == "cbd8a7b341bd9b025b1e906a48ae1d19")
        #expect(Digest(Array("hello, world".utf8)).description == "342fac623a5ebc8e4cdcbc079642414d")
    }

    @Test func marksOrderByTimeThenDeviceThenSequence() {
        let editTimestamps = [(1, 2, 3), (1, 2, 4), (1, 3, 1), (2, 1, 1)].map { time, device, sequence in
            EditTimestamp(
                time: Timestamp(microseconds: time),
                device: DeviceID(bits: device),
                sequence: sequence
            )
        }
        #expect(editTimestamps.shuffled().sorted() == editTimestamps)
        for editTimestamp in editTimestamps {
            #expect(EditTimestamp(editTimestamp.description) == editTimestamp)
        }
        for text in ["", "1.2.3", "1.0000000000000001.0", "x.0000000000000001.1", "1.000000000000000G.1"] {
            #expect(EditTimestamp(text) == nil)
        }
        let earliest = "-9223372036854775808.00f1e2d3c4b5a697.9223372036854775807"
        #expect(EditTimestamp(earliest)?.description == earliest)
    }

    @Test func aVectorTellsSeenFromConcurrent() {
        func editTimestamp(device: UInt64, sequence: Int64) -> EditTimestamp {
            EditTimestamp(
                time: Timestamp(microseconds: 0),
                device: DeviceID(bits: device),
                sequence: sequence
            )
        }
        var one = VersionVector(editTimestamp(device: 2, sequence: 5))
        one.insert(editTimestamp(device: 1, sequence: 3))
        #expect(
            one.covers(editTimestamp(device: 1, sequence: 3))
                && one.covers(editTimestamp(device: 2, sequence: 1))
                && !one.covers(editTimestamp(device: 1, sequence: 4))
                && !one.covers(editTimestamp(device: 3, sequence: 1))
        )
        #expect(VersionVector(one.description) == one)
        let other = VersionVector(editTimestamp(device: 3, sequence: 1))
        #expect(!one.covers(other) && !other.covers(one))
        #expect(one.union(other) == other.union(one))
        #expect(one.union(other).covers(one))
        for text in ["x", "0000000000000001", "0000000000000001:0", "0000000000000001:-1"] {
            #expect(VersionVector(text) == nil)
        }
    }
}
