/// A record in the form in which it is exported: plain JSON on one line. Members are in schema order, then unknown
/// ones by name; a deleted record ends in `"$deleted":true`, and on request each in its `"$version"`.
package struct RecordLine {
    /// The record.
    package var record: Record
    /// Whether the record was deleted; its values are the last ones.
    package var isDeleted: Bool

    /// The version that the record was read at, if the line tells it.
    package var version: RecordVersion?

    /// The member that marks a deleted record.
    package static let deletedMember = "$deleted"
    /// The member that tells the version.
    package static let versionMember = "$version"
    /// The member that tells why an import has refused the record; nothing to a later one.
    package static let rejectedMember = "$rejected"
    /// The member that has what stood in the place of a record and was none.
    package static let partMember = "$record"

    /// Makes a line from its parts.
    package init(record: Record, isDeleted: Bool, version: RecordVersion? = nil) {
        self.record = record
        self.isDeleted = isDeleted
        self.version = version
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
        var trailing: [(name: String, json: String)] = []
        if line.isDeleted { trailing.append((RecordLine.deletedMember, "true")) }
        if let version = line.version { trailing.append((RecordLine.versionMember, "\"\(version.text)\"")) }
        var record = line.record
        if record.unknown.contains(where: { RecordLine.isMember($0.path) }) {
            record.renameUnknown { RecordLine.isMember($0) ? "$\($0)" : $0 }
        }
        encoder.encode(RecordRow(record), trailing: trailing, to: &writer)
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
        decoder.takesWireNames = true
        decoder.reserved = [
            RecordLine.deletedMember, RecordLine.versionMember, RecordLine.rejectedMember,
            RecordLine.partMember,
        ]
    }

    /// Reads one line. Throws `JSONError` or `FieldError`.
    package mutating func line(_ bytes: UnsafeBufferPointer<UInt8>) throws -> RecordLine {
        let builder = RecordBuilder(entity)
        var reader = try JSONReader(bytes)
        try decoder.decode(&reader, into: builder)
        try reader.end()
        var line = RecordLine(record: builder.record, isDeleted: false)
        if let json = line.record.takeMember(RecordLine.deletedMember) {
            guard let isDeleted = Bool(json) else {
                throw FieldError(
                    field: "",
                    rule: "type",
                    message: "'\(RecordLine.deletedMember)' must be true or false."
                )
            }
            line.isDeleted = isDeleted
        }
        line.version = try line.record.takeVersion()
        _ = line.record.takeMember(RecordLine.rejectedMember)
        if line.record.takeMember(RecordLine.partMember) != nil {
            throw FieldError(field: "", rule: "type", message: "A record must be a JSON object.")
        }
        if line.record.unknown.contains(where: { RecordLine.isMember($0.path) }) {
            line.record.renameUnknown { RecordLine.isMember($0) ? String($0.dropFirst()) : $0 }
        }
        return line
    }
}

extension RecordLine {
    /// Whether an unknown member has the name of one of the line's own, or such a name with further dollar signs: in a line it
    /// has one more.
    fileprivate static func isMember(_ path: String) -> Bool {
        guard path.hasPrefix("$") else { return false }
        return [deletedMember, versionMember, rejectedMember, partMember].contains(
            "$\(path.drop { $0 == "$" })"
        )
    }
}

extension Record {
    /// Gives unknown members other names.
    fileprivate mutating func renameUnknown(_ name: (String) -> String) {
        unknown = unknown.map { UnknownField(path: name($0.path), json: $0.json) }
            .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Takes a member out of those that the schema does not know; nil if there is none.
    fileprivate mutating func takeMember(_ name: String) -> String? {
        guard let index = unknown.firstIndex(where: { $0.path == name }) else { return nil }
        return unknown.remove(at: index).json
    }

    /// Takes out the member that tells the version; nil if there is none. Throws `FieldError` for anything else.
    package mutating func takeVersion() throws -> RecordVersion? {
        guard let json = takeMember(RecordLine.versionMember), json != "null" else { return nil }
        guard json.hasPrefix("\""), let version = RecordVersion(String(json.dropFirst().dropLast())) else {
            throw FieldError(
                field: RecordLine.versionMember,
                rule: "version",
                message: "'\(RecordLine.versionMember)' is not a version that was read from a store."
            )
        }
        return version
    }
}
