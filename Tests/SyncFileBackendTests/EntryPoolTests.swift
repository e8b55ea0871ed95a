import SyncCore
import SyncWire
import Testing

@testable import SyncFileBackend

/// What of many files is handed on, and in which order.
@Suite struct EntryPoolTests {
    @Test func whatWasPublishedAndNeverAcknowledgedComesBeforeWhatOthersPublished() throws {
        var pool = EntryPool()
        let own = EditMark(time: Timestamp(microseconds: 9), device: DeviceID(bits: 1), sequence: 1)
        let others = EditMark(time: Timestamp(microseconds: 5), device: DeviceID(bits: 2), sequence: 1)
        #expect(pool.add(try file(others)) == [])
        #expect(pool.add(try file(own), isPinned: true) == [])
        #expect(pool.maximal().map(\.header.stamp.mark) == [own, others])
    }

    @Test func whatNobodyHasToHearOfFirstComesInTheOrderOfItsMarks() throws {
        var pool = EntryPool()
        let marks = [9, 5, 7].enumerated().map { index, time in
            EditMark(
                time: Timestamp(microseconds: Int64(time)),
                device: DeviceID(bits: UInt64(index) + 1),
                sequence: 1
            )
        }
        for mark in marks { #expect(pool.add(try file(mark)) == []) }
        #expect(pool.maximal().map(\.header.stamp.mark) == marks.sorted())
    }

    /// A segment with one version of one record.
    private func file(_ mark: EditMark) throws -> EntryPiece {
        let header = SegmentHeader(device: mark.device, range: 1...1, kind: .segment, entries: 1)
        var writer = SegmentWriter(header)
        writer.append(
            OutgoingChange(
                entity: "thing",
                key: RecordKey("k"),
                isDeleted: false,
                mergedInto: nil,
                stamp: Stamp(first: mark),
                replaces: [],
                body: Array("{}".utf8)
            )
        )
        let bytes = writer.finish().bytes
        return EntryPiece(
            device: mark.device,
            file: NumberedFile(number: 1),
            bytes: bytes,
            lines: try Segment(bytes).lines,
            firstLine: 2
        )
    }
}
