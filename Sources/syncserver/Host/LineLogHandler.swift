#if Server
    import Logging
    import SyncCore

    /// Puts what the HTTP library complains about into the same lines of JSON as the requests.
    struct LineLogHandler: LogHandler {
        let write: @Sendable (String) -> Void
        let clock: any SyncClock
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            write(LogLine.text("\(event.level)", "host", message: "\(event.message)", at: clock.now()))
        }
    }
#endif
