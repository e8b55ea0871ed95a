package import SyncCore
import SyncRuntime

/// The fields in which versions of a record differ, as JSON text.
package struct FieldDifferences: Sendable {
    /// A field that differs.
    package struct Row: Sendable {
        /// The field's name, or the path of an unknown member, which says so if a field has that name.
        package var field: String
        /// Its value in each standing version, in their order; nil where it is absent.
        package var values: [String?]
    }

    /// The differing fields, in schema order; unknown ones follow by name.
    package let rows: [Row]

    /// Compares versions that stand: neither missing nor deleted. A single version shows all of its fields.
    package init(entity: EntityDescriptor, versions: [SyncRecord]) {
        let standing = versions.map { Self.members(of: $0, entity: entity) }
        rows = Self.fields(of: standing, entity: entity).compactMap { field in
            let values = standing.map { $0[field] }
            guard standing.count == 1 || values.contains(where: { $0 != values[0] }) else { return nil }
            return Row(field: field.text, values: values.map { $0?.text })
        }
    }

    /// Field names in schema order without the times of a record, then unknown ones sorted by name.
    private static func fields(of standing: [[RecordKey: RecordKey]], entity: EntityDescriptor)
        -> [RecordKey]
    {
        let apart = [entity.created, entity.updated].compactMap { $0 }
        let known = entity.fields.map(\.name).filter { !apart.contains($0) }.map { RecordKey($0) }
        let unknown = Set(standing.flatMap(\.keys)).subtracting(entity.fields.map { RecordKey($0.name) })
        return known + unknown.sorted()
    }

    /// Values as JSON text by field name. Both are compared as bytes.
    private static func members(of version: SyncRecord, entity: EntityDescriptor)
        -> [RecordKey: RecordKey]
    {
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        var members: [RecordKey: RecordKey] = [:]
        for (index, field) in entity.fields.enumerated() where version.record.values[index] != nil {
            var single = Record(empty: entity)
            single.values[index] = version.record.values[index]
            // NB: the text is `{"name":value}`, of which only the value is needed.
            let text = String(decoding: encoder.bytes(single), as: UTF8.self)
            var name = JSONWriter()
            name.name(field.name)
            members[RecordKey(field.name)] = RecordKey(
                String(decoding: text.utf8.dropFirst(1 + name.bytes.count).dropLast(), as: UTF8.self)
            )
        }
        for member in version.record.unknown {
            // A member of other apps may have the name that a field has here.
            let isField = entity.layout.position(of: member.path) != nil
            let name = isField ? "\(member.path) (of other apps)" : member.path
            members[RecordKey(name)] = RecordKey(member.json)
        }
        return members
    }
}

extension SyncRecord {
    /// The version as it is shown beside others: itself, or what somebody wrote into a deleted record that they do not say;
    /// nil for any other tombstone.
    package func shown(beside versions: [SyncRecord], entity: EntityDescriptor) -> SyncRecord? {
        isDeleted ? lastWords(beyond: versions.filter { $0 != self }, in: entity) : self
    }
}
