/// One finding without its place: the sentence, its stable rule and what to do next.
///
/// The factories in this folder are the whole catalogue of wording.
struct Problem: Sendable {
    var rule: Rule
    var severity: Diagnostic.Severity = .error
    var message: String
    var help: String
}

/// The problems of one file, in the order in which they were found.
///
/// NB: it keeps the first 1,000 and then says so, so that a hostile file cannot fill the memory.
final class ProblemList {
    private(set) var found: [(position: Position, problem: Problem)] = []
    /// Whether any finding is an error.
    private(set) var hasErrors = false
    /// Whether no more findings are kept.
    var isFull: Bool { found.count >= Self.limit }

    static let limit = 1000

    /// Adds one finding, unless the list is full; its wording, which may search for a near name, is then not made.
    func add(_ makeProblem: @autoclosure () -> Problem, at position: Position) {
        guard !isFull else { return }
        let problem = makeProblem()
        if problem.severity == .error { hasErrors = true }
        found.append((position, problem))
        guard isFull else { return }
        hasErrors = true
        found.append((position, .tooManyProblems(limit: Self.limit)))
    }

    /// The findings as diagnostics of one file.
    func diagnostics(path: String) -> [Diagnostic] {
        found.map { position, problem in
            Diagnostic(
                path: path,
                line: Int(position.line),
                column: Int(position.column),
                severity: problem.severity,
                message: problem.message,
                rule: problem.rule.rawValue,
                help: problem.help
            )
        }
    }
}
