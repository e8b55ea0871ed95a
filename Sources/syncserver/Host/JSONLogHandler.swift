#if Server
    import Logging
    import SyncCore
    import SyncServer

    /// Formats log messages as lines of JSON: `{"time":…,"level":…,"event":…,…}`. The message is the event's
    /// name.
    struct JSONLogHandler: LogHandler {
        /// The metadata key of a request's entry.
        static let entry = "entry"
        /// The metadata key of a sentence.
        static let message = "message"

        let clock: any SyncClock
        let write: @Sendable (String) -> Void
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        /// A logger that writes its lines to `write`. The level is named as in swift-log.
        static func logger(
            level: String,
            clock: any SyncClock,
            write: @escaping @Sendable (String) -> Void
        ) -> Logger {
            let level = Logger.Level(rawValue: level) ?? .info
            return Logger(label: "syncserver") { _ in
                JSONLogHandler(clock: clock, write: write, logLevel: level)
            }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if case .stringConvertible(let value) = event.metadata?[Self.entry],
                let entry = value as? RequestLog
            {
                write(entry.line(at: clock.now()))
                return
            }
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            let members = all.map { ($0.key, "\($0.value)") }
            write(
                Self.line(
                    level: "\(event.level)",
                    event: "\(event.message)",
                    members: members,
                    at: clock.now()
                )
            )
        }

        /// Formats a line without line feed.
        static func line(
            level: String,
            event: String,
            members: [(name: String, value: String)],
            at time: Timestamp
        ) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            for (name, value) in [("time", time.description), ("level", level), ("event", event)] + members {
                writer.name(name)
                writer.string(value)
            }
            writer.endObject()
            return writer.text
        }
    }
#endif
