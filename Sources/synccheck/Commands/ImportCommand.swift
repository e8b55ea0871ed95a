import ArgumentParser
import EntitySync

/// `import`: imports whole records from NDJSON, all or nothing.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take in records, one JSON object per line.",
        discussion: """
            Replaces whole records by key and keeps the times that they give; what they had goes to the journal, by \
            the rule 'overwritten'. All or nothing: with one bad line, \
            nothing is written. A key that stands twice in the file is an error. A line with "$deleted":true, as \
            'export --include-deleted' prints it, deletes its record. A line with "$version", as 'export \
            --with-versions' prints it, is an edit of what was read then, and meets what has come since.
            """
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let source = try ByteSource(path: file)
        let progress = WorldProgress()
        defer { progress.clear() }
        let start = ContinuousClock.now
        var count = 0
        do {
            try workspace.writer().write { session in
                _ = try RecordImport(entity: entity).run(source, in: session) { _ in
                    count += 1
                    progress.show(count, word: "records", since: start)
                }
            }
        } catch let error as ImportError {
            throw InputError(error, path: file)
        }
        progress.clear()
        try Printer.print { printer in
            guard options.json else {
                return try printer.line(text: "Imported \(count.counting(noun: "\(entity.name) record")).")
            }
            try printer.json { writer in
                writer.beginObject()
                writer.member(name: "entity", text: entity.name)
                writer.member(name: "imported", count: count)
                writer.endObject()
            }
        }
    }
}
