import ArgumentParser
import EntitySync
import SyncSchema

/// `doctor`: the status, and what to do next.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show the status, and what to do next."
    )

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let status = try workspace.status()
        let advice = Self.advice(status, workspace.warnings)
        try Printer.print { printer in
            guard options.json else {
                try printer.text(status.text)
                try printer.line()
                if !status.history.isEmpty {
                    try printer.text(PastSync.table(status.history.prefix(Self.syncsShown)))
                    try printer.line()
                }
                return try printer.text(advice.map { "- \($0)\n" }.joined())
            }
            try printer.json { writer in
                writer.beginObject()
                status.writeMembers(to: &writer)
                writer.name("syncs")
                writer.array(Array(status.history)) { $0.pastSync($1) }
                writer.name("next")
                writer.array(advice) { $0.string($1) }
                writer.endObject()
            }
        }
    }

    /// How many of the last syncs people are shown; scripts get all.
    private static let syncsShown = 5

    /// What to do next, the most urgent first.
    static func advice(_ status: StoreStatus, _ warnings: [Diagnostic]) -> [String] {
        var advice: [String] = []
        if let last = status.history.first, last.outcome == .failed { advice.append(last.advice) }
        let (conflicts, rejected) = (status.total(\.conflicts), status.total(\.rejected))
        let pending = status.total(\.pending)
        if rejected > 0 {
            advice.append(
                "\(rejected) rejected: see why with 'synccheck rejected', correct them with 'put', then sync."
            )
        }
        if conflicts > 0 {
            advice.append(
                "\(conflicts) in conflict: compare with 'synccheck conflicts', settle each with 'synccheck resolve'."
            )
        }
        if pending > 0 {
            let since = status.lastSync == nil ? "; this store has never synced" : ""
            advice.append("\(pending) not sent yet\(since): run 'synccheck sync --remote DIR'.")
        }
        if advice.isEmpty, !status.device.isEmpty, !status.sync.isInSync {
            advice.append("Nothing waits, but no sync has confirmed it: run 'synccheck sync --remote DIR'.")
        }
        if advice.isEmpty {
            advice.append(
                status.device.isEmpty
                    ? "Start with 'synccheck put' or 'synccheck import', then 'synccheck sync --remote DIR'."
                    : "All is well: nothing waits, conflicts or was rejected."
            )
        }
        if !warnings.isEmpty {
            advice.append("The schemas have warnings: see them with 'synccheck validate'.")
        }
        return advice
    }
}
