import EntitySync
import EntitySyncFolder
import Foundation
import SyncEntities
import Testing

@Suite struct LogSnippets {
    @Test func aLogTakesWhatHappens() async throws {
        let desk = try Desk()
        var configuration = SpaceConfiguration(
            folder: desk.path + "/phone",
            entities: [Bookmark.self],
            remote: FolderBackend(root: desk.sharedFolder)
        )
        // snippet: troubleshooting-swift-log
        let logger = Logger(label: "sync")
        configuration.log = { event in
            logger.log(
                level: Logger.Level(rawValue: event.level.rawValue) ?? .info,
                message: "\(event.message)"
            )
        }
        // snippet end
        try await SyncSpace.open(configuration).sync()
        let lines = Logger.lines.use { $0 }
        #expect(lines.first == "sync debug: sync started")
        #expect(lines.last?.hasPrefix("sync info: sync synced: pushed 0") == true)
    }
}
