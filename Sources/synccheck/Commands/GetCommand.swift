import ArgumentParser
import EntitySync
import SyncCore
import SyncStore

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

    @Flag(help: "Add the member \"$version\", which makes 'put' an edit of what was read.")
    var withVersion = false

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let key = try KeyArgument.key(text: key, of: entity)
        let found = try workspace.reading { store in
            try store.read { snapshot in
                try snapshot.liveRecord(entity: entity, key: key).map { local in
                    let record = local.version.record
                    let version = RecordVersion(store: snapshot.storeID, record: record, entity: entity)
                    return RecordLine(
                        record: record,
                        isDeleted: false,
                        version: withVersion ? version : nil
                    )
                }
            }
        }
        guard let line = found else { throw SyncError.noSuchRecord(entity: entity.name) }
        var encoder = RecordLineEncoder(entity)
        try Printer.print { try $0.line(bytes: encoder.bytes(line)) }
    }
}
