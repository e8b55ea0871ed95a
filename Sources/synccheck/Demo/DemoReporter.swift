import EntitySync

/// Tells the demo's story, and stands for what it says.
final class DemoReporter {
    private var step = 0

    /// Starts the next step.
    func heading(text: String) throws {
        step += 1
        try say("\n\(step). \(text)")
    }

    /// Tells something of the step, indented; line by line.
    func tell(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try say(lines.map { $0.isEmpty ? "" : "   " + $0 }.joined(separator: "\n"))
    }

    /// Prints a text as it is.
    func say(_ text: String) throws {
        try StandardStreams.write(Array((text + "\n").utf8), to: .output)
    }

    /// Tells something only after it was found true; the demo fails otherwise.
    func tell(_ claim: String, provided isTrue: Bool) throws {
        guard isTrue else { throw SyncError.demoFailed(claim: claim) }
        try tell(claim)
    }
}
