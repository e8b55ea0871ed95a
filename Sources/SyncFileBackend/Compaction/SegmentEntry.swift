import SyncCore
import SyncWire

/// A version of a record as it stands in a file: what a compaction copies, line by line.
struct SegmentEntry: Sendable {
    /// What its line says.
    var change: Change
    /// The line, without its newline.
    var line: ArraySlice<UInt8>
    /// Whose file it stands in, and which.
    var device: DeviceID
    var file: NumberedFile

    var header: Change.Header { change.header }
    var metadata: VersionMetadata { change.header.writtenMetadata }

    /// Whether it has seen all that another one has. Of two with the same vector one goes only if they are the same.
    func supersedes(_ other: SegmentEntry) -> Bool {
        guard !Mutation.disables(.entriesByVector) else {
            return metadata.editTimestamp > other.metadata.editTimestamp
        }
        guard metadata.vector == other.metadata.vector else {
            return metadata.vector.covers(other.metadata.vector)
        }
        return header.isSameVersion(as: other.header) && change.body == other.change.body
    }
}
