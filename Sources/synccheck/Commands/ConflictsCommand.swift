import ArgumentParser
import EntitySync

/// `conflicts`: records that both sides changed, for a person to decide.
struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List records in conflict, with both sides and what they came from."
    )

    @Argument(help: "Only this entity.")
    var entity: String?

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entities = try workspace.entities(named: entity)
        let conflicts = try workspace.openForReading().read { try ConflictView.all($0, entities) }
        try Printer.print { printer in
            if options.json {
                return try printer.json { $0.array(conflicts) { $1.write(to: &$0) } }
            }
            guard !conflicts.isEmpty else { return try printer.line("There are no conflicts.") }
            for conflict in conflicts { try printer.text(conflict.text + "\n") }
            try printer.line(
                "Settle one with 'synccheck resolve ENTITY KEY --keep local|remote' or '--with JSON'."
            )
        }
    }
}
