import ArgumentParser
import EntitySync
import SyncStore

/// `backup`: copies the store into a file.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into one file, while it is in use; prints the file.",
        discussion: """
            The file holds records, edits that wait, conflicts and the journal, and is not encrypted. An earlier \
            backup of that name is replaced once the new one is whole; any other file is refused. \
            'synccheck restore FILE' brings it back. Ctrl-C leaves nothing behind.
            """
    )

    @Argument(help: "The backup's file.", completion: .file())
    var file: String

    @OptionGroup var options: StoreOptions

    func run() throws {
        guard !file.isEmpty else { throw SyncError.emptyPath() }
        let workspace = try options.workspace()
        try workspace.requireStore()
        try FolderOfFile.check(file)
        let stop = StopSignal()
        stop.listen()
        defer { stop.cancel() }
        do {
            let now = workspace.clock.now()
            try SQLiteStore.backup(path: workspace.storePath, to: file, at: now) { _ in try stop.check() }
        } catch is CancellationError {
            stop.endProcess()
        }
        try Printer.print { try $0.path(file, as: "file", asJSON: options.json) }
    }
}
