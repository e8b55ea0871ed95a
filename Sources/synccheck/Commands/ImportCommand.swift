import ArgumentParser
import EntitySync

/// `import`: imports whole records from NDJSON, all or nothing.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take in records, one JSON object per line.",
        discussion: """
            Replaces whole records by key and keeps the times that they give. All or nothing: with one bad line, \
            nothing is written. A key that stands twice in the file is an error. A line with "$deleted":true, as \
            'export --include-deleted' prints it, deletes its record.
            """
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: "The file; '-' is standard input.")
    var file: String

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let source = try ByteSource(path: file)
        var lines = RecordLines(entity: entity, path: file, fillsIn: true)
        let progress = WorldProgress()
        defer { progress.clear() }
        let count = try workspace.writer().write { session in
            try Self.take(&lines, source: source, entity: entity, session: session, progress: progress)
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

    /// Writes all lines in one transaction. Throws `InputError` if one of them cannot be written.
    private static func take(
        _ lines: inout RecordLines,
        source: ByteSource,
        entity: EntityDescriptor,
        session: borrowing WriteSession,
        progress: WorldProgress
    ) throws -> Int {
        var count = 0
        let start = ContinuousClock.now
        try lines.read(source) { line in
            if line.isDeleted {
                try delete(line.record, entity: entity, session: session)
            } else {
                _ = try session.replace(entity: entity, record: line.record, keepsTimes: true)
            }
            count += 1
            progress.show(count, word: "records", since: start)
        }
        guard lines.findingCount == 0 else { throw lines.refusal }
        return count
    }

    /// Imports a deleted record with its last value, unless it is already deleted.
    private static func delete(
        _ record: Record,
        entity: EntityDescriptor,
        session: borrowing WriteSession
    ) throws {
        if let key = entity.key(of: record), let local = try session.store.load(entity: entity, key: key),
            local.visibility != .live
        {
            return
        }
        let key = try session.replace(entity: entity, record: record, keepsTimes: true)
        // NB: a `deleted` field with a value has already deleted the record during the write.
        guard try session.store.load(entity: entity, key: key)?.visibility == .live else { return }
        try session.delete(entity: entity, key: key)
    }
}
