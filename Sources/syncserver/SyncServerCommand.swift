import ArgumentParser
import SyncVersion

/// The `syncserver` command.
@main
struct SyncServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "syncserver",
        abstract: "Serves EntitySync's protocol v1 over HTTP, and keeps its accounts.",
        discussion: """
            Without a command it serves. It listens on loopback unless '--host' says otherwise, and speaks plain HTTP: \
            put a reverse proxy with TLS before it for everything beyond this machine. '/health', '/ready' and \
            '/metrics' are open to everybody who reaches the port.

            Records are in files of the data folder, or with '--database' in a PostgreSQL, which several servers may \
            share. Accounts are in the data folder in both cases.

            Exit codes: 0 done, 1 no such account or something found, 64 usage, 65 bad input, \
            69 database out of reach, 74 input/output error, 77 not permitted.
            """,
        version: "syncserver \(EntitySyncVersion.current), protocol v1",
        subcommands: [
            ServeCommand.self, AccountCommand.self, PurgeCommand.self, AdminCommand.self,
            ServerDoctorCommand.self,
            ServerBackupCommand.self,
            ServerRestoreCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )

    static func main() async {
        do {
            try CommandNames.check(Array(CommandLine.arguments.dropFirst()))
            let command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch {
            ServerCommandExit(error).exit()
        }
    }
}

/// The option for the data folder.
struct DataOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder with accounts and logs; made if need be.", valueName: "dir"))
    var data = ".syncserver"
}

/// The option for the schema folder.
struct ServerSchemaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder with the '*.schema.json' files.", valueName: "dir"))
    var schemas = "Schemas"
}
