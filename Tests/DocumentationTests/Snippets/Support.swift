import EntitySync
import EntitySyncFolder
import EntitySyncServer
import Foundation
import SyncEntities

/// A folder that goes when the test ends, with room for two devices and what they share.
final class Desk: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "docs-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var sharedFolder: String { path + "/shared" }

    /// A device that syncs with the shared folder.
    func device(name: String) throws -> SyncSpace {
        try SyncSpace.open(
            SpaceConfiguration(
                folder: path + "/" + name,
                entities: [Bookmark.self, Project.self, ReadStatus.self],
                remote: FolderBackend(root: sharedFolder),
                deviceLabel: name
            )
        )
    }
}

/// A token that never changes, for what is shown and not sent.
struct FixedToken: CredentialSource {
    func token() async throws -> String { "secret" }

    func refresh(refused: String) async throws -> String? { nil }
}
