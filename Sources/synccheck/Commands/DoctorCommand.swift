import ArgumentParser
import EntitySync

/// `doctor`: prints the status and what to do next.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show the status, the last syncs, and what to do next.",
        discussion: """
            Exit code 1 if something needs a person: rejected records, a sync that failed, a clock that is far off. \
            Edits that wait and conflicts alone are no failure.
            """
    )

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let status = try workspace.status()
        let advice = Advice.all(status: status, warnings: workspace.warnings)
        try Printer.print { printer in
            guard options.json else {
                try printer.text(text: status.text)
                try printer.line()
                if !status.history.isEmpty {
                    try printer.text(text: PastSync.table(syncs: status.history.prefix(Self.syncsShown)))
                    try printer.line()
                }
                return try printer.text(text: status.text(of: advice))
            }
            try printer.json { writer in
                writer.beginObject()
                status.writeMembers(to: &writer)
                status.writeMembers(of: advice, to: &writer)
                writer.endObject()
            }
        }
        if advice.contains(where: \.isFinding) { throw ExitCode.findings }
    }

    /// The number of past syncs in the text output; JSON output has all.
    private static let syncsShown = 5
}
