import ArgumentParser
import EntitySync

/// `status`: counts of the store.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how many records wait, conflict or were rejected."
    )

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let status = try workspace.status()
        try Printer.print { printer in
            guard options.json else { return try printer.text(status.text) }
            try printer.json { writer in
                writer.beginObject()
                status.writeMembers(to: &writer)
                writer.endObject()
            }
        }
    }
}

extension Workspace {
    /// Where the store stands now.
    func status() throws -> StoreStatus {
        try openForReading().read { try StoreStatus($0, entities, now: clock.now()) }
    }
}
