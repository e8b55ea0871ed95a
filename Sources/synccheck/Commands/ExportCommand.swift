import ArgumentParser
import EntitySync
import SyncStore

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

    @Flag(help: "Add the member \"$version\", which makes 'import' an edit of what was read.")
    var withVersions = false

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let export = RecordExport(
            entity: entity,
            includesDeleted: includeDeleted,
            withVersions: withVersions
        )
        try workspace.reading { store in
            try Printer.print { printer in
                try store.read { snapshot in
                    try export.forEachLine(in: snapshot) { try printer.line(bytes: $0) }
                    let count = try snapshot.setAside(entity).count
                    if count > 0 { StandardStreams.write(Self.note(setAside: count), to: .error) }
                }
            }
        }
    }

    /// Tells which records are not among the lines.
    private static func note(setAside count: Int) -> String {
        "note: \(count.counting(noun: "record")) that this schema cannot read are not exported; see 'rejected'.\n"
    }
}
