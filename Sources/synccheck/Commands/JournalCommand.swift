import ArgumentParser
import EntitySync
import SyncCore
import SyncStore

/// `journal`: lists the values that automatic decisions replaced.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "List automatic decisions with what they kept and what lost.",
        discussion: "Bring a loser back with 'synccheck restore ID'."
    )

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        try workspace.reading { store in
            var damage: SyncError?
            let journal = try store.read { try $0.journal { damage = $0 } }
            try print(journal, in: workspace)
            if let damage { throw damage }
            try store.rememberDecisionsShown()
        }
    }

    private func print(_ journal: [JournalEntry], in workspace: Workspace) throws {
        let entries = journal.compactMap { entry in
            workspace.entities.first { $0.name == entry.lost.entity }.map {
                JournalView(entity: $0, entry: entry)
            }
        }
        try Printer.print { printer in
            if options.json { return try printer.json { $0.array(elements: entries) { $1.write(to: &$0) } } }
            guard !entries.isEmpty else { return try printer.line(text: "The journal is empty.") }
            for entry in entries { try printer.text(text: entry.text) }
        }
    }
}

/// A journal entry with its entity.
struct JournalView {
    var entity: EntityDescriptor
    var entry: JournalEntry

    /// Writes the object for scripts: `{"id","entity","key","at","rule","kept","lost"}`, with null for a
    /// tombstone.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(name: "id", text: entry.id)
        writer.member(name: "entity", text: entity.name)
        writer.member(name: "key", text: entry.lost.key.text)
        writer.member(name: "at", text: entry.at.description)
        writer.member(name: "rule", text: entry.rule)
        writer.member(name: "kept", json: entity.json(version: entry.kept))
        writer.member(name: "lost", json: entity.json(version: entry.lost))
        writer.endObject()
    }

    /// A heading, and the fields in which the two versions differ.
    var text: String {
        "\(entry.id)  \(entry.at)  \(entity.name) \(entry.lost.key.text.visible)  \(entry.rule)\n"
            + VersionComparison(entity: entity, versions: [("kept", entry.kept), ("lost", entry.lost)]).text
    }
}
