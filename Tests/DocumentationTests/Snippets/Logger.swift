import SyncCore

/// What swift-log's logger looks like, so that what the page shows for it is compiled without that package.
struct Logger: Sendable {
    enum Level: String { case trace, debug, info, notice, warning, error, critical }

    static let lines = Guarded<[String]>([])
    let label: String

    func log(level: Level, message: String) {
        Self.lines.use { $0.append("\(label) \(level): \(message)") }
    }
}
