import ArgumentParser
import EntitySync
import Foundation
import SyncStore

/// `restore`: restores a value that an automatic decision replaced, or a whole store from a backup.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring the loser of an automatic decision back, or a whole store from a backup.",
        discussion: """
            With the id of a journal entry, its lost value becomes an edit of its own, reaches the other devices with \
            the next sync, and its key is printed. If fields merge separately, only those return that the decision \
            took away. What the value replaces goes to the journal in turn.

            With the file of 'synccheck backup', the store is replaced by it. It takes a new identity and reads \
            everything anew at its next sync, so that nothing that is at the remote is lost. The former store stays \
            beside it as 'FILE.before-restore', with a number after that if there is one already, and its journal is \
            added to that of the restored store.
            """
    )

    @Argument(help: "The id of a journal entry, or a backup's file.", completion: .file())
    var source: String

    @Flag(help: "Bring deleted records back, too, that the value belongs to.")
    var withParents = false

    @Flag(help: "Let a backup replace a store with edits that no remote has, or a damaged one.")
    var replaceUnsent = false

    @OptionGroup var options: StoreOptions

    func run() throws {
        let workspace = try options.workspace()
        guard !source.isEmpty else { throw SyncError.emptyPath() }
        if try PathKind(source) != .nothing { return try restoreBackup(workspace: workspace) }
        if source.contains("/") || source.contains(".") { throw SyncError.noBackup(path: source) }
        let restored = try workspace.existingWriter().restore(journal: source, withParents: withParents)
        let entity = try workspace.entity(name: restored.entity)
        try Printer.print { try $0.key(restored.key, of: entity, asJSON: options.json) }
    }

    private func restoreBackup(workspace: Workspace) throws {
        try workspace.makePlace()
        let restore = StoreRestore(
            backup: source,
            path: workspace.storePath,
            entities: workspace.entities,
            random: workspace.random
        )
        try restore.run(
            replacesUnsentEdits: replaceUnsent,
            random: workspace.random,
            now: workspace.clock.now(),
            progress: { _ in }
        )
        try Printer.print { try $0.path(workspace.storePath, as: "store", asJSON: options.json) }
    }
}
