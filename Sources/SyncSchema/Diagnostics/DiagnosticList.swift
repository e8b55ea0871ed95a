/// The diagnostics of one file, in the order in which they were found.
///
/// Only the first 1,000 are kept, followed by a note, so that a hostile file cannot exhaust the memory.
final class DiagnosticList {
    private(set) var found: [(position: Position, content: DiagnosticContent)] = []
    /// Whether a diagnostic is an error.
    private(set) var hasErrors = false
    /// Whether the list is full.
    var isFull: Bool { found.count >= Self.limit }

    static let limit = 1000

    /// Rules that only warn.
    private let tolerated: Set<Rule>

    init(tolerated: Set<Rule> = []) {
        self.tolerated = tolerated
    }

    /// Adds a diagnostic unless the list is full. The wording, which may search for similar names, is
    /// evaluated only if needed.
    func add(_ makeContent: @autoclosure () -> DiagnosticContent, at position: Position) {
        guard !isFull else { return }
        var content = makeContent()
        if tolerated.contains(content.rule) { content.severity = .warning }
        if content.severity == .error { hasErrors = true }
        found.append((position, content))
        guard isFull else { return }
        hasErrors = true
        found.append((position, .tooManyDiagnostics(limit: Self.limit)))
    }

    /// All diagnostics, with the file's path.
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
