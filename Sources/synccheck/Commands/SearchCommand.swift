import ArgumentParser
import EntitySync
import SyncCore
import SyncStore

/// `search`: prints the records that a full-text search finds.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search the texts of an entity, best hits first, one JSON object per line.",
        discussion: """
            The schema names the fields to search: "search": ["title"] in 'sync'. All words must be there, in any order \
            and letter case, with or without accents. 'merc*' finds words that begin so, '"day of rest"' words side \
            by side, 'a OR b' one of the two. Put '--' before a word with '-' in front, which leaves texts out.
            """
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: "What to search for.")
    var words: [String]

    @Option(help: "The most records.")
    var limit = 20

    @Flag(
        help:
            "Print the score and the parts of the texts that were found, too, with '[' and ']' around matches."
    )
    var excerpts = false

    @OptionGroup var options: StoreOptions

    func validate() throws {
        if limit < 1 { throw ValidationError("'--limit' must be at least 1.") }
    }

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        let search = StoreSearch(
            text: TextSearch(words.joined(separator: " ")),
            limit: limit,
            excerptWords: excerpts ? 24 : 0
        )
        let hits = try workspace.reading { store in
            try store.read { try $0.search(entity: entity, search: search) }
        }
        try Printer.print { printer in
            for hit in hits {
                let record = entity.json(record: hit.record.version.record)
                guard excerpts else {
                    try printer.line(bytes: record)
                    continue
                }
                try printer.line(bytes: Self.line(hit: hit, record: record, entity: entity))
            }
        }
    }

    /// A record with what was found in it.
    private static func line(hit: StoreHit, record: [UInt8], entity: EntityDescriptor) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("score")
        writer.number(hit.score)
        writer.name("excerpts")
        writer.beginObject()
        for field in entity.search {
            guard let excerpt = hit.excerpts[field], excerpt.hasMatch else { continue }
            writer.member(name: field, text: excerpt.marked(before: "[", after: "]"))
        }
        writer.endObject()
        writer.name("record")
        writer.raw(record)
        writer.endObject()
        return writer.bytes
    }
}
