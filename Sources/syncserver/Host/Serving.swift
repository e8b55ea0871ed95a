#if Server
    import Foundation
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import SyncCore
    import SyncServer
    import UnixSignals

    /// One run of the server as a process: listens, says where, and ends at a signal.
    struct Serving {
        let host: String
        let port: Int
        let maxConnections: Int
        /// One of swift-log's levels.
        var logLevel = "info"
        /// What the log begins with.
        var notices: [Notice] = []

        /// Something to say before anything is served.
        struct Notice: Sendable {
            var isWarning: Bool
            var event: String
            var message: String
        }

        /// Serves until SIGTERM or SIGINT. Throws `SyncError` when it cannot listen.
        func run(
            _ handler: RequestHandler,
            hub: ChangeHub,
            clock: any SyncClock,
            threads: NIOThreadPool? = nil,
            maintain: @escaping @Sendable () async throws -> Void
        ) async throws {
            let settings = self.settings
            // A client that leaves while it is answered must not end the process.
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
            for notice in notices {
                let level: Logger.Level = notice.isWarning ? .warning : .info
                let message: Logger.MetadataValue = "\(notice.message)"
                server.logger.log(
                    level: level,
                    "\(notice.event)",
                    metadata: [JSONLogHandler.message: message]
                )
            }
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

        private var settings: HostSettings {
            var settings = HostSettings()
            settings.host = host
            settings.port = port
            settings.maxConnections = maxConnections
            settings.logLevel = logLevel
            return settings
        }

        /// The way of the log's lines to standard error.
        private static func queue(metrics: ServerMetrics, clock: any SyncClock) -> LogQueue {
            LogQueue(
                write: { Streams.complain(text: $0) },
                tellDropped: { count in
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

        /// Ends the process if it is still there: what is in flight then was not acknowledged, so nothing that a client
        /// relies on is lost.
        ///
        /// NB: a thread of its own, because work that hangs may have taken all others.
        private static func endAfter(_ seconds: Double, queue: LogQueue) {
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: seconds)
                queue.close(within: 1)
                Foundation.exit(0)
            }
        }
    }
#endif
