import SyncCore
package import SyncRuntime

/// Takes in the records of one entity from lines: replaces whole records by key, and keeps given times.
package struct RecordImport {
    private let entity: EntityDescriptor

    /// Describes an import.
    package init(entity: EntityDescriptor) {
        self.entity = entity
    }

    /// Writes all lines in a transaction, which the caller has to give up if this throws. Returns the bytes of the
    /// source.
    ///
    /// - Parameter passed: Called after each line with the bytes so far.
    /// - Throws: `ImportError` if a line cannot be imported; all others are read nevertheless.
    package func run(
        _ source: any LineSource,
        in session: WriteSession,
        passed: (_ bytes: Int64) throws -> Void
    ) throws -> Int64 {
        var lines = RecordLines(entity: entity, fillsIn: true)
        let bytes = try lines.read(source, passed: passed) { line in
            if let version = line.version {
                _ = try session.save(
                    entity: entity,
                    record: line.record,
                    isDeleted: line.isDeleted,
                    since: version
                )
            } else if line.isDeleted {
                try delete(line.record, session: session)
            } else {
                _ = try replace(line.record, session: session)
            }
        }
        guard lines.findingCount == 0 else { throw lines.refusal }
        return bytes
    }

    /// Replaces a record. The line may be older than what it overwrites, so that goes to the journal.
    private func replace(_ record: Record, session: WriteSession) throws -> RecordKey {
        try session.replace(entity: entity, record: record, keepsTimes: true, journalsReplaced: true)
    }

    /// Imports a deleted record with its last value, as far as the line has it, unless it is already deleted.
    private func delete(_ record: Record, session: WriteSession) throws {
        guard let key = entity.key(of: record),
            let local = try session.transaction.load(entity: entity, key: key)
        else { return try session.putDeleted(entity: entity, record: record) }
        guard local.visibility.exists else { return }
        if record == entity.record(withKeyOnly: key) { return try session.delete(entity: entity, key: key) }
        let replaced = try replace(record, session: session)
        // NB: a `deleted` field with a value has already deleted the record during the write.
        guard try session.transaction.load(entity: entity, key: replaced)?.visibility.exists == true else {
            return
        }
        try session.delete(entity: entity, key: replaced)
    }
}
