import ArgumentParser
import EntitySync
import Foundation

/// Where the schemas are.
struct SchemaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder with the '*.schema.json' files.", valueName: "dir"))
    var schemas = "Schemas"
}

/// Where schemas and store are, and how results are printed: what every command on records takes.
struct StoreOptions: ParsableArguments {
    @OptionGroup var schemas: SchemaOptions

    @Option(help: ArgumentHelp("The store's database file.", valueName: "file"))
    var store = ".synccheck/store.sqlite"

    @Flag(help: "Print JSON.")
    var json = false

    /// Schemas and store of this run.
    func workspace() throws -> Workspace {
        // NB: SQLite takes an empty path for a database that is gone with the process.
        guard !store.isEmpty else { throw SyncError.emptyStorePath() }
        return try Workspace(schemaPaths: [schemas.schemas], storePath: store)
    }
}

/// How a server is asked: what every command takes that may talk to one.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file that holds the server's token.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the certificate authorities (PEM) to trust for 'https', instead of the system's.",
            valueName: "file"
        )
    )
    var caFile: String?

    /// What an HTTP client needs from outside. Throws `usage` where an authority is named for a remote without 'https'.
    func environment(workspace: Workspace, remote: RemoteArgument) throws -> HTTPEnvironment {
        let transport = SystemTransport(
            environment: ProcessInfo.processInfo.environment,
            authorities: caFile
        )
        if caFile != nil, !remote.isSecureServer { throw SyncError.authorityWithoutTLS() }
        return HTTPEnvironment(
            clock: workspace.clock,
            random: workspace.random,
            sleeper: SystemSleeper(),
            transport: transport
        )
    }
}
