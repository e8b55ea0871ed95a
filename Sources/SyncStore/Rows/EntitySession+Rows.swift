import SyncCore
import SyncSQLite

/// Reading and writing one row.
extension EntitySession {
    func load(_ key: RecordKey) throws -> LocalRecord? {
        let query = try findRecord()
        try query.statement.bind(key.text, at: 1)
        defer { query.statement.reset() }
        return try query.statement.step() ? try query.record() : nil
    }

    func save(_ record: LocalRecord) throws {
        let version = record.version
        try table.checkTypes(version.record)
        let header = RecordHeader(
            state: record.state,
            // A tombstone is never shown, whatever its visibility.
            visibility: version.isDeleted ? .deleted : record.visibility,
            hasHeads: record.hasHeads,
            metadata: version.metadata
        )
        try write(try saveRecord(), key: version.key) { binder in
            for (field, value) in version.record.values.enumerated() { try binder.bind(value, at: field) }
            try binder.bind(unknown: version.record.unknown)
            try binder.finish(header, mergedInto: version.mergedInto, requiresKey: !version.isDeleted)
        }
    }

    func save(_ change: Change, metadata: VersionMetadata) throws {
        try write(try saveWire(), change: change, metadata: metadata)
    }

    /// The same if the key is unknown. Returns false, and writes nothing, if it is known.
    func insert(_ change: Change, metadata: VersionMetadata) throws -> Bool {
        try write(try insertWire(), change: change, metadata: metadata)
        guard changes == 1 else { return false }
        noteInsert()
        return true
    }

    private func write(_ writer: RowWriter, change: Change, metadata: VersionMetadata) throws {
        let isDeleted = change.header.isDeleted
        var header = RecordHeader(
            state: .synced,
            visibility: isDeleted ? .deleted : .live,
            hasHeads: false,
            metadata: metadata
        )
        decoder.requiresAll = !isDeleted
        do {
            try change.withBody { body in
                var reader = JSONReader(validated: body)
                try write(writer, key: change.header.key) { binder in
                    try writer.statement.bind(change.header.revision?.text, at: EntitySQL.Parameter.revision)
                    try decoder.decode(&reader, into: binder)
                    try reader.end()
                    if !decoder.renamed.isEmpty { header.metadata = decoder.present(metadata) }
                    try binder.finish(header, mergedInto: change.header.mergedInto, requiresKey: !isDeleted)
                }
            }
        } catch let error as JSONError {
            throw FieldError(
                field: "",
                rule: "json",
                message:
                    "The record is not valid JSON: \(error.kind.rawValue), at byte \(error.offset + 1)."
            )
        }
    }

    /// Binds a row and runs its statement. The statement runs only if every value was bound, so an error leaves the
    /// row unchanged.
    private func write(_ writer: RowWriter, key: RecordKey, bind: (StatementBinder) throws -> Void) throws {
        var text = key.text
        try text.withUTF8 { key in
            // Bound text is borrowed and must not outlive this call.
            defer { writer.statement.reset() }
            try writer.binder.begin(key: key)
            try bind(writer.binder)
            try writer.statement.run()
        }
    }
}

extension EntityTable {
    /// Checks values against the types of their columns. SQLite would convert some that do not fit.
    fileprivate func checkTypes(_ record: Record) throws {
        guard record.values.count == descriptor.fields.count else {
            throw SyncError.storeMisuse(
                sentence: "A record of \(descriptor.name) has another number of fields than its schema."
            )
        }
        for (index, value) in record.values.enumerated() {
            guard let value, !descriptor.fields[index].type.holds(value) else { continue }
            let name = descriptor.fields[index].name
            throw FieldError(field: name, rule: "type", message: "'\(name)' holds a value of another type.")
        }
    }
}

extension FieldType {
    fileprivate func holds(_ value: FieldValue) -> Bool {
        switch (value, self) {
        case (.null, _), (.boolean, .boolean), (.integer, .integer), (.number, .number),
            (.timestamp, .dateTime),
            (.bytes, .data), (.json, .array), (.json, .object), (.json, .map), (.text, .string),
            (.text, .uuid),
            (.text, .date),
            (.text, .uri), (.text, .decimal), (.text, .enumeration):
            true
        default: false
        }
    }
}
