import SyncCore
import SyncWire

/// A version of a record in a file, as a compaction copies it.
struct SegmentEntry: Sendable {
    /// The change in its line.
    var change: Change
    /// The line, without its newline.
    var line: ArraySlice<UInt8>
    /// The device and the file of the entry.
    var device: DeviceID
    var file: NumberedFile

    var header: Change.Header { change.header }
    var metadata: VersionMetadata { change.header.writtenMetadata }

    /// Whether it has seen everything that the other has. With equal vectors, only if both are the same.
    func supersedes(_ other: SegmentEntry) -> Bool {
        guard metadata.vector == other.metadata.vector else {
            return metadata.vector.covers(other.metadata.vector)
        }
        return header.isSameVersion(as: other.header) && change.body == other.change.body
    }
}
