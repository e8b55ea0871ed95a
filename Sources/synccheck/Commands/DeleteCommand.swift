import ArgumentParser
import EntitySync

/// `delete`: deletes a record. Other devices get the delete with their next sync.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a record; prints its key.",
        discussion: "A missing or deleted record: exit code 1."
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: "The record's key.", completion: Completions.key)
    var key: String

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let key = try KeyArgument.key(text: key, of: entity)
        try workspace.existingWriter().delete(entity: entity, key: key)
        try Printer.print { try $0.key(key, of: entity, asJSON: options.json) }
    }
}
