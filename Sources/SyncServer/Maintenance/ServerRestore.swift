import Foundation
package import SyncCore
import SyncSQLite

/// Puts a backup in the place of a server's data. The server must not run.
///
/// Every log gets a new epoch, so each device notices the restore, and sends what the backup lacks when it rejoins.
/// Interrupted at any point, there are the former data, the restored ones, or a folder that is refused until the
/// restore is run again.
package struct ServerRestore {
    private let backup: String
    private let data: String
    private let random: any RandomSource

    /// Describes a restore.
    ///
    /// - Parameters:
    ///   - backup: The folder that a backup has made.
    ///   - data: The server's data folder, which exists.
    ///   - random: Generates epochs.
    package init(backup: String, data: String, random: any RandomSource) {
        (self.backup, self.data, self.random) = (backup, data, random)
    }

    /// Whether a restore was interrupted while it moved files.
    static func isUnfinished(data: String) -> Bool { DurableFiles.exists(path: data + "/restored") }

    /// The folder of data that the latest restore has put aside, in the data folder.
    private static let former = "/before-restore"

    /// The folders of data that restores have put aside.
    static func formerFolders(data: String) -> [String] {
        DurableFiles.names(in: data).map { "/" + $0 }.filter { $0 == former || $0.hasPrefix(former + "-") }
            .map { data + $0 }
    }

    /// Gives the data that an earlier restore has put aside a number. They may be the only copy: a restore that was
    /// interrupted at its very end, and is run again, would put its own data aside.
    private static func numberFormer(data: String) throws {
        guard let names = DurableFiles.contents(of: data + former), !names.isEmpty else { return }
        var number = 1
        while DurableFiles.exists(path: "\(data)\(former)-\(number)") { number += 1 }
        try DurableFiles.move(path: data + former, to: "\(data)\(former)-\(number)")
    }

    /// Throws `SyncError` if a folder is no backup, or if this user may not read it.
    package static func require(backup: String) throws {
        let manifest = "\(backup)/\(ServerBackupManifest.fileName)"
        if FilePermissions.isDenied(path: manifest) {
            throw SyncError.notPermitted(what: "Reading the backup")
        }
        guard DurableFiles.exists(path: manifest) else { throw SyncError.noServerBackup() }
    }

    /// Restores the backup. Throws `SyncError`.
    ///
    /// - Parameter replaces: Whether present data may be put aside, into the folder `before-restore`. Those of an
    ///   earlier restore get a number.
    /// - Returns: The number of restored logs.
    package func run(replaces: Bool) throws -> Int {
        let manifest = try ServerBackupManifest.read(backup: backup)
        if Self.isUnfinished(data: data) {
            let begun = try? ServerBackupManifest.read(backup: data + "/restored", isManifestOnly: true)
            try finish()
            if begun == manifest { return manifest.logBytes.count }
        }
        guard replaces || !AccountFile.exists(directory: data) else { throw SyncError.accountsInPlace() }
        try manifest.checkDigests(backup: backup)
        let fresh = data + "/restoring"
        try DurableFiles.remove(path: fresh)
        try DurableFiles.makeFolder(path: fresh)
        try DurableFiles.makeFolder(path: fresh + "/logs")
        let (departed, names) = departedNow()
        try restoreRegistry(into: fresh, without: departed, names: names)
        var count = 0
        for id in manifest.logBytes.keys.sorted() where !departed.contains(id) {
            try restoreLog(id: id, into: fresh)
            count += 1
        }
        try manifest.write(into: fresh)
        for folder in [fresh + "/logs", fresh] { try DurableFiles.flush(path: folder) }
        try Self.numberFormer(data: data)
        try DurableFiles.makeFolder(path: data + Self.former)
        if DatabaseMark(data: backup).isSet { try DatabaseMark(data: data).set() }
        try DurableFiles.move(path: fresh, to: data + "/restored")
        try finish()
        return count
    }

    /// The ids of accounts that have left this folder, and the digests of their names. A registry that cannot be read
    /// has none.
    private func departedNow() -> (ids: [String], names: [[UInt8]]) {
        let path = "\(data)/\(ServerAccounts.fileName)"
        guard let connection = try? Connection.open(path: path, flags: .readOnly) else { return ([], []) }
        defer { connection.close() }
        let names = (try? DepartedAccounts.nameDigests(in: connection)) ?? []
        return ((try? DepartedAccounts.ids(in: connection)) ?? [], names)
    }

    private func restoreRegistry(
        into fresh: String,
        without departed: [String],
        names: [[UInt8]]
    ) throws {
        try DatabaseCopy(
            source: "\(backup)/\(ServerAccounts.fileName)",
            target: "\(fresh)/\(ServerAccounts.fileName)",
            applicationID: AccountFile.applicationID
        )
        .run { connection in
            guard !departed.isEmpty else { return }
            let list = try DepartedAccounts(connection: connection)
            for digest in names { try list.add(nameDigest: digest) }
            for id in departed {
                let note = try connection.cached(
                    sql: "INSERT OR IGNORE INTO departed (id, at) VALUES (?1, 0)"
                )
                try note.bind(id, at: 1)
                try note.run()
                try list.finish(id: id)
            }
        }
    }

    private func restoreLog(id: String, into fresh: String) throws {
        try DatabaseCopy(
            source: "\(backup)/logs/\(id).sqlite",
            target: "\(fresh)/logs/\(id).sqlite",
            applicationID: LogFormat.applicationID
        )
        .run { connection in
            guard try connection.texts(sql: "SELECT id FROM account") == [id] else {
                throw SyncError.noServerBackup()
            }
            try connection.transaction(kind: .immediate) {
                let logs = try connection.texts(sql: "SELECT name FROM log ORDER BY id")
                for name in logs {
                    let update = try connection.cached(sql: "UPDATE log SET epoch = ?2 WHERE name = ?1")
                    try update.bind(name, at: 1)
                    try update.bind(LogSession.epoch(random: random), at: 2)
                    try update.run()
                }
                let table = "SELECT count(*) FROM sqlite_schema WHERE name = 'fingerprint'"
                if try connection.integer(sql: table) > 0 {
                    try connection.execute("DELETE FROM fingerprint")
                }
            }
        }
    }

    /// Moves the restored files into their places, and the former ones aside. Can be run again after a crash.
    private func finish() throws {
        let (restored, former) = (data + "/restored", data + Self.former)
        let registry = ServerAccounts.fileName
        if DurableFiles.exists(path: "\(restored)/\(registry)") {
            // The former registry's log goes first. The restored file would take it for its own.
            for name in ["-wal", "-shm", "-journal"].map({ registry + $0 }) {
                try putAside(name: name, into: former)
            }
        }
        for name in [registry, "logs"] where DurableFiles.exists(path: "\(restored)/\(name)") {
            try putAside(name: name, into: former)
            try DurableFiles.move(path: "\(restored)/\(name)", to: "\(data)/\(name)")
        }
        try DurableFiles.remove(path: restored)
    }

    private func putAside(name: String, into former: String) throws {
        guard DurableFiles.exists(path: "\(data)/\(name)") else { return }
        try DurableFiles.move(path: "\(data)/\(name)", to: "\(former)/\(name)")
    }
}
