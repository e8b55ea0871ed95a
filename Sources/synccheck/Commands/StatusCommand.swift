import ArgumentParser
import EntitySync
import SyncStore

/// `status`: prints the state of the store for people and scripts.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how many records wait, conflict or were rejected, and what to do next."
    )

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let status = try workspace.status()
        let commands = options.commands
        let advice = Advice.all(status: status, commands: commands)
        try Printer.print { printer in
            guard options.json else {
                return try printer.text(
                    text: status.text + "\n" + status.text(of: advice, commands: commands)
                )
            }
            try printer.json { writer in
                writer.beginObject()
                status.writeMembers(to: &writer)
                status.writeMembers(of: advice, commands: commands, to: &writer)
                writer.endObject()
            }
        }
    }
}

extension Workspace {
    /// The present state of the store.
    func status() throws -> StoreStatus {
        let account = StoreAccount(storePath: storePath, entities: entities)
        return try reading { store in
            try store.read {
                try StoreStatus(snapshot: $0, entities: entities, account: account, now: clock.now())
            }
        }
    }
}
