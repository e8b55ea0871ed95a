#if Server
    import Foundation
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import SyncCore
    import SyncServer
    import UnixSignals

    /// Runs the server as a process: listens, reports the address, and ends at a signal.
    struct Serving {
        let host: String
        let port: Int
        let maxConnections: Int
        /// The log level, named as in swift-log.
        var logLevel = "info"
        /// Messages that are logged first.
        var notices: [Notice] = []
        /// Messages that are logged when they come.
        var later: AsyncStream<Notice>?

        /// A message of the server about itself.
        struct Notice: Sendable {
            var isWarning: Bool
            var event: String
            var message: String
        }

        /// Serves until SIGTERM or SIGINT. Throws `SyncError` if it cannot listen.
        func run(
            _ handler: RequestHandler,
            hub: ChangeHub,
            clock: any SyncClock,
            threads: NIOThreadPool? = nil,
            maintain: @escaping @Sendable () async throws -> Void
        ) async throws {
            let settings = self.settings
            // A client that disconnects during an answer must not end the process.
            signal(SIGPIPE, SIG_IGN)
            let address = host.contains(":") ? "[\(host)]" : host
            let queue = Self.queue(metrics: handler.metrics, clock: clock)
            defer { queue.close(within: 1) }
            let server = HTTPHost(
                handler: handler,
                hub: hub,
                settings: settings,
                clock: clock,
                threads: threads,
                log: { queue.put($0) },
                maintain: maintain,
                onListening: { Streams.print("listening on http://\(address):\($0)\n") },
                onStopping: { Self.endAfter(settings.shutdownSeconds + 1, queue: queue) }
            )
            for notice in notices { Self.log(notice, with: server.logger) }
            let logging = Task { [later, logger = server.logger] in
                guard let later else { return }
                for await notice in later { Self.log(notice, with: logger) }
            }
            defer { logging.cancel() }
            do {
                try await server.group(stoppingAt: [.sigterm, .sigint]).run()
            } catch let error as IOError {
                throw SyncError.cannotListen(host: host, port: port, number: error.errnoCode)
            } catch is SocketAddressError.UnknownHost {
                throw SyncError.cannotListen(host: host, port: port, number: nil)
            } catch is SocketAddressError {
                throw SyncError.cannotListen(host: host, port: port, number: nil)
            }
        }

        private static func log(_ notice: Notice, with logger: Logger) {
            let message: Logger.MetadataValue = "\(notice.message)"
            logger.log(
                level: notice.isWarning ? .warning : .info,
                "\(notice.event)",
                metadata: [JSONLogHandler.message: message]
            )
        }

        private var settings: HostSettings {
            var settings = HostSettings()
            settings.host = host
            settings.port = port
            settings.maxConnections = maxConnections
            settings.logLevel = logLevel
            return settings
        }

        /// The queue that writes log lines to standard error.
        private static func queue(metrics: ServerMetrics, clock: any SyncClock) -> LogQueue {
            LogQueue(
                write: { Streams.printError(text: $0) },
                droppedMessage: { count in
                    let message = "\(count) lines of the log were dropped."
                    return JSONLogHandler.line(
                        level: "warning",
                        event: "log",
                        members: [("message", message)],
                        at: clock.now()
                    )
                },
                onDrop: { metrics.countDroppedLine() }
            )
        }

        /// Ends the process if it is still running after some seconds. Requests in progress were not
        /// acknowledged, so no client relies on them.
        ///
        /// NB: this uses its own thread, because blocked work may occupy all others.
        private static func endAfter(_ seconds: Double, queue: LogQueue) {
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: seconds)
                queue.close(within: 1)
                Foundation.exit(0)
            }
        }
    }
#endif
