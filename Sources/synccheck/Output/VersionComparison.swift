import EntitySync

/// Compares versions of a record, showing only the fields that differ.
struct VersionComparison {
    private let entity: EntityDescriptor
    private let versions: [(name: String, version: SyncRecord?)]
    /// The most characters of a value.
    private static let maxValueCharacters = 400

    init(entity: EntityDescriptor, versions: [(name: String, version: SyncRecord?)]) {
        self.entity = entity
        self.versions = versions
    }

    /// A block per differing field with a line per version. A tombstone or a missing version is mentioned once.
    var text: String {
        var lines: [String] = []
        let width = versions.map(\.name.count).max() ?? 0
        func row(name: String, value: String) {
            lines.append("    \(name)\(String(repeating: " ", count: width - name.count))  \(value)")
        }
        for (name, version) in versions where version?.isDeleted ?? true {
            row(name: name, value: version == nil ? "(none)" : "(deleted)")
        }
        let standing = versions.compactMap { name, version in
            version.flatMap { $0.isDeleted ? nil : (name, members(of: $0)) }
        }
        for field in fields(of: standing.map(\.1)) {
            let values = standing.map { $0.1[field] }
            guard standing.count == 1 || values.contains(where: { $0 != values[0] }) else { continue }
            lines.append("  \(field.text.visible)")
            for ((name, _), value) in zip(standing, values) {
                row(name: name, value: value.map { shown(value: $0.text) } ?? "(absent)")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Field names in schema order, then unknown ones sorted by name.
    private func fields(of standing: [[RecordKey: RecordKey]]) -> [RecordKey] {
        let apart = [entity.created, entity.updated].compactMap { $0 }
        let known = entity.fields.map(\.name).filter { !apart.contains($0) }.map { RecordKey($0) }
        let unknown = Set(standing.flatMap(\.keys)).subtracting(entity.fields.map { RecordKey($0.name) })
        return known + unknown.sorted()
    }

    /// Values as JSON text by field name. Both are compared as bytes.
    private func members(of version: SyncRecord) -> [RecordKey: RecordKey] {
        var members: [RecordKey: RecordKey] = [:]
        for (index, field) in entity.fields.enumerated() where version.record.values[index] != nil {
            var single = Record(empty: entity)
            single.values[index] = version.record.values[index]
            // NB: the text is `{"name":value}`, of which only the value is needed.
            let text = String(decoding: entity.json(record: single), as: UTF8.self)
            var name = JSONWriter()
            name.name(field.name)
            members[RecordKey(field.name)] = RecordKey(
                String(decoding: text.utf8.dropFirst(1 + name.bytes.count).dropLast(), as: UTF8.self)
            )
        }
        for member in version.record.unknown { members[RecordKey(member.path)] = RecordKey(member.json) }
        return members
    }

    private func shown(value: String) -> String {
        let text =
            value.count > Self.maxValueCharacters ? value.prefix(Self.maxValueCharacters) + " ..." : value
        return text.withoutTerminalCodes
    }
}

extension String {
    /// The text with control characters and direction overrides escaped as `\u{...}`. Joiners that some
    /// scripts need are kept.
    var withoutTerminalCodes: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let isOverride =
                (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            if scalar.properties.generalCategory == .control || isOverride {
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
