import ArgumentParser
import EntitySync

/// `export`: prints the records of an entity as NDJSON.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print records, one JSON object per line, sorted by key.",
        discussion:
            "Fields come in schema order, then unknown ones by name. A deleted record ends in \"$deleted\":true."
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Flag(help: "Print deleted records, too.")
    var includeDeleted = false

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let store = try workspace.openExisting()
        try Printer.print { printer in
            try store.read { snapshot in
                try Self.export(entity: entity, includesDeleted: includeDeleted, snapshot: snapshot) {
                    try printer.line(bytes: $0)
                }
            }
        }
    }

    /// Calls `visit` with the JSON of each live record, and of tombstones if requested. Skips duplicates that
    /// are hidden by another record.
    static func export(
        entity: EntityDescriptor,
        includesDeleted: Bool,
        snapshot: any StoreSnapshot,
        visit: (_ line: [UInt8]) throws -> Void
    ) throws {
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        var writer = JSONWriter()
        try snapshot.scan(entity: entity, includeHidden: includesDeleted) { local in
            guard local.visibility != .merged else { return }
            let isDeleted = local.visibility == .deleted
            writer.removeAll()
            encoder.encode(
                RecordRow(local.version.record),
                trailing: isDeleted ? (RecordLines.deletedMember, "true") : nil,
                to: &writer
            )
            try visit(writer.bytes)
        }
    }
}
