import ArgumentParser
import EntitySync

/// `rejected`: records that could not be taken in or sent, and what to do with them.
struct RejectedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejected",
        abstract: "List refused records and why; retry, export or discard them.",
        discussion: """
            Editing a refused record with 'put' is another try, too. What could not be taken in is tried again by \
            every sync.
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
            let views = try RejectionView.all(workspace)
            try Printer.print { printer in
                if options.json { return try printer.json { $0.array(views) { $1.write(to: &$0) } } }
                guard !views.isEmpty else { return try printer.line("Nothing was rejected.") }
                for view in views { try printer.line(view.text) }
            }
        }
    }

    /// `rejected retry [ENTITY KEY]`.
    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send refused records again with the next sync; all of them, or one."
        )

        @Argument(help: "The entity's name.")
        var entity: String?

        @Argument(help: "The record's key.")
        var key: String?

        @OptionGroup var options: StoreOptions

        func validate() throws {
            if entity != nil, key == nil { throw ValidationError("Name a key, too, or no entity.") }
        }

        func run() throws {
            let workspace = try options.workspace()
            guard workspace.storeExists else { return }
            let writer = try workspace.writer()
            if let name = entity, let key {
                let entity = try workspace.entity(name)
                return try writer.retry(entity, try KeyArgument.key(key, of: entity))
            }
            try writer.write { session in
                for entity in workspace.entities {
                    for key in try session.store.keys(entity, in: .rejected, after: nil, limit: .max) {
                        try session.retry(entity, key)
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
            let views = try RejectionView.all(try options.workspace())
            try Printer.print { printer in
                for view in views { try printer.json { view.write(to: &$0, withRaw: true) } }
            }
        }
    }

    /// `rejected discard ENTITY KEY`.
    struct Discard: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Give up a refused record, and show what the remote holds. The value goes to the journal."
        )

        @Argument(help: "The entity's name.")
        var entity: String

        @Argument(help: "The record's key.")
        var key: String

        @OptionGroup var options: StoreOptions

        func run() throws {
            let workspace = try options.workspace()
            let entity = try workspace.entity(entity)
            guard workspace.storeExists else { throw SyncError.notRejected(entity.name) }
            try workspace.writer().discard(entity, try KeyArgument.key(key, of: entity))
        }
    }
}

/// A refused record with what this device holds of it.
struct RejectionView {
    private let rejection: Rejection
    private let local: [UInt8]?

    init(_ rejection: Rejection, _ entities: [EntityDescriptor], _ snapshot: any StoreSnapshot) throws {
        self.rejection = rejection
        let entity = entities.first { $0.name == rejection.entity }
        local = try entity.flatMap { entity in
            entity.json(try snapshot.load(entity, rejection.key)?.version)
        }
    }

    /// All of a store.
    static func all(_ workspace: Workspace) throws -> [RejectionView] {
        try workspace.openForReading().read { snapshot in
            try snapshot.standingRejections().map { try RejectionView($0, workspace.entities, snapshot) }
        }
    }

    /// The object that scripts rely on: `{"entity","key","reason","attempts","local","code","side","since"}`; `side` is whose
    /// version was refused, `raw` the entry that could not be taken in, where there is one and it is asked for.
    func write(to writer: inout JSONWriter, withRaw: Bool = false) {
        writer.beginObject()
        writer.member("entity", rejection.entity)
        writer.member("key", rejection.key.text)
        writer.member("reason", rejection.reason)
        writer.member("attempts", rejection.attempts)
        writer.member("local", json: local)
        writer.member("code", rejection.code)
        writer.member("side", rejection.raw == nil ? "local" : "remote")
        writer.member("since", rejection.since.description)
        if withRaw, let raw = rejection.raw { writer.member("raw", json: raw) }
        writer.endObject()
    }

    /// One line for people.
    var text: String {
        let side = rejection.raw == nil ? "refused by the remote" : "not taken in"
        return "\(rejection.entity.visible) \(rejection.key.text.visible): \(side) since \(rejection.since), "
            + "\(rejection.attempts.counting("attempt")): \(rejection.reason.oneLine.visible)"
    }
}

extension Rejection {
    /// The remote's id of the rule, which ends the reason in brackets; nil where there is none.
    fileprivate var code: String? {
        guard raw == nil, reason.last == "]", let start = reason.lastIndex(of: "[") else { return nil }
        let code = reason[reason.index(after: start)...].dropLast()
        return code.isEmpty ? nil : String(code)
    }
}
