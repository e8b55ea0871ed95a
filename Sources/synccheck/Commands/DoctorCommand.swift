import ArgumentParser
import EntitySync
import SyncSchema
import SyncStore

/// `doctor`: prints the status and what to do next.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show the status, the last syncs, and what to do next.",
        discussion: """
            Exit code 1 if something needs a person: rejected records, a sync that failed, a clock that is far off. \
            Edits that wait and conflicts alone are no failure. Full-text indexes are compared with the records, and \
            made anew where they differ. For a shared folder, its devices are listed by name with how far each is.

            With '--database', compares a PostgreSQL with the schemas instead: columns, policies, triggers, and \
            each row with its sync state. Exit code 1 if something was found. In SQL: select * from entitysync.doctor().
            """
    )

    @OptionGroup var options: StoreOptions

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL to look at instead of the store: 'postgres://USER@HOST/NAME'. PGPASSWORD holds a password.",
            valueName: "url"
        )
    )
    var database: String?

    func run() async throws {
        if let database { return try look(at: database) }
        let workspace = try options.workspace().unchanged()
        defer { workspace.removeCopy() }
        let status = try workspace.status()
        let commands = options.commands
        let advice =
            try workspace.mendSearch().map(Advice.searchRebuilt)
            + workspace.unfitRecords().map(Advice.unfitRecords)
            + workspace.circles().map(Advice.circles)
            + Advice.all(status: status, commands: commands, warnings: workspace.warnings)
        let devices = try await Self.devices(workspace: workspace, status: status)
        try Printer.print { printer in
            guard options.json else {
                try printer.text(text: status.text)
                try printer.line()
                if let devices {
                    try printer.text(text: devices.text)
                    try printer.line()
                }
                if !status.history.isEmpty {
                    try printer.text(text: PastSync.table(syncs: status.history.prefix(Self.syncsShown)))
                    try printer.line()
                }
                return try printer.text(text: status.text(of: advice, commands: commands))
            }
            try printer.json { writer in
                writer.beginObject()
                status.writeMembers(to: &writer)
                status.writeMembers(of: advice, commands: commands, to: &writer)
                if let devices {
                    writer.name("devices")
                    devices.write(to: &writer)
                }
                writer.endObject()
            }
        }
        if advice.contains(where: \.isFinding) { throw ExitCode.findings }
    }

    /// The devices that share the folder of the last sync; nil for a store that has none.
    private static func devices(workspace: Workspace, status: StoreStatus) async throws -> FolderDevices? {
        guard status.lastSync != nil else { return nil }
        let store = try workspace.open()
        defer { store.close() }
        return await FolderDevices(store: store, lastSync: status.lastSync)
    }

    /// Looks at a database.
    private func look(at url: String) throws {
        let schemas = try SchemaFiles.sound(
            report: SchemaLoader.load(try SchemaFiles.read(paths: [options.schemas.schemas]))
        )
        let findings = try DatabaseFinding.all(url: url, schemas: schemas)
        try Printer.print { printer in
            if options.json {
                try printer.json { DatabaseFinding.write(findings, to: &$0) }
            } else {
                try printer.text(text: DatabaseFinding.text(findings))
            }
        }
        if !findings.isEmpty { throw ExitCode.findings }
    }

    /// The number of past syncs in the text output; JSON output has all.
    private static let syncsShown = 5
}
