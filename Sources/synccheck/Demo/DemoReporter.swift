import EntitySync

/// Prints the demo's steps, and checks its claims.
final class DemoReporter {
    private var step = 0

    /// Starts the next step.
    func heading(text: String) throws {
        step += 1
        try printUnchanged("\n\(step). \(text)")
    }

    /// Prints indented lines within a step.
    func print(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try printUnchanged(lines.map { $0.isEmpty ? "" : "   " + $0 }.joined(separator: "\n"))
    }

    /// Prints text unchanged.
    func printUnchanged(_ text: String) throws {
        try StandardStreams.write(Array((text + "\n").utf8), to: .output)
    }

    /// Prints a claim after checking it. The demo fails if it is false.
    func print(_ claim: String, provided isTrue: Bool) throws {
        guard isTrue else { throw SyncError.demoFailed(claim: claim) }
        try self.print(claim)
    }
}
