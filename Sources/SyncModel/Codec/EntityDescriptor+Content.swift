extension EntityDescriptor {
    /// The record's key: the key field's text, or a JSON array of the key fields' values. Nil if one is missing.
    public func key(of record: Record) -> RecordKey? {
        if layout.key.count == 1 { return Self.text(of: record.values[layout.key[0]]).map { RecordKey($0) } }
        return Self.key(values: layout.key.map { record.values[$0] })
    }

    /// The key that has these values, one for each key field; nil if one of them is missing.
    package static func key(values: [FieldValue?]) -> RecordKey? {
        if values.count == 1 { return text(of: values[0]).map { RecordKey($0) } }
        var writer = JSONWriter()
        writer.beginArray()
        for value in values {
            if case .integer(let number)? = value {
                writer.integer(number)
            } else {
                guard let text = text(of: value) else { return nil }
                writer.string(text)
            }
        }
        writer.endArray()
        return RecordKey(writer.text)
    }

    /// The fingerprint of a version's content: its canonical form without `created`, `updated`, `localOnly` fields.
    public func contentDigest(of: SyncRecord) -> Digest {
        ContentDigests(self).digest(of: RecordRow(of.record), isDeleted: of.isDeleted)
    }

    /// Distinguishes schemas of an entity: two versions of an app may write the same record in different ways.
    package var contentSchema: String { layout.contentSchema }

    static func contentSchema(fields: [FieldDescriptor], deleted: String?) -> String {
        var facts = fields.map { "\($0.name) \($0.type.contentText) \($0.isLocalOnly)" }
        // The digest leaves this field out, and an app may read that one under another name.
        if let deleted { facts.append("deleted \(deleted)") }
        for field in fields {
            for former in field.formerWireNames { facts.append("\(field.name) was \(former)") }
        }
        return String(Digest(Array(facts.joined(separator: "\n").utf8)).description.prefix(8))
    }

    /// Whether two versions have the same `contentDigest`.
    package func hasSameContent(left: SyncRecord, right: SyncRecord) -> Bool {
        contentDigest(of: left) == contentDigest(of: right)
    }

    private static func text(of value: FieldValue?) -> String? {
        switch value {
        case .text(let value): value
        case .integer(let value): String(value)
        case .timestamp(let value): value.description
        default: nil
        }
    }
}
