import ArgumentParser
import Foundation
import SyncCore
import SyncServer

/// `syncserver backup`.
struct ServerBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy accounts and records into a new folder, while the server runs.",
        discussion: """
            Each account is copied as it is at one moment. An interrupted backup leaves no folder of that name. The \
            backup is not encrypted. With '--database' records are in PostgreSQL: back that up with 'pg_dump', and the \
            accounts with this command; it only wants to be told that the records are there.
            """
    )

    @Argument(help: "The folder to make.", completion: .directory)
    var folder: String

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
        try database.require(for: data.data)
        // A folder that was mistyped is not made.
        _ = try AccountCommand.book(data: data, mustExist: true)
        let lock = try FolderLock(data.data, file: FolderLock.maintenance)
        defer { lock.release() }
        let backup = ServerBackup(data: data.data, folder: folder, madeAt: SystemClock().now())
        let count = try backup.run()
        Streams.print("\(count == 1 ? "1 account was" : "\(count) accounts were") copied with records\n")
    }
}

/// `syncserver restore`.
struct ServerRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup in the place of the data folder; the server must be stopped.",
        discussion: """
            Devices notice it, and when they rejoin, they compare everything and send what the backup lacks. \
            Present data are put into the folder 'before-restore'; those of an earlier restore get a number. Accounts \
            that were erased or moved since the backup stay away. Tokens are those of the backup. If it is \
            interrupted, run it again.
            """
    )

    @Argument(help: "The folder that 'syncserver backup' has made.", completion: .directory)
    var folder: String

    @Flag(help: "Put present data aside.")
    var replace = false

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    func run() throws {
        try database.require(for: data.data)
        try database.check(data: folder)
        try ServerRestore.require(backup: folder)
        do {
            try FileManager.default.createDirectory(
                atPath: data.data,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch { throw SyncError.notPermitted(what: "Making the data folder") }
        let locks = try FolderLock.exclusive(folder: data.data)
        defer { for lock in locks { lock.release() } }
        let restore = ServerRestore(backup: folder, data: data.data, random: SystemRandom())
        let count = try restore.run(replaces: replace)
        Streams.print("\(count == 1 ? "1 account was" : "\(count) accounts were") restored with records\n")
    }
}

extension FolderLock {
    /// The file of the lock that backups take, too.
    static let maintenance = "maintenance.lock"

    /// Locks a folder against servers and backups.
    static func exclusive(folder: String) throws -> [FolderLock] {
        let server = try FolderLock(folder)
        do { return [server, try FolderLock(folder, file: maintenance)] } catch {
            server.release()
            throw error
        }
    }
}
