import ArgumentParser
import EntitySync
import SyncInspector

/// `inspect`: a page that shows a store to people.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the store as a page: what waits, conflicts, was rejected or lost, and what to do.",
        discussion: """
            The page is one HTML file that needs no network and changes nothing in the store. It goes to standard \
            output without '--output'. With ENTITY and KEY it begins with the history of that record. It holds values \
            of records, so mind who gets it.
            """
    )

    @Argument(help: "The entity of a record whose history is shown first.", completion: Completions.entity)
    var entity: String?

    @Argument(help: "The key of that record.", completion: Completions.key)
    var key: String?

    @Option(help: ArgumentHelp("The file to write or replace.", valueName: "file"), completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("The most elements of each list, from 1 to 100000.", valueName: "n"))
    var limit = 1000

    @Flag(help: "Serve the page on this machine instead, with buttons that resolve, retry and restore.")
    var serve = false

    @Option(help: ArgumentHelp("With '--serve': the port; 0 takes any free one.", valueName: "n"))
    var port: Int?

    @OptionGroup var options: StoreOptions

    func validate() throws {
        if entity != nil, key == nil { throw ValidationError("Name a key, too, or no entity.") }
        guard 1...100_000 ~= limit else { throw ValidationError("'--limit' is a number from 1 to 100000.") }
        if serve, output != nil { throw ValidationError("Name either '--serve' or '--output'.") }
        if !serve, port != nil { throw ValidationError("'--port' goes with '--serve'.") }
        guard 0...65_535 ~= port ?? 0 else { throw ValidationError("'--port' is a number from 0 to 65535.") }
        try PathOption.check(output, name: "--output")
        if options.json { throw ValidationError("'inspect' writes a page; 'status --json' is for scripts.") }
    }

    func run() async throws {
        let file = output.map { ReportFile($0) }
        try file?.checkPlace()
        var workspace = try options.workspace()
        try workspace.requireStore()
        // Buttons change the store.
        if !serve { workspace = try workspace.unchanged() }
        defer { workspace.removeCopy() }
        let inspection = try Inspection(
            workspace: workspace,
            commands: options.commands,
            limits: ReportLimits(items: limit)
        )
        let asked = try asked(in: workspace)
        if serve { return try await serve(inspection, asked: asked) }
        let page = InspectorPage(report: try inspection.report(asked: asked))
        guard let file else { return try Printer.print { try $0.text(text: page.html) } }
        try file.write(page.html.utf8)
    }

    /// Serves the page until Ctrl-C.
    private func serve(_ inspection: Inspection, asked: RecordName?) async throws {
        #if Server
            // A mistake in the arguments ends the command before anything is served.
            _ = try inspection.report(asked: asked)
            let commits = try CommitCounter(path: options.store)
            let host = InspectionHost(port: port ?? 0) { port in
                InspectionServer(
                    inspection: inspection,
                    commits: commits,
                    access: PageAccess(port: port, random: inspection.workspace.random),
                    asked: asked
                )
            } onListening: { server in
                guard let address = server.access.address else { return }
                StandardStreams.write(address + "\n", to: .output)
                let hint = "Open this address in a browser of this machine; it works once. Ctrl-C ends it.\n"
                StandardStreams.write(hint, to: .error)
            }
            try await host.serve()
        #else
            throw SyncError.withoutServer()
        #endif
    }

    /// The record that the arguments name.
    private func asked(in workspace: Workspace) throws -> RecordName? {
        guard let entity, let key else { return nil }
        let descriptor = try workspace.entity(name: entity)
        return RecordName(entity: entity, key: try KeyArgument.key(text: key, of: descriptor))
    }
}
