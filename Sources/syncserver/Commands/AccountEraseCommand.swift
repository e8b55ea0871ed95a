import ArgumentParser
import SyncCore
import SyncServer

#if Server
    import SyncPostgresServer
#endif

/// `syncserver account erase`.
struct AccountEraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase an account with all its records, for ever; a server over files must be stopped.",
        discussion: """
            With a database, servers may run. The account's devices are refused afterwards and keep what they have. \
            Backups still hold the account, and a restore into this data folder leaves it out. If it is interrupted, \
            run it again.
            """
    )

    @Argument(help: "The account's name; for one that was removed, its id.")
    var name: String

    @Option(help: ArgumentHelp("The account's name once more.", valueName: "name"))
    var confirm: String?

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
        guard confirm == name else { throw SyncError.eraseNotConfirmed() }
        try database.check(data: data.data)
        _ = try AccountCommand.book(data: data, mustExist: true)
        let locks = try FolderLock.exclusive(folder: data.data)
        defer { for lock in locks { lock.release() } }
        let records: PostgresAccounts? = try database.accounts()
        try records?.checkErasure()
        try database.mark(data: data.data)
        try AccountErasure(data: data.data, now: SystemClock().now()).run(name: name) { id in
            try records?.erase(account: id)
        }
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
            address. If it is interrupted, run it again. With a database, the other server must use the same one: then \
            records stay where they are.
            """
    )

    @Argument(help: "The account's name.")
    var name: String

    @Option(help: ArgumentHelp("The other data folder.", valueName: "dir"))
    var to: String

    @Flag(help: "The other server uses the same database.")
    var sameDatabase = false

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
        for folder in [data.data, to] { try database.require(for: folder) }
        if try database.isGiven != sameDatabase {
            throw sameDatabase ? SyncError.noDatabaseToShare() : SyncError.moveBetweenDatabases()
        }
        for folder in [data.data, to] { try database.check(data: folder) }
        _ = try AccountCommand.book(data: data, mustExist: true)
        _ = try AccountCommand.book(data: target, mustExist: false)
        let move = AccountMove(data: data.data, target: to, now: SystemClock().now())
        try move.check()
        let locks = try FolderLock.exclusive(folder: data.data) + FolderLock.exclusive(folder: to)
        defer { for lock in locks { lock.release() } }
        for folder in [data.data, to] { try database.mark(data: folder) }
        Streams.print(try move.run(name: name) ? "moved\n" : "It was moved already\n")
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
            One 'ENTITY.ndjson' per entity has a line for each record; 'account.json' has the account and its devices. \
            With '--schemas', lines are those of 'synccheck export'. Without, each is a record as it is exchanged, \
            with the time and the device of its edits; deleted ones are included.
            """
    )

    @Argument(help: "The account's name; for one that was removed, its id.")
    var name: String

    @Argument(help: "The folder to make.", completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("Write plain records, as these schemas have them.", valueName: "dir"))
    var schemas: String?

    @Flag(help: "With '--schemas': write deleted records, too.")
    var includeDeleted = false

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        if includeDeleted, schemas == nil {
            throw ValidationError(
                "'--include-deleted' is for '--schemas'; without it, deleted records are there."
            )
        }
    }

    func run() throws {
        try database.check(data: data.data)
        let entries = try AccountCommand.book(data: data, mustExist: true).list()
        guard
            let entry = entries.first(where: { $0.account.name == name && $0.removed == nil })
                ?? entries.first(where: { $0.account.id == name })
        else { throw SyncError.noAccount() }
        var form = AccountExport.Form.exchange
        if let schemas {
            form = .plain(entities: try SchemaFolder.load(schemas), includesDeleted: includeDeleted)
        }
        let export = AccountExport(folder: folder, form: form, now: SystemClock().now())
        let records: any AccountRecords = try database.accounts() ?? AccountLog(data: data.data)
        let stop = StopRequest()
        defer { stop.end() }
        let count = try export.run(entry: entry, from: records) { try stop.check() }
        Streams.print("\(count == 1 ? "1 record was" : "\(count) records were") written\n")
    }
}
