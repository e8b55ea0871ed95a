import ArgumentParser
import EntitySync
import SyncRuntime
import SyncStore

/// `rejected`: lists and handles records that could not be read or pushed.
struct RejectedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejected",
        abstract: "List refused records and why; retry, export or discard them.",
        discussion: """
            Editing a refused record with 'put' is another try, too. What could not be taken in is tried again by \
            every sync. A record that you write under its key meets it on the devices that can read it; here, it stays \
            in the list until its author's device writes again, or until you discard it.
            """,
        subcommands: [List.self, Retry.self, Export.self, Discard.self],
        defaultSubcommand: List.self
    )
}

extension RejectedCommand {
    /// `rejected list`, or `rejected` alone.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List refused records and why.")

        @OptionGroup var options: StoreOptions

        func run() throws {
            let workspace = try options.workspace()
            let records = try workspace.rejectedRecords()
            try Printer.print { printer in
                if options.json {
                    return try printer.json { $0.array(elements: records) { $1.write(to: &$0) } }
                }
                guard !records.isEmpty else { return try printer.line(text: "Nothing was rejected.") }
                for record in records { try printer.line(text: record.text) }
            }
        }
    }

    /// `rejected retry [ENTITY KEY]`.
    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send refused records again with the next sync; all of them, or one."
        )

        @Argument(help: "The entity's name.", completion: Completions.entity)
        var entity: String?

        @Argument(help: "The record's key.", completion: Completions.key)
        var key: String?

        @OptionGroup var options: StoreOptions

        func validate() throws {
            if entity != nil, key == nil { throw ValidationError("Name a key, too, or no entity.") }
        }

        func run() throws {
            let workspace = try options.workspace()
            let writer = try workspace.existingWriter()
            if let name = entity, let key {
                let entity = try workspace.entity(name: name)
                return try writer.retry(entity: entity, key: try KeyArgument.key(text: key, of: entity))
            }
            try writer.write { session in
                for entity in workspace.entities {
                    for key in try session.transaction.keys(
                        entity: entity,
                        in: .rejected,
                        after: nil,
                        limit: .max
                    ) {
                        try session.retry(entity: entity, key: key)
                    }
                }
            }
        }
    }

    /// `rejected export`.
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print refused records as NDJSON, with the reason and what came."
        )

        @OptionGroup var options: StoreOptions

        func run() throws {
            let records = try options.workspace().rejectedRecords()
            try Printer.print { printer in
                for record in records { try printer.json { record.write(to: &$0, withRaw: true) } }
            }
        }
    }

    /// `rejected discard ENTITY KEY`.
    struct Discard: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Give up a refused record, and show what the remote holds. The value goes to the journal.",
            discussion: """
                What could not be taken in is forgotten on this device, and stays at the remote. It comes again once \
                somebody changes it, or with 'sync --rejoin'.
                """
        )

        @Argument(help: "The entity's name.", completion: Completions.entity)
        var entity: String

        @Argument(help: "The record's key.", completion: Completions.key)
        var key: String

        @OptionGroup var options: StoreOptions

        func run() throws {
            let workspace = try options.workspace()
            let entity = try workspace.entity(name: entity)
            try workspace.existingWriter().discard(
                entity: entity,
                key: try KeyArgument.key(text: key, of: entity)
            )
        }
    }
}

extension Workspace {
    /// The rejected records of the store.
    fileprivate func rejectedRecords() throws -> [RejectedRecord] {
        try reading { store in try store.read { try $0.rejectedRecords(entities: entities) } }
    }
}

extension RejectedRecord {
    /// The record as one line of text.
    fileprivate var text: String {
        if rejection.isSetAside {
            return
                "\(rejection.entity.visible) \(rejection.key.text.visible): set aside, edited \(rejection.since): "
                + rejection.reason.oneLine.visible
        }
        let side = rejection.raw == nil ? "refused by the remote" : "not taken in"
        return "\(rejection.entity.visible) \(rejection.key.text.visible): \(side) since \(rejection.since), "
            + "\(rejection.attempts.counting(noun: "attempt")): \(rejection.reason.oneLine.visible)"
    }
}
