import EntitySync
import Foundation

#if canImport(OSLog)
    import OSLog

    // snippet: troubleshooting-oslog
    func logToSystem(_ configuration: inout SpaceConfiguration) {
        let logger = Logger(subsystem: "org.example.notes", category: "sync")
        configuration.log = { event in
            let type: OSLogType =
                switch event.level {
                case .debug: .debug
                case .info: .info
                case .warning: .default
                case .error: .error
                }
            logger.log(level: type, "\(event.message, privacy: .public)")
        }
    }
// snippet end
#endif
