import ArgumentParser
import EntitySync
import SyncStore

/// `conflicts`: lists records that both sides changed, for a person to decide.
struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List records in conflict, with both sides and what they came from.",
        discussion: "'resolve' answers what was shown here last, and is refused where more came since."
    )

    @Argument(help: "Only this entity.", completion: Completions.entity)
    var entity: String?

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entities = try workspace.entities(named: entity)
        try workspace.reading { store in
            let conflicts = try store.read { try ConflictView.all(snapshot: $0, entities: entities) }
            try print(conflicts)
            try store.remember { $0.replace(entities, by: conflicts) }
        }
    }

    private func print(_ conflicts: [ConflictView]) throws {
        try Printer.print { printer in
            if options.json {
                return try printer.json { $0.array(elements: conflicts) { $1.write(to: &$0) } }
            }
            guard !conflicts.isEmpty else { return try printer.line(text: "There are no conflicts.") }
            for conflict in conflicts {
                try printer.text(text: conflict.text + conflict.ways(commands: options.commands) + "\n")
            }
            try printer.line(
                text:
                    "Run one command of each. For a value of your own, give '--with JSON' in place of '--keep'."
            )
        }
    }
}
