import SyncCore
package import SyncRuntime

/// Takes in the records of one entity from lines: replaces whole records by key, and keeps given times.
package struct RecordImport {
    private let entity: EntityDescriptor

    /// Describes an import.
    package init(entity: EntityDescriptor) {
        self.entity = entity
    }

    /// Writes all records in a transaction, which the caller has to give up if this throws. Returns the bytes of the
    /// source, and how many records were refused.
    ///
    /// - Parameters:
    ///   - rejects: Gets what is refused, and is sealed when this returns: once the transaction is in the store, the caller
    ///     publishes it. Nil if one refused record refuses all.
    ///   - passed: Called after each record with the bytes so far.
    /// - Throws: `ImportError` if a record cannot be imported and there is no file for it; all others are read
    ///   nevertheless.
    package func run(
        _ source: any LineSource,
        as format: ImportFormat = .lines,
        rejects: RejectFile? = nil,
        in session: WriteSession,
        passed: (_ bytes: Int64) throws -> Void
    ) throws -> (bytes: Int64, refused: Int) {
        var lines = RecordLines(entity: entity, fillsIn: true)
        let bytes = try lines.read(source, as: format, rejects: rejects, passed: passed) { line in
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
        try rejects?.seal()
        guard rejects != nil || lines.findingCount == 0 else { throw lines.refusal }
        return (bytes, lines.findingCount)
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
        try session.checkDelete(entity: entity, key: key)
        let replaced = try replace(record, session: session)
        // NB: a `deleted` field with a value has already deleted the record during the write.
        guard try session.transaction.load(entity: entity, key: replaced)?.visibility.exists == true else {
            return
        }
        try session.delete(entity: entity, key: replaced)
    }
}
