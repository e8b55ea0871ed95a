/// A record in the form in which it is exported: plain JSON on one line. Members are in schema order, then unknown
/// ones by name; a deleted record ends in `"$deleted":true`.
package struct RecordLine {
    /// The record.
    package var record: Record
    /// Whether the record was deleted; its values are the last ones.
    package var isDeleted: Bool

    /// The member that marks a deleted record.
    package static let deletedMember = "$deleted"

    /// Makes a line from its parts.
    package init(record: Record, isDeleted: Bool) {
        self.record = record
        self.isDeleted = isDeleted
    }
}

/// Writes records of one entity as lines, without line feeds.
package struct RecordLineEncoder {
    private let encoder: RecordEncoder
    private var writer = JSONWriter()

    /// Makes an encoder for one entity.
    package init(_ entity: EntityDescriptor) {
        encoder = RecordEncoder(descriptor: entity, form: .plain)
    }

    /// The JSON of a line.
    package mutating func bytes(_ line: RecordLine) -> [UInt8] {
        writer.removeAll()
        encoder.encode(
            RecordRow(line.record),
            trailing: line.isDeleted ? (RecordLine.deletedMember, "true") : nil,
            to: &writer
        )
        return writer.bytes
    }
}

/// Reads records of one entity from lines.
package struct RecordLineDecoder {
    private let entity: EntityDescriptor
    private var decoder: RecordDecoder

    /// Makes a decoder for one entity. With `fillsIn`, fields that a write sets (`created`, `updated`, defaults) may be
    /// missing.
    package init(_ entity: EntityDescriptor, fillsIn: Bool) {
        self.entity = entity
        decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = !fillsIn
        decoder.refusesUnknown = true
    }

    /// Reads one line. Throws `JSONError` or `FieldError`.
    package mutating func line(_ bytes: UnsafeBufferPointer<UInt8>) throws -> RecordLine {
        let builder = RecordBuilder(entity)
        var reader = try JSONReader(bytes)
        try decoder.decode(&reader, into: builder)
        try reader.end()
        var line = RecordLine(record: builder.record, isDeleted: false)
        let member = line.record.unknown.firstIndex { $0.path == RecordLine.deletedMember }
        guard let member else { return line }
        guard let isDeleted = Bool(line.record.unknown[member].json) else {
            throw FieldError(
                field: "",
                rule: "type",
                message: "'\(RecordLine.deletedMember)' must be true or false."
            )
        }
        line.isDeleted = isDeleted
        line.record.unknown.remove(at: member)
        return line
    }
}
