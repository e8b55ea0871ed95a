import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import Testing

/// What swift-log's logger looks like, so that what the page shows for it is compiled without that package.
private struct Logger: Sendable {
    enum Level: String { case trace, debug, info, notice, warning, error, critical }

    static let lines = Guarded<[String]>([])
    let label: String

    func log(level: Level, message: String) {
        Self.lines.use { $0.append("\(label) \(level): \(message)") }
    }
}

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
