import ArgumentParser
import EntitySync
import SyncCore
import SyncRuntime

/// `put`: creates a record, or replaces members of an existing one.
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Create a record, or replace members of one; prints its key.",
        discussion: """
            Top-level members replace, null sets null, nested values replace whole, other members stay. A missing uuid \
            key and the times of creation and change are filled in. With the member "$version", as 'get \
            --with-version' prints it, they are an edit of what was read then, and meet what has come since. A member \
            that neither the schema nor the record knows is refused, as it is most often misspelt; \
            '--unknown' writes it.
            """
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: ArgumentHelp("A JSON object; '-' reads it from standard input.", valueName: "json"))
    var record: String

    @Flag(
        help: "Write it as a seed: it gives way to any person's edit, and writes nothing where a record is."
    )
    var seed = false

    @Flag(help: "Write members that the schema does not know, too.")
    var unknown = false

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let json = try JSONArgument.bytes(argument: record)
        let store = try workspace.open()
        if !unknown { try store.refuseUnknown(json: json, of: entity) }
        let writer = LocalWriter(store: store, clock: workspace.clock, random: workspace.random)
        let key = try seed ? writer.seed(entity: entity, json: json) : writer.put(entity: entity, json: json)
        try Printer.print { try $0.key(key, of: entity, asJSON: options.json) }
    }
}

extension Printer {
    /// Prints the key of the written record; as text without what a terminal would obey.
    mutating func key(_ key: RecordKey, of entity: EntityDescriptor, asJSON: Bool) throws {
        guard asJSON else { return try line(text: key.text.withoutTerminalCodes) }
        try json { writer in
            writer.beginObject()
            writer.member(name: "entity", text: entity.name)
            writer.member(name: "key", text: key.text)
            writer.endObject()
        }
    }
}
