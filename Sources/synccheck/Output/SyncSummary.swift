import EntitySync
import SyncCore
import SyncHTTPClient
import SyncInspector

/// The result of a sync as text and JSON.
struct SyncSummary {
    private let report: SyncReport
    private let isDryRun: Bool
    private let commands: StoreCommands

    init(report: SyncReport, isDryRun: Bool, commands: StoreCommands) {
        self.report = report
        self.isDryRun = isDryRun
        self.commands = commands
    }

    /// One line for the outcome, and one for each entity with changes.
    var text: String {
        var lines = [
            isDryRun ? "\(report.outcome.rawValue) (dry run, nothing was written)" : report.outcome.rawValue
        ]
        for entity in report.entities {
            let counts = Self.counts(report: entity).filter { $0.1 > 0 }
            guard !counts.isEmpty else { continue }
            lines.append(
                "  \(entity.entity): "
                    + counts.map { $0.0 == "conflicts" ? $0.1.counting(noun: "conflict") : "\($0.1) \($0.0)" }
                    .joined(separator: ", ")
            )
        }
        if report.entities.contains(where: { $0.conflicts > 0 }) {
            let see: Instruction =
                "See \(command: commands.list("conflicts")), which says how to resolve each."
            lines.append(see.text)
        }
        // A record of an entity that no schema describes here is counted with none.
        let isUnexplained = report.outcome == .partial && report.diagnostics.isEmpty
        if isUnexplained || report.entities.contains(where: { $0.rejected > 0 }) {
            let see: Instruction =
                "See \(command: commands.list("rejected")) for what could not be taken in or sent."
            lines.append(see.text)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Writes `{"outcome":"synced","requests":N,"entities":{"bookmark":{"pushed":N,...}}}` with all entities.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(name: "outcome", text: report.outcome.rawValue)
        writer.member(name: "requests", count: report.requests)
        writer.name("entities")
        writer.beginObject()
        for entity in report.entities {
            writer.name(entity.entity)
            writer.beginObject()
            for (word, count) in Self.counts(report: entity) { writer.member(name: word, count: count) }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }

    private static func counts(report: EntityReport) -> [(String, Int)] {
        [
            ("pushed", report.pushed), ("pulled", report.pulled), ("merged", report.merged),
            ("conflicts", report.conflicts), ("rejected", report.rejected),
        ]
    }
}

extension RemoteDiagnostic {
    /// The diagnostic as a line for standard error.
    var warning: String {
        let place = place.isEmpty ? "" : "\(place.visible): "
        return "warning: \(place)\((commandLineMessage ?? message).oneLine) [\(rule)]\n"
    }
}

/// Shows the progress of a sync on a terminal; prints nothing to a pipe.
enum ProgressLine {
    /// Draws a line over the last one, and clears it at the end.
    @Sendable static func onTerminal(progress: SyncProgress) {
        let text =
            switch progress {
            case .started: "asking the remote"
            case .opened: "reading the remote"
            case .pulling(let applied): "taking in: \(applied)"
            case .pushing(let count): "sending: \(count)"
            case .finished: ""
            }
        TerminalLine.draw(text)
    }

    /// Shows that a request is being retried.
    @Sendable static func waiting(retry: HTTPRetry) {
        TerminalLine.draw("waiting \(max(1, Int(retry.delaySeconds.rounded(.up)))) s: \(retry.cause)")
    }
}
