import ArgumentParser
import EntitySync

/// `rejected`: records that could not be taken in or sent.
struct RejectedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejected",
        abstract: "List refused records and why."
    )

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        let views = try workspace.openForReading().read { snapshot in
            try snapshot.rejections().map { try RejectionView($0, workspace.entities, snapshot) }
        }
        try Printer.print { printer in
            if options.json { return try printer.json { $0.array(views) { $1.write(to: &$0) } } }
            guard !views.isEmpty else { return try printer.line("Nothing was rejected.") }
            for view in views { try printer.line(view.text) }
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

    /// The object that scripts rely on: `{"entity","key","reason","attempts","local"}`.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("entity", rejection.entity)
        writer.member("key", rejection.key.text)
        writer.member("reason", rejection.reason)
        writer.member("attempts", rejection.attempts)
        writer.member("local", json: local)
        writer.endObject()
    }

    /// One line for people.
    var text: String {
        let side = rejection.raw == nil ? "refused by the remote" : "not taken in"
        return "\(rejection.entity.visible) \(rejection.key.text.visible): \(side) since \(rejection.since), "
            + "\(rejection.attempts) attempts: \(rejection.reason.oneLine.visible)"
    }
}
