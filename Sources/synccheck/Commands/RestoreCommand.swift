import ArgumentParser
import EntitySync

/// `restore`: restores a value that an automatic decision replaced.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring the loser of an automatic decision back; prints its key.",
        discussion: "It becomes an edit of its own, and reaches the other devices with the next sync."
    )

    @Argument(help: "The id of a journal entry.")
    var id: String

    @Flag(help: "Bring deleted records back, too, that it belongs to.")
    var withParents = false

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let restored = try workspace.existingWriter().restore(journal: id, withParents: withParents)
        let entity = try workspace.entity(name: restored.entity)
        try Printer.print { try $0.key(restored.key, of: entity, asJSON: options.json) }
    }
}
