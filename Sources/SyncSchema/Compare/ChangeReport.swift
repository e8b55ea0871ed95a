/// The result of comparing two sets of schemas.
public struct ChangeReport: Sendable, Hashable {
    /// Every change, sorted by entity, field and rule.
    public var changes: [SchemaChange]

    /// Makes a report.
    public init(changes: [SchemaChange]) {
        self.changes = changes
    }

    /// Whether all breaking changes are accepted.
    public var isCompatible: Bool { !changes.contains(where: \.isBreaking) }

    /// The changes in the given format. Text and github are empty if there are none. Every line ends with a
    /// line feed.
    public func rendered(format: SchemaReport.Format) -> String {
        switch format {
        case .text: changes.map { $0.text() + "\n" }.joined()
        case .github: changes.map { $0.github() + "\n" }.joined()
        case .json: json() + "\n"
        }
    }

    /// `{"compatible":B,"changes":[...]}` without white space.
    private func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("compatible")
        writer.boolean(isCompatible)
        writer.name("changes")
        writer.beginArray()
        for change in changes { change.append(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}

extension SchemaChange {
    /// Two lines: `entity.field: breaking (store): sentence [rule]`, then `help: ...`; a third with the
    /// reason of an ignore.
    public func text() -> String {
        let line =
            "\(place): \(severity.rawValue) (\(area.rawValue)): \(message) [\(rule)]\nhelp: \(help)"
        return ignored.map { "\(line)\nignored: \($0.visible)" } ?? line
    }

    /// A workflow command for GitHub's log.
    public func github() -> String {
        let command = isBreaking ? "error" : "notice"
        let reason = ignored.map { "\nignored: \($0)" } ?? ""
        let title = Diagnostic.githubProperty(text: rule)
        return
            "::\(command) title=\(title)::\(Diagnostic.githubData(text: "\(place): \(message)\n\(help)\(reason)"))"
    }

    fileprivate func append(to writer: inout JSONWriter) {
        let members: [(String, String?)] = [
            ("rule", rule), ("class", area.rawValue), ("severity", severity.rawValue), ("entity", entity),
            ("field", field), ("message", message), ("help", help), ("ignored", ignored),
        ]
        writer.beginObject()
        for (name, text) in members {
            writer.name(name)
            if let text { writer.string(text) } else { writer.null() }
        }
        writer.endObject()
    }

    private var place: String {
        let name = field.map { "\(entity).\($0)" } ?? entity
        return name.isEmpty ? ChangeIgnores.fileName : name.visible
    }
}
