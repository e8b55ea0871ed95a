/// The findings in one file, in the order in which they were found.
///
/// NB: it keeps the first 1,000 and then says so, so that a hostile file cannot fill the memory.
final class DiagnosticList {
    private(set) var found: [(position: Position, content: DiagnosticContent)] = []
    /// Whether any finding is an error.
    private(set) var hasErrors = false
    /// Whether no more findings are kept.
    var isFull: Bool { found.count >= Self.limit }

    static let limit = 1000

    /// Adds one finding, unless the list is full; its wording, which may search for a near name, is then not made.
    func add(_ makeContent: @autoclosure () -> DiagnosticContent, at position: Position) {
        guard !isFull else { return }
        let content = makeContent()
        if content.severity == .error { hasErrors = true }
        found.append((position, content))
        guard isFull else { return }
        hasErrors = true
        found.append((position, .tooManyProblems(limit: Self.limit)))
    }

    /// The findings as diagnostics of one file.
    func all(path: String) -> [Diagnostic] {
        found.map { position, content in
            Diagnostic(
                path: path,
                line: Int(position.line),
                column: Int(position.column),
                severity: content.severity,
                message: content.message,
                rule: content.rule.rawValue,
                help: content.help
            )
        }
    }
}
