package import SyncCore
import SyncSQLite

/// Copies a server's accounts and their logs into a new folder, while the server runs.
///
/// Each database is copied in one state. The folder gets its name when everything is in it, so a backup that was
/// interrupted does not exist.
package struct ServerBackup {
    private let data: String
    private let folder: String
    private let madeAt: Timestamp

    /// Describes a backup.
    ///
    /// - Parameters:
    ///   - data: The server's data folder.
    ///   - folder: The folder to make.
    ///   - madeAt: The present time.
    package init(data: String, folder: String, madeAt: Timestamp) {
        (self.data, self.folder, self.madeAt) = (data, NewFolder.literal(path: folder), madeAt)
    }

    /// Makes the backup and returns the number of its logs. Throws `SyncError`.
    package func run() throws -> Int {
        try AccountFile.require(directory: data)
        guard !ServerRestore.isUnfinished(data: data) else { throw SyncError.unfinishedRestore() }
        let new = NewFolder(path: folder)
        return try new.make { partial in
            try DurableFiles.makeFolder(path: partial + "/logs")
            // The registry comes first: an account that is added later is not in the backup.
            let registry = "\(partial)/\(ServerAccounts.fileName)"
            var ids: [String] = []
            try DatabaseCopy(
                source: "\(data)/\(ServerAccounts.fileName)",
                target: registry,
                applicationID: AccountFile.applicationID
            )
            .run { ids = try $0.texts(sql: "SELECT id FROM account ORDER BY id") }
            var sizes: [String: Int] = [:]
            for id in ids where LogFolder.isFileName(id) {
                let source = "\(data)/logs/\(id).sqlite"
                guard try DurableFiles.isPresent(path: source), DurableFiles.size(path: source) != 0 else {
                    continue
                }
                let target = "\(partial)/logs/\(id).sqlite"
                try DatabaseCopy(source: source, target: target, applicationID: LogFormat.applicationID).run()
                sizes[id] = DurableFiles.size(path: target) ?? 0
            }
            try DurableFiles.flush(path: partial + "/logs")
            if DatabaseMark(data: data).isSet { try DatabaseMark(data: partial).set() }
            var manifest = ServerBackupManifest(
                madeAt: madeAt.description,
                registryBytes: DurableFiles.size(path: registry) ?? 0,
                logBytes: sizes
            )
            manifest.sha256 = try manifest.digests(in: partial)
            try manifest.write(into: partial)
            return sizes.count
        }
    }
}
