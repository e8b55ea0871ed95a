import ArgumentParser
import EntitySync

/// `get`: prints one record.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print a record as JSON.",
        discussion:
            "A missing or deleted record: exit code 1. The key of a merged record prints what it merged into."
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
        let found = try workspace.reading { store in
            try store.read { try $0.liveRecord(entity: entity, key: key) }
        }
        guard let local = found else {
            throw SyncError.noSuchRecord(entity: entity.name)
        }
        try Printer.print { try $0.line(bytes: entity.json(record: local.version.record)) }
    }
}
