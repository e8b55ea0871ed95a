import ArgumentParser
import EntitySync
import Foundation
import SyncCore
import SyncRuntime
import SyncSchedule

/// `sync`: syncs with a remote once, or continuously.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Bring this store and a remote together.",
        discussion: """
            Exit code 1 for a partial sync (something rejected or skipped), and with '--fail-on-conflict' while \
            records are in conflict. Conflicts alone are no failure: list them with 'synccheck conflicts'.

            A server needs a token: the environment variable SYNCCHECK_TOKEN, or a file named with '--token-file'. On \
            Linux, the environment variable SSL_CERT_FILE names the authorities to trust, as '--ca-file' does.
            """
    )

    @Option(
        help: ArgumentHelp("A shared folder (path or file URL) or a server (URL).", valueName: "dir|url"),
        completion: .directory
    )
    var remote: String

    @Option(
        help: ArgumentHelp(
            "This device's name for people; the one given last, or else the host's name, by default.",
            valueName: "name"
        )
    )
    var device: String?

    @OptionGroup var server: ServerOptions

    @Flag(help: "Read the remote and show what would happen; write nothing.")
    var dryRun = false

    @Flag(help: "Accept another or an emptied remote: keep all values and merge them by strategy.")
    var rejoin = false

    @Flag(
        help: "Accept that records which a remote without tombstones no longer shows were deleted there."
    )
    var acceptMissing = false

    @Flag(help: "Exit with 1 while records are in conflict.")
    var failOnConflict = false

    @Flag(help: "Go on: sync whenever something changes here or there, until Ctrl-C.")
    var watch = false

    @OptionGroup var options: StoreOptions

    func validate() throws {
        if watch, dryRun || rejoin || acceptMissing || failOnConflict {
            throw ValidationError(
                "'--watch' goes with neither '--dry-run' nor '--rejoin', '--accept-missing' nor '--fail-on-conflict'."
            )
        }
    }

    func run() async throws {
        let remote = try RemoteArgument(remote, allowsPlainHTTP: server.allowPlainHTTP)
        var workspace = try options.workspace()
        let isNew = try !workspace.storeExists
        if dryRun { workspace = isNew ? workspace.inTemporaryFolder : try workspace.unchanged() }
        defer { if dryRun, isNew { workspace.removeStoreFolder() } else { workspace.removeCopy() } }
        let backend = try remote.connect(workspace, options: server, onRetry: ProgressLine.waiting)
        let store = try workspace.open(sleeper: watch ? SystemSleeper() : nil)
        let engine = SyncEngine(
            store: store,
            backend: backend,
            environment: SyncEnvironment(
                clock: workspace.clock,
                random: workspace.random,
                label: try deviceName(in: store)
            ),
            onProgress: ProgressLine.onTerminal
        )
        guard watch else { return try finish(try await sync(engine, remote: remote, store: store)) }
        let environment = SpaceEnvironment(clock: workspace.clock, random: workspace.random)
        try await Watcher(
            store: store,
            remote: backend,
            periodSeconds: remote.notifiesChanges ? SchedulePolicy().periodSeconds : 5,
            environment: environment
        ) {
            try await sync(engine, remote: remote, store: store, reportsEmptySyncs: false)
        }.run()
    }

    /// The name that is given now, which is kept for later syncs; otherwise the one given last, or the host's.
    private func deviceName(in store: any LocalStore) throws -> String {
        let last = try store.read { try $0.value(name: StoreValueName.deviceName) }
        guard let device else { return last ?? StandardStreams.hostName }
        if device != last, !dryRun {
            try store.write(.noted) { try $0.setValue(StoreValueName.deviceName, value: device) }
        }
        return device
    }

    private func sync(
        _ engine: SyncEngine,
        remote: RemoteArgument,
        store: any LocalStore,
        reportsEmptySyncs: Bool = true
    ) async throws -> SyncReport {
        let options = SyncOptions(isDryRun: dryRun, rejoins: rejoin, acceptsMissing: acceptMissing)
        let attempt = await engine.attempt(options)
        let report = attempt.report
        if let error = attempt.error {
            ProgressLine.onTerminal(progress: .finished)
            // Changes exchanged before the error are kept, so they are reported.
            if self.options.json || report.hasExchanged { try printReport(report) }
            throw error
        }
        if !dryRun { try remote.remember(in: store) }
        if reportsEmptySyncs || report.outcome != .synced || report.hasExchanged { try printReport(report) }
        return report
    }

    private func printReport(_ report: SyncReport) throws {
        for diagnostic in report.diagnostics { StandardStreams.write(diagnostic.warning, to: .error) }
        let summary = SyncSummary(report: report, isDryRun: dryRun, commands: options.commands)
        try Printer.print { printer in
            if options.json {
                try printer.json { summary.write(to: &$0) }
            } else {
                try printer.text(text: summary.text)
            }
        }
    }

    private func finish(_ report: SyncReport) throws {
        let hasConflicts = report.entities.contains { $0.conflicts > 0 }
        if report.outcome != .synced || (failOnConflict && hasConflicts) { throw ExitCode.findings }
    }
}

extension SyncReport {
    /// Whether anything was pushed or pulled.
    fileprivate var hasExchanged: Bool { entities.contains { $0.pushed + $0.pulled + $0.merged > 0 } }
}
