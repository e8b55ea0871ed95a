import EntitySync
import SyncSchema

extension InputError {
    /// The refused lines of a file, as diagnostics.
    init(_ refusal: ImportError, path: String) {
        let path = ByteSource.shownPath(path)
        let more = refusal.count - refusal.lines.count
        let rest = more > 0 ? "... and \(more) more\n" : ""
        self.init(
            details: refusal.lines.map { $0.diagnostic(path: path).text() + "\n" }.joined() + rest,
            error: .refusedLines(path: path, count: refusal.count)
        )
    }
}

extension RefusedLine {
    /// The line as a diagnostic of a file.
    func diagnostic(path: String) -> Diagnostic {
        Diagnostic(
            path: path,
            line: line,
            column: column ?? 1,
            severity: .error,
            message: message.withoutPeriod,
            rule: rule,
            help: (commandLineHelp ?? help).withoutPeriod
        )
    }
}

extension String {
    /// The sentence without its final period, as in diagnostics.
    fileprivate var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
