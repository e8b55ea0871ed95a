import EntitySync
import SyncCore
import SyncInspector

/// Compares versions of a record, showing only the fields that differ.
struct VersionComparison {
    private let entity: EntityDescriptor
    private let versions: [(name: String, version: SyncRecord?)]
    /// The fields that are shown, of those that differ; nil for all.
    var fields: Set<String>?
    /// The name of a version that there was, and that the store has no more.
    var forgotten: String?

    init(entity: EntityDescriptor, versions: [(name: String, version: SyncRecord?)]) {
        self.entity = entity
        self.versions = versions
    }

    /// A block per differing field with a line per version. A tombstone or a missing version is mentioned once; what was
    /// written into a deleted record is shown as well.
    var text: String {
        var lines: [String] = []
        let width = versions.map(\.name.count).max() ?? 0
        func add(name: String, value: String) {
            lines.append("    \(name)\(String(repeating: " ", count: width - name.count))  \(value)")
        }
        for (name, version) in versions where version?.isDeleted ?? true {
            add(
                name: name,
                value: version != nil ? "(deleted)" : name == forgotten ? "(not kept any more)" : "(none)"
            )
        }
        let all = versions.compactMap(\.version)
        let standing = versions.compactMap { name, version in
            version?.shown(beside: all, entity: entity).map { (name: name, version: $0) }
        }
        for row in FieldDifferences(entity: entity, versions: standing.map(\.version)).rows {
            if let fields, !fields.contains(row.field) { continue }
            lines.append("  \(row.field.visible)")
            for ((name, _), value) in zip(standing, ValueExcerpt.excerpts(of: row.values)) {
                add(name: name, value: value?.withoutTerminalCodes ?? "(absent)")
            }
        }
        return lines.map { $0 + "\n" }.joined()
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
