import Foundation
import SyncCore

/// What a backup of a server holds. It is written last, so a folder without it is no backup.
struct ServerBackupManifest: Codable, Equatable {
    /// The file's name in the backup.
    static let fileName = "backup.json"
    /// The version of the layout.
    static let format = 1

    /// The version of the backup's layout.
    var format = Self.format
    /// When the backup was made.
    var madeAt: String
    /// The size of the registry of accounts.
    var registryBytes: Int
    /// The sizes of the logs by the ids of their accounts.
    var logBytes: [String: Int]

    /// The SHA-256 digests of the files in hexadecimal digits, by their paths in the backup; nil in a backup of an older
    /// version.
    var sha256: [String: String]?

    /// The paths of the files beside the manifest.
    private var files: [String] {
        [ServerAccounts.fileName] + logBytes.keys.sorted().map { "logs/\($0).sqlite" }
    }

    /// The digests of the files in a folder. Throws `SyncError` if one cannot be read.
    func digests(in folder: String) throws -> [String: String] {
        var digests: [String: String] = [:]
        for file in files { digests[file] = try DurableFiles.digest(path: "\(folder)/\(file)") }
        return digests
    }

    /// Throws `SyncError` if a file of the backup has other bytes than when it was written. A backup without digests is
    /// taken.
    func checkDigests(backup: String) throws {
        guard let sha256 else { return }
        guard try digests(in: backup) == sha256 else { throw SyncError.changedBackup() }
    }

    /// Reads the manifest of a backup and compares sizes. Throws `SyncError` for anything but a complete backup.
    ///
    /// - Parameters:
    ///   - backup: The folder.
    ///   - isManifestOnly: Whether the files beside the manifest may be gone.
    static func read(backup: String, isManifestOnly: Bool = false) throws -> ServerBackupManifest {
        guard let data = FileManager.default.contents(atPath: "\(backup)/\(fileName)"),
            let manifest = try? JSONDecoder().decode(Self.self, from: data), manifest.format == format,
            isManifestOnly
                || DurableFiles.size(path: "\(backup)/\(ServerAccounts.fileName)") == manifest.registryBytes,
            isManifestOnly
                || manifest.logBytes.allSatisfy({
                    LogFolder.isFileName($0.key)
                        && DurableFiles.size(path: "\(backup)/logs/\($0.key).sqlite") == $0.value
                })
        else { throw SyncError.noServerBackup() }
        return manifest
    }

    /// Writes the manifest into a folder.
    func write(into folder: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let data = try? encoder.encode(self) else {
            throw SyncError.maintenanceFailed(detail: "the manifest could not be written")
        }
        try DurableFiles.write(Array(data), to: "\(folder)/\(Self.fileName)")
    }
}
