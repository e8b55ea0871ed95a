import SyncCore
import SyncSQLite

extension Statement {
    /// Binds the bookkeeping that makes a header, at its parameters.
    func bind(_ header: RecordHeader) throws {
        typealias Parameter = EntitySQL.Parameter
        try bind(header.state.rawValue, at: Parameter.state)
        try bind(header.visibility.rawValue, at: Parameter.visibility)
        try bind(Int64(header.hasHeads ? 1 : 0), at: Parameter.heads)
        try bind(header.stamp)
    }

    /// Binds mark, vector and finer marks, at their parameters.
    func bind(_ stamp: Stamp) throws {
        typealias Parameter = EntitySQL.Parameter
        let mark = stamp.mark
        try bind(mark.time.microseconds, at: Parameter.time)
        try bind(Int64(bitPattern: mark.device.bits), at: Parameter.device)
        try bind(mark.sequence, at: Parameter.sequence)
        if stamp.vector.hasOnlySeen(mark) {
            try bindNull(at: Parameter.vector)
        } else {
            try bind(stamp.vector.description, at: Parameter.vector)
        }
        try bind(stamp.detail.map(StampDetailCodec.text), at: Parameter.detail)
    }

    /// Reads a header from the current row, its eight columns beginning at `first`.
    func header(at first: Int, _ table: EntityTable) throws -> RecordHeader {
        guard let state = SyncState(rawValue: int64(at: first)),
            let visibility = LocalRecord.Visibility(rawValue: int64(at: first + 1))
        else { throw SyncError.damagedRecord(table.descriptor.name, "state") }
        return RecordHeader(
            state: state,
            visibility: visibility,
            hasHeads: int64(at: first + 2) != 0,
            stamp: try stamp(at: first + 3, table)
        )
    }

    private func stamp(at first: Int, _ table: EntityTable) throws -> Stamp {
        let mark = EditMark(
            time: Timestamp(microseconds: int64(at: first)),
            device: DeviceID(bits: UInt64(bitPattern: int64(at: first + 1))),
            sequence: int64(at: first + 2)
        )
        var stamp = Stamp(first: mark)
        if !isNull(at: first + 3) {
            guard let vector = VersionVector(string(at: first + 3)) else {
                throw SyncError.damagedRecord(table.descriptor.name, "version vector")
            }
            stamp.vector = vector
        }
        if !isNull(at: first + 4) {
            do {
                stamp.detail = try StampDetailCodec.decode(string(at: first + 4))
            } catch {
                throw SyncError.damagedRecord(table.descriptor.name, "field marks")
            }
        }
        return stamp
    }
}

extension VersionVector {
    /// Whether the vector is that of a first edit, which is left out of the row.
    func hasOnlySeen(_ mark: EditMark) -> Bool {
        entries.count == 1 && entries[0].device == mark.device && entries[0].sequence == mark.sequence
    }
}

extension SyncError {
    /// A part of a row does not read back.
    static func damagedRecord(_ entity: String, _ part: String) -> SyncError {
        .damagedStore("the \(part) of a \(entity) record cannot be read")
    }
}
