/// What a look at a set of schema files found.
public struct SchemaReport: Sendable, Hashable {
    /// The schemas without errors, sorted by the bytes of their names.
    public var schemas: [Schema]
    /// Every finding of every file, in file order: path, line, column, rule.
    public var diagnostics: [Diagnostic]
    /// How many files were looked at.
    public var checkedFiles: Int

    /// Puts a report together; `SchemaLoader` makes them from files.
    public init(schemas: [Schema], diagnostics: [Diagnostic], checkedFiles: Int) {
        self.schemas = schemas
        self.diagnostics = diagnostics
        self.checkedFiles = checkedFiles
    }

    /// Whether no finding is an error. Warnings do not count.
    public var isValid: Bool {
        !diagnostics.contains { $0.severity == .error }
    }

    /// How a report is written down.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// Two lines per finding, for people and build logs.
        case text
        /// One JSON object, for scripts.
        case json
        /// One workflow command per finding, for GitHub's log.
        case github
    }

    /// The findings in the given format. Text and github are empty when there are none; every line ends in a
    /// line feed.
    public func rendered(format: Format) -> String {
        switch format {
        case .text: diagnostics.map { $0.text() + "\n" }.joined()
        case .github: diagnostics.map { $0.github() + "\n" }.joined()
        case .json: json() + "\n"
        }
    }

    /// `{"valid":B,"schemas":N,"diagnostics":[...]}` without white space.
    private func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("valid")
        writer.boolean(isValid)
        writer.name("schemas")
        writer.integer(Int64(checkedFiles))
        writer.name("diagnostics")
        writer.beginArray()
        for diagnostic in diagnostics { diagnostic.append(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}

extension Diagnostic {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("path")
        writer.string(path)
        writer.name("line")
        writer.integer(Int64(line))
        writer.name("column")
        writer.integer(Int64(column))
        let texts = [
            ("severity", severity.rawValue), ("message", message), ("rule", rule), ("help", help),
        ]
        for (name, text) in texts {
            writer.name(name)
            writer.string(text)
        }
        writer.endObject()
    }
}
