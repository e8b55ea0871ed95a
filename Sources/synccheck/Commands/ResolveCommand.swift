import ArgumentParser
import EntitySync
import SyncCore
import SyncRuntime

/// `resolve`: applies a person's decision on a conflict.
struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Resolve a conflict, or all; prints the record's key, or how many.",
        discussion: """
            The decision is an edit on top of both sides; sync to bring it to the other devices. It answers the \
            version of the remote that 'conflicts' or 'explain' showed last, and is refused where another stands \
            there by now.
            """
    )

    @Argument(help: "The entity.", completion: Completions.entity)
    var entity: String

    @Argument(help: "The record's key.", completion: Completions.key)
    var key: String?

    @Flag(help: "Resolve all conflicts of the entity in one transaction, all or none; needs '--keep'.")
    var all = false

    @Option(help: ArgumentHelp("The side to keep: local or remote.", valueName: "side"))
    var keep: Side?

    @Option(
        help: ArgumentHelp(
            "A record to keep, whole, or where fields merge only those to be decided; '-' is standard input.",
            valueName: "json"
        )
    )
    var with: String?

    @Option(
        help: ArgumentHelp(
            "The version of the remote that the decision answers, as 'conflicts --json' names it; by default what was shown last.",
            valueName: "version"
        )
    )
    var against: String?

    @Flag(help: "Write members that the schema does not know, too.")
    var unknown = false

    @OptionGroup var options: StoreOptions

    /// A side of a conflict.
    enum Side: String, ExpressibleByArgument, CaseIterable {
        case local, remote
    }

    func validate() throws {
        if (keep == nil) == (with == nil) {
            throw ValidationError("Name either '--keep local|remote' or '--with JSON'.")
        }
        if all == (key != nil) { throw ValidationError("Name either a key or '--all'.") }
        if all, keep == nil || against != nil {
            throw ValidationError("'--all' goes with '--keep', and not with '--with' or '--against'.")
        }
        if let against, EditTimestamp(against) == nil {
            throw ValidationError("'--against' is not a version that 'conflicts --json' names.")
        }
    }

    func run() throws {
        let workspace = try options.workspace()
        let entity = try workspace.entity(name: entity)
        guard let text = key else { return try resolveAll(entity, in: workspace) }
        let key = try KeyArgument.key(text: text, of: entity)
        let record = try with.map { try JSONArgument.bytes(argument: $0) }
        let named = against.flatMap { EditTimestamp($0) }
        let store = try workspace.openExisting()
        if let record, !unknown { try store.refuseUnknown(json: record, of: entity, key: key) }
        let writer = LocalWriter(store: store, clock: workspace.clock, random: workspace.random)
        try writer.write { session in
            var shown = try ShownConflicts(session.transaction)
            // A conflict is listed under the key into which duplicates were merged.
            let listed = try session.transaction.liveRecord(entity: entity, key: key)?.version.key ?? key
            let answered =
                named ?? shown.version(entity: entity, key: key) ?? shown.version(entity: entity, key: listed)
            switch (keep, record) {
            case (.local?, _):
                try session.resolve(entity: entity, key: key, with: .local, answering: answered)
            case (.remote?, _):
                try session.resolve(entity: entity, key: key, with: .remote, answering: answered)
            case (nil, let json?):
                let current =
                    try session.transaction.liveRecord(entity: entity, key: key)
                    ?? session.transaction.load(entity: entity, key: key)
                try session.resolve(
                    entity: entity,
                    key: key,
                    with: .value(Self.whole(json: json, entity: entity, over: current?.version.record)),
                    answering: answered
                )
            case (nil, nil): break
            }
            for decided in [key, listed] { shown.remove(entity: entity, key: decided) }
            try shown.save(session.transaction)
        }
        try Printer.print { try $0.key(key, of: entity, asJSON: options.json) }
    }

    /// Keeps one side of all conflicts of the entity. Each decision answers what was shown of the conflict last.
    private func resolveAll(_ entity: EntityDescriptor, in workspace: Workspace) throws {
        let side: Resolution = keep == .local ? .local : .remote
        let writer = LocalWriter(
            store: try workspace.openExisting(),
            clock: workspace.clock,
            random: workspace.random
        )
        let count = try writer.write { session in
            var shown = try ShownConflicts(session.transaction)
            let keys = try session.transaction.keys(entity: entity, in: .conflict, after: nil, limit: .max)
            for key in keys where try session.transaction.header(entity: entity, key: key)?.state == .conflict
            {
                let answered = shown.version(entity: entity, key: key)
                try session.resolve(entity: entity, key: key, with: side, answering: answered)
                shown.remove(entity: entity, key: key)
            }
            try shown.save(session.transaction)
            return keys.count
        }
        try Printer.print { printer in
            guard options.json else {
                return try printer.line(text: "Resolved \(count.counting(noun: "\(entity.name) conflict")).")
            }
            try printer.json { writer in
                writer.beginObject()
                writer.member(name: "entity", text: entity.name)
                writer.member(name: "resolved", count: count)
                writer.endObject()
            }
        }
    }

    /// Completes the given record: key and time of creation are taken from the current one if they are missing.
    private static func whole(json: [UInt8], entity: EntityDescriptor, over current: Record?) throws
        -> Record
    {
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = false
        decoder.refusesUnknown = true
        decoder.takesWireNames = true
        var record: Record
        do {
            record = try decoder.record(json)
        } catch let error as FieldError {
            throw SyncError.doesNotFit(entity: entity.name, error: error)
        } catch let error as JSONError {
            throw SyncError.notJSON(what: "The \(entity.name) record", error: error)
        }
        guard let current else { return record }
        if entity.meetsByField {
            for index in record.values.indices where record.values[index] == nil {
                record.values[index] = current.values[index]
            }
            for member in current.unknown where !record.unknown.contains(where: { $0.path == member.path }) {
                record.unknown.append(member)
            }
            return record
        }
        for index in entity.layout.key + [entity.layout.created].compactMap({ $0 })
        where record.values[index] == nil {
            record.values[index] = current.values[index]
        }
        return record
    }
}
