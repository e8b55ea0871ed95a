import ArgumentParser
import EntitySync
import SyncVersion

/// The `synccheck` command.
@main struct SyncCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synccheck",
        abstract: "Checks schemas, and keeps and syncs records of any schema without compiling it.",
        discussion: """
            Start with 'synccheck demo'. KEY is the text of a record's key field; for a composite key it is a JSON \
            array of the values. Put '--' before a key that begins with '-'.

            Exit codes: 0 done, 1 findings or a partial sync, 64 usage, 65 bad input, 69 remote unreachable, \
            74 input/output error, 77 not permitted.
            """,
        version: "synccheck \(EntitySyncVersion.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Schema",
                subcommands: [
                    ValidateCommand.self, GenerateCommand.self, DiffCommand.self, BaselineCommand.self,
                ]
            ),
            CommandGroup(
                name: "Record",
                subcommands: [
                    ImportCommand.self, ExportCommand.self, PutCommand.self, GetCommand.self,
                    DeleteCommand.self, QueryCommand.self, SearchCommand.self,
                ]
            ),
            CommandGroup(
                name: "Sync",
                subcommands: [
                    SyncCommand.self, StatusCommand.self, InspectCommand.self, DoctorCommand.self,
                    BackupCommand.self, RetireCommand.self,
                ]
            ),
            CommandGroup(
                name: "Conflict",
                subcommands: [
                    ConflictsCommand.self, ResolveCommand.self, ExplainCommand.self, JournalCommand.self,
                    RestoreCommand.self, RejectedCommand.self,
                ]
            ),
            CommandGroup(name: "Check", subcommands: [ConformanceCommand.self, SimulateCommand.self]),
            CommandGroup(name: "Example", subcommands: [DemoCommand.self]),
        ]
    )

    static func main() async {
        StandardStreams.endQuietlyOnBrokenPipe()
        do {
            try checkEncoding()
            try checkCommandName(CommandLine.arguments.dropFirst().first)
            let command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch {
            CommandExit(error).exit()
        }
    }

    /// Refuses arguments that are no UTF-8: Swift would put a replacement character where a person wrote another one.
    private static func checkEncoding() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            if String(validatingCString: argument) == nil { throw SyncError.notUTF8(argument: index) }
        }
    }

    /// Suggests a similar command name, which the argument parser does not.
    private static func checkCommandName(_ name: String?) throws {
        let known = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard let name, !name.hasPrefix("-"), !known.contains(name) else { return }
        throw SyncError.unknownCommand(name: name, nearest: DidYouMean.nearest(to: name, among: known))
    }
}
