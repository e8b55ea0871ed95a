import ArgumentParser
import EntitySync
import SyncCore
import SyncStore

/// `query`: prints the records that meet a condition.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the records that meet a condition, one JSON object per line.",
        discussion: """
            A condition tests fields: 'surahNumber = 2', 'note is not null', "createdAt >= '2026-01-01T00:00:00Z'". \
            Operators: = != < <= > >= in (…) between … and …, beginswith, contains (contains[cd] ignores letter \
            case and diacritics), has, has any (…), has all (…) for lists, is null, is not null. They combine by \
            and, or, not and brackets. A dot follows a reference, "folderId.name = 'Inbox'", or enters an object, "address.city \
            = 'Bonn'". Fields compare with each other: 'startsOn <= endsOn'. "matches 'mercy*'" searches texts.

            An index must serve the condition, or '--scan' allow to read all records.
            """
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: "The condition; without one, all records.")
    var expression = ""

    @Option(
        help: ArgumentHelp(
            "A field to sort by, with ':desc' for greatest first. Can be repeated.",
            valueName: "field"
        )
    )
    var sort: [String] = []

    @Option(help: "The most records.")
    var limit: Int?

    @Flag(help: "Allow to read all records where no index serves the condition.")
    var scan = false

    @Flag(help: "Print the number of records only.")
    var count = false

    @OptionGroup var options: StoreOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("'--limit' must be at least 1.") }
    }

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        var query = StoreQuery(limit: limit, allowsScan: scan)
        if let filter = try QueryExpression.filter(expression, entity: entity, among: workspace.entities) {
            query.require(filter)
        }
        for term in sort {
            let isDescending = term.hasSuffix(":desc")
            let name = isDescending ? String(term.dropLast(5)) : term
            // An enumeration comes in the order in which the schema lists its values, as in an app.
            let ranks = try entity.queried(field: name).cases?.map { FieldValue.text($0) }
            query.sort.append(.init(field: name, isDescending: isDescending, ranks: ranks))
        }
        let asked = query
        if count {
            let groups = try workspace.reading { store in
                try store.read { try $0.groups(entity: entity, query: asked, by: nil, computing: []) }
            }
            return try Printer.print { try $0.line(text: String(groups.first?.count ?? 0)) }
        }
        let records = try workspace.reading { store in
            try store.read { try $0.query(entity: entity, query: asked) }
        }
        try Printer.print { printer in
            for record in records { try printer.line(bytes: entity.json(record: record.version.record)) }
        }
    }
}
