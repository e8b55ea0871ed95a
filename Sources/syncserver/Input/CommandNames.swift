import ArgumentParser
import SyncCore

/// The names of the commands, to find out what a misspelled one should have been. The argument parser takes it for an
/// argument of the default command.
enum CommandNames {
    /// Throws `SyncError` `usage` if the arguments begin with a word that is no command.
    static func check(_ arguments: [String]) throws {
        guard let name = arguments.first else { return }
        let account = AccountCommand.configuration
        let accountNames = names(account.subcommands)
        let nested = accountNames.contains(name) ? "account \(name)" : nil
        try check(
            name,
            among: names(SyncServerCommand.configuration.subcommands) + ["help"],
            of: "syncserver",
            otherwise: nested
        )
        guard name == account.commandName, arguments.count > 1 else { return }
        try check(arguments[1], among: accountNames, of: "syncserver account")
    }

    private static func check(
        _ name: String,
        among known: [String],
        of parent: String,
        otherwise nested: String? = nil
    ) throws {
        guard !name.hasPrefix("-"), !known.contains(name) else { return }
        throw SyncError.unknownCommand(
            name: name,
            of: parent,
            nearest: nested ?? NearestName.find(name, among: known)
        )
    }

    private static func names(_ commands: [any ParsableCommand.Type]) -> [String] {
        commands.map { $0.configuration.commandName ?? "\($0)".lowercased() }.sorted()
    }
}
