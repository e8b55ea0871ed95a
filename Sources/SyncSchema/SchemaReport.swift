/// The result of loading a set of schemas.
public struct SchemaReport: Sendable, Hashable {
    /// The schemas without errors, sorted by name (bytes).
    public var schemas: [Schema]
    /// All diagnostics, sorted by path, line, column and rule.
    public var diagnostics: [Diagnostic]
    /// The number of checked files.
    public var checkedFiles: Int

    /// Makes a report; usually `SchemaLoader` does.
    public init(schemas: [Schema], diagnostics: [Diagnostic], checkedFiles: Int) {
        self.schemas = schemas
        self.diagnostics = diagnostics
        self.checkedFiles = checkedFiles
    }

    /// Whether there are no errors. Warnings are allowed.
    public var isValid: Bool {
        !diagnostics.contains { $0.severity == .error }
    }

    /// The output format of a report.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// Two lines per diagnostic, for people and build logs.
        case text
        /// One JSON object for scripts.
        case json
        /// One workflow command per diagnostic, for GitHub's log.
        case github
    }

    /// The diagnostics in the given format. Text and github are empty if there are none. Every line ends with
    /// a line feed.
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
