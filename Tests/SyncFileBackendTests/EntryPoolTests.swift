import SyncCore
import SyncWire
import Testing

@testable import SyncFileBackend

/// What of many files is handed on, and in which order.
@Suite struct EntryPoolTests {
    @Test func whatWasPublishedAndNeverAcknowledgedComesBeforeWhatOthersPublished() throws {
        var pool = VersionIndex()
        let own = EditTimestamp(time: Timestamp(microseconds: 9), device: DeviceID(bits: 1), sequence: 1)
        let others = EditTimestamp(time: Timestamp(microseconds: 5), device: DeviceID(bits: 2), sequence: 1)
        #expect(pool.add(try file(editTimestamp: others)) == [])
        #expect(pool.add(try file(editTimestamp: own), isPinned: true) == [])
        #expect(pool.maximal().map(\.writtenMetadata.editTimestamp) == [own, others])
    }

    @Test func whatNobodyHasToHearOfFirstComesInTheOrderOfItsMarks() throws {
        var pool = VersionIndex()
        let editTimestamps = [9, 5, 7].enumerated().map { index, time in
            EditTimestamp(
                time: Timestamp(microseconds: Int64(time)),
                device: DeviceID(bits: UInt64(index) + 1),
                sequence: 1
            )
        }
        for editTimestamp in editTimestamps {
            #expect(pool.add(try file(editTimestamp: editTimestamp)) == [])
        }
        #expect(pool.maximal().map(\.writtenMetadata.editTimestamp) == editTimestamps.sorted())
    }

    /// A segment with one version of one record.
    private func file(editTimestamp: EditTimestamp) throws -> EntryPiece {
        let header = SegmentHeader(device: editTimestamp.device, range: 1...1, kind: .segment, entries: 1)
        var writer = SegmentWriter(header)
        writer.append(
            Change(
                Change.Header(
                    entity: "thing",
                    key: RecordKey("k"),
                    metadata: VersionMetadata(first: editTimestamp)
                ),
                body: Array("{}".utf8)
            )
        )
        let bytes = writer.finish().bytes
        return EntryPiece(
            device: editTimestamp.device,
            file: NumberedFile(number: 1),
            bytes: bytes,
            lines: try Segment(bytes).lines,
            firstLine: 2
        )
    }
}
