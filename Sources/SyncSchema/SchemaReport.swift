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
        let entries = diagnostics.map { diagnostic in
            let texts: [(String, String)] = [
                ("severity", diagnostic.severity.rawValue), ("message", diagnostic.message),
                ("rule", diagnostic.rule), ("help", diagnostic.help),
            ]
            let members = texts.map { "\"\($0)\":\(CanonicalJSON.string($1))" }.joined(separator: ",")
            let place = "\"line\":\(diagnostic.line),\"column\":\(diagnostic.column)"
            return "{\"path\":\(CanonicalJSON.string(diagnostic.path)),\(place),\(members)}"
        }
        let list = entries.joined(separator: ",")
        return "{\"valid\":\(isValid),\"schemas\":\(checkedFiles),\"diagnostics\":[\(list)]}"
    }
}
