import ArgumentParser
import SyncCore
import SyncServer

/// `syncserver account erase`.
struct AccountEraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase an account with all its records, for ever; the server must be stopped.",
        discussion: """
            Its devices are refused afterwards and keep what they have. Backups still hold the account, and a restore \
            into this data folder leaves it out. If it is interrupted, run it again.
            """
    )

    @Argument(help: "The account's name; for one that was removed, its id.")
    var name: String

    @Option(help: ArgumentHelp("The account's name once more.", valueName: "name"))
    var confirm: String?

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
        guard try !database.isGiven else {
            throw SyncError.recordsInDatabase(
                instead: "Run 'select entitysync.erase(SPACE)' there, and 'account remove' here."
            )
        }
        guard confirm == name else { throw SyncError.eraseNotConfirmed() }
        _ = try AccountCommand.book(data: data, mustExist: true)
        let locks = try FolderLock.exclusive(folder: data.data)
        defer { for lock in locks { lock.release() } }
        try AccountErasure(data: data.data, now: SystemClock().now()).run(name: name)
        Streams.print("erased\n")
    }
}

/// `syncserver account move`.
struct AccountMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move an account to the data folder of another server; both must be stopped.",
        discussion: """
            Records and token go with it, and devices go on where they were as soon as they use the other server's \
            address. If it is interrupted, run it again.
            """
    )

    @Argument(help: "The account's name.")
    var name: String

    @Option(help: ArgumentHelp("The other data folder.", valueName: "dir"))
    var to: String

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
        guard try !database.isGiven else {
            throw SyncError.recordsInDatabase(instead: "Dump the database with 'pg_dump' and load it there.")
        }
        _ = try AccountCommand.book(data: data, mustExist: true)
        _ = try AccountCommand.book(data: target, mustExist: false)
        let move = AccountMove(data: data.data, target: to, now: SystemClock().now())
        try move.check()
        let locks = try FolderLock.exclusive(folder: data.data) + FolderLock.exclusive(folder: to)
        defer { for lock in locks { lock.release() } }
        try move.run(name: name)
        Streams.print("moved\n")
    }

    private var target: DataOptions {
        var options = DataOptions()
        options.data = to
        return options
    }
}

/// `syncserver account export`.
struct AccountExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all records of an account into a new folder, while the server runs.",
        discussion: """
            One 'ENTITY.ndjson' per entity has a line for each record as it is exchanged, deleted ones included; \
            'account.json' has the account and its devices.
            """
    )

    @Argument(help: "The account's name; for one that was removed, its id.")
    var name: String

    @Argument(help: "The folder to make.", completion: .directory)
    var folder: String

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
        guard try !database.isGiven else {
            throw SyncError.recordsInDatabase(
                instead: "Export the account's rows with 'psql' and its 'copy'."
            )
        }
        let entries = try AccountCommand.book(data: data, mustExist: true).list()
        guard
            let entry = entries.first(where: { $0.account.name == name && $0.removed == nil })
                ?? entries.first(where: { $0.account.id == name })
        else { throw SyncError.noAccount() }
        let export = AccountExport(data: data.data, folder: folder, now: SystemClock().now())
        let count = try export.run(entry: entry)
        Streams.print("\(count == 1 ? "1 record was" : "\(count) records were") written\n")
    }
}
