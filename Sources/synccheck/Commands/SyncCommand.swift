import ArgumentParser
import EntitySync
import Foundation

/// `sync`: one sync with a remote.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Bring this store and a remote together, once.",
        discussion: """
            Exit code 1 for a partial sync (something rejected or skipped), and with '--fail-on-conflict' while \
            records are in conflict. Conflicts alone are no failure: list them with 'synccheck conflicts'.
            """
    )

    @Option(help: ArgumentHelp("A shared folder, as a path or a file URL.", valueName: "dir|url"))
    var remote: String

    @Option(
        help: ArgumentHelp("This device's name for people; the host's name by default.", valueName: "name")
    )
    var device: String?

    @Flag(help: "Read the remote and tell what would happen; write nothing.")
    var dryRun = false

    @Flag(help: "Accept another or an emptied remote: keep all values and merge them by strategy.")
    var rejoin = false

    @Flag(help: "Exit with 1 while records are in conflict.")
    var failOnConflict = false

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let remote = try RemoteArgument(remote)
        let workspace = try options.workspace()
        let report: SyncReport
        do {
            report = try await sync(workspace, remote)
        } catch {
            ProgressLine.onTerminal(.finished)
            if options.json {
                try Printer.print { try $0.json { SyncSummary.writeFailure(workspace.entities, to: &$0) } }
            }
            throw error
        }
        for problem in report.problems { StandardStreams.write(problem.warning, to: .error) }
        let summary = SyncSummary(report, isDryRun: dryRun)
        try Printer.print { printer in
            if options.json {
                try printer.json { summary.write(to: &$0) }
            } else {
                try printer.text(summary.text)
            }
        }
        let hasConflicts = report.entities.contains { $0.conflicts > 0 }
        if report.outcome != .synced || (failOnConflict && hasConflicts) { throw ExitCode.findings }
    }

    private func sync(_ workspace: Workspace, _ remote: RemoteArgument) async throws -> SyncReport {
        let isNew = !workspace.storeExists
        var workspace = workspace
        if dryRun, isNew { workspace = workspace.besideNothing }
        defer { if dryRun, isNew { workspace.removeStoreFolder() } }
        let store = try workspace.open()
        let engine = SyncEngine(
            store: store,
            backend: FolderBackend(root: remote.path),
            surroundings: SyncSurroundings(
                clock: workspace.clock,
                random: workspace.random,
                label: device ?? StandardStreams.hostName
            ),
            onProgress: ProgressLine.onTerminal
        )
        let report = try await engine.sync(SyncOptions(isDryRun: dryRun, rejoins: rejoin))
        if !dryRun { try remote.remember(in: store) }
        return report
    }
}
