import ArgumentParser
import EntitySync
import SyncCore
import SyncStore

/// `explain`: prints everything that the store knows about one record.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show a record's versions, heads and history, and the rule that decided."
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
        try workspace.reading { try explain(entity: entity, key: key, in: $0) }
    }

    private func explain(entity: EntityDescriptor, key: RecordKey, in store: SQLiteStore) throws {
        let explanation = try store.read {
            try Explanation(snapshot: $0, entity: entity, key: key, commands: options.commands)
        }
        guard let explanation else { throw SyncError.noSuchRecord(entity: entity.name) }
        try Printer.print { printer in
            if options.json {
                try printer.json { explanation.write(to: &$0) }
            } else {
                try printer.text(text: explanation.text)
            }
        }
        guard explanation.local.state == .conflict else { return }
        let remote = explanation.sides.first { $0.name == "remote" }?.version
        try store.remember { $0.replace(entity: entity, key: key, by: remote) }
    }
}
