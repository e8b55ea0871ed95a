import ArgumentParser
import EntitySync
import Foundation
import SyncHTTPClient
import SyncInspector

/// The option for the schemas.
struct SchemaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder with the '*.schema.json' files.", valueName: "dir"),
        completion: .directory
    )
    var schemas = Self.standard

    /// The default.
    static let standard = "Schemas"

    func validate() throws { try PathOption.check(schemas, name: "--schemas") }
}

/// The options of all commands on records: schemas, store and output format.
struct StoreOptions: ParsableArguments {
    @OptionGroup var schemas: SchemaOptions

    @Option(help: ArgumentHelp("The store's database file.", valueName: "file"), completion: .file())
    var store = Self.standard

    /// The default of the store.
    static let standard = ".synccheck/store.sqlite"

    @Flag(help: "Print JSON.")
    var json = false

    /// The workspace with schemas and store.
    func workspace() throws -> Workspace {
        // NB: SQLite would open a temporary database for an empty path.
        guard !store.isEmpty else { throw SyncError.emptyStorePath() }
        return try Workspace(schemaPaths: [schemas.schemas], storePath: store)
    }

    /// Commands with the same options; those with a default are left out.
    var commands: StoreCommands {
        StoreCommands(
            store: store == Self.standard ? nil : store,
            schemas: schemas.schemas == SchemaOptions.standard ? nil : schemas.schemas
        )
    }
}

/// The options of all commands that may connect to a server.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file that holds the server's token.", valueName: "file"),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the certificate authorities (PEM) to trust for 'https', instead of the system's.",
            valueName: "file"
        ),
        completion: .file()
    )
    var caFile: String?

    @Flag(
        help: "Take plain 'http' to another machine, which everybody on the network between can read."
    )
    var allowPlainHTTP = false

    func validate() throws {
        try PathOption.check(tokenFile, name: "--token-file")
        try PathOption.check(caFile, name: "--ca-file")
    }

    /// Makes the environment of an HTTP client. Throws `usage` if an authority is given for a remote without
    /// `https`.
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
