package import SyncCore
import SyncSQLite

extension Statement {
    /// Binds the columns of a header.
    func bind(_ header: RecordHeader) throws {
        typealias Parameter = EntitySQL.Parameter
        try bind(header.state.rawValue, at: Parameter.state)
        try bind(header.visibility.rawValue, at: Parameter.visibility)
        try bind(Int64(header.hasHeads ? 1 : 0), at: Parameter.heads)
        try bind(header.metadata)
    }

    /// Binds edit timestamp, version vector and field timestamps.
    func bind(_ metadata: VersionMetadata) throws {
        typealias Parameter = EntitySQL.Parameter
        let editTimestamp = metadata.editTimestamp
        try bind(editTimestamp.time.microseconds, at: Parameter.time)
        try bind(Int64(bitPattern: editTimestamp.device.bits), at: Parameter.device)
        try bind(editTimestamp.sequence, at: Parameter.sequence)
        if metadata.vector.hasOnlySeen(editTimestamp) {
            try bindNull(at: Parameter.vector)
        } else {
            try bind(metadata.vector.description, at: Parameter.vector)
        }
        try bind(metadata.detail.map(FieldTimestampsCodec.text), at: Parameter.detail)
    }

    /// Reads a header from the current row; its eight columns start at `first`.
    func header(at first: Int, table: EntityTable) throws -> RecordHeader {
        guard let state = SyncState(rawValue: int64(at: first)),
            let visibility = LocalRecord.Visibility(rawValue: int64(at: first + 1))
        else { throw SyncError.damagedRecord(entity: table.descriptor.name, part: "state") }
        return RecordHeader(
            state: state,
            visibility: visibility,
            hasHeads: int64(at: first + 2) != 0,
            metadata: try metadata(at: first + 3, table: table)
        )
    }

    private func metadata(at first: Int, table: EntityTable) throws -> VersionMetadata {
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: int64(at: first)),
            device: DeviceID(bits: UInt64(bitPattern: int64(at: first + 1))),
            sequence: int64(at: first + 2)
        )
        var metadata = VersionMetadata(first: editTimestamp)
        if !isNull(at: first + 3) {
            guard let vector = VersionVector(string(at: first + 3)) else {
                throw SyncError.damagedRecord(entity: table.descriptor.name, part: "version vector")
            }
            metadata.vector = vector
        }
        if !isNull(at: first + 4) {
            do {
                metadata.detail = try FieldTimestampsCodec.decode(string(at: first + 4))
            } catch {
                throw SyncError.damagedRecord(entity: table.descriptor.name, part: "field timestamps")
            }
        }
        return metadata
    }
}

extension SyncError {
    /// A part of a row cannot be read.
    package static func damagedRecord(entity: String, part: String) -> SyncError {
        .damagedStore(detail: "the \(part) of a \(entity) record cannot be read")
    }
}
