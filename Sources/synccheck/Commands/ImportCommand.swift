import ArgumentParser
import EntitySync

/// `import`: imports whole records from NDJSON, a JSON array or CSV: all or nothing, or all but those in a file of
/// rejects.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take in records from lines of JSON, an array, or CSV.",
        discussion: """
            Replaces whole records by key and keeps the times that they give; what they had goes to the journal, by \
            the rule 'overwritten'. All or nothing: with one bad line, \
            nothing is written. A key that stands twice in the file is an error. A line with "$deleted":true, as \
            'export --include-deleted' prints it, deletes its record. A line with "$version", as 'export \
            --with-versions' prints it, is an edit of what was read then, and meets what has come since.
            With '--rejects FILE', what is refused goes there instead, unchanged and each with its line and the \
            reason, and the rest is imported; exit code 1 then. That file can be mended and imported again, also into \
            itself; no other file is replaced. In CSV \
            the first row names the fields, lists and objects are JSON, and an empty cell is null or nothing.
            """
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @Option(help: "lines (one JSON object per line), array (one JSON array), or csv.")
    var format = RecordFormat.lines

    @Option(help: ArgumentHelp("Where refused records go.", valueName: "file"), completion: .file())
    var rejects: String?

    @OptionGroup var options: StoreOptions

    func validate() throws { try PathOption.check(rejects, name: "--rejects") }

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let source = try ByteSource(path: file)
        let progress = WorldProgress()
        defer { progress.clear() }
        let start = ContinuousClock.now
        var (count, refused) = (0, 0)
        do {
            let file = try rejects.map {
                try RejectFile(path: $0, format: format.format, source: source.descriptor)
            }
            try workspace.writer().write { session in
                let work = RecordImport(entity: entity)
                refused = try work.run(source, as: format.format, rejects: file, in: session) { _ in
                    count += 1
                    progress.show(count, word: "records", since: start)
                }.refused
            }
            try file?.publish()
        } catch let error as ImportError {
            throw InputError(error, path: file)
        }
        progress.clear()
        try Printer.print { printer in
            guard options.json else {
                let place =
                    refused > 0
                    ? "; \(refused.counting(noun: "record")) refused, see the file of rejects" : ""
                let imported = (count - refused).counting(noun: "\(entity.name) record")
                return try printer.line(text: "Imported \(imported)\(place).")
            }
            try printer.json { writer in
                writer.beginObject()
                writer.member(name: "entity", text: entity.name)
                writer.member(name: "imported", count: count - refused)
                if rejects != nil { writer.member(name: "rejected", count: refused) }
                writer.endObject()
            }
        }
        if refused > 0 { throw ExitCode.findings }
    }
}

/// How the imported file holds the records.
enum RecordFormat: String, ExpressibleByArgument, CaseIterable {
    case lines, array, csv

    /// The same format in the library.
    var format: ImportFormat {
        switch self {
        case .lines: .lines
        case .array: .array
        case .csv: .csv
        }
    }
}
