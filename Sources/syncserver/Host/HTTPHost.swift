#if Server
    import Foundation
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import SyncCore
    import SyncServer
    import UnixSignals

    /// Serves a front door over HTTP/1.1 until it is told to stop. TLS is for a reverse proxy before it.
    ///
    /// Each connection has one request at a time. What may block runs on a few threads beside the event loops.
    final class HTTPHost: Service, Sendable {
        let handler: RequestHandler
        let hub: ChangeHub
        let settings: HostSettings
        let clock: any SyncClock
        let budget: BodyBudget
        let connections: ConnectionTable
        let logger: Logger
        let threads: NIOThreadPool
        private let maintain: @Sendable () async throws -> Void
        private let onListening: @Sendable (Int) -> Void
        private let onStopping: @Sendable () -> Void

        /// Makes a host that does not listen yet.
        ///
        /// - Parameters:
        ///   - threads: Where what blocks runs; started and ended with the host. By default its own.
        ///   - log: Takes one line without line feed.
        ///   - maintain: Is called at the start and every hour.
        ///   - onListening: Is told the port once connections are accepted.
        ///   - onStopping: Is called when a graceful shutdown begins.
        init(
            handler: RequestHandler,
            hub: ChangeHub,
            settings: HostSettings,
            clock: any SyncClock,
            threads: NIOThreadPool? = nil,
            log: @escaping @Sendable (String) -> Void,
            maintain: @escaping @Sendable () async throws -> Void = {},
            onListening: @escaping @Sendable (Int) -> Void,
            onStopping: @escaping @Sendable () -> Void = {}
        ) {
            self.handler = handler
            self.hub = hub
            self.settings = settings
            self.clock = clock
            self.threads = threads ?? NIOThreadPool(numberOfThreads: settings.threads)
            self.maintain = maintain
            self.onListening = onListening
            self.onStopping = onStopping
            logger = JSONLogHandler.logger(level: settings.logLevel, clock: clock, write: log)
            connections = ConnectionTable(settings)
            budget = BodyBudget(bytes: settings.maxHeldBodyBytes)
        }

        /// A group that runs this host and stops it at a signal, or when it is told to.
        func group(stoppingAt signals: [UnixSignal] = []) -> ServiceGroup {
            var configuration = ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: signals,
                logger: logger
            )
            configuration.maximumGracefulShutdownDuration = .seconds(settings.shutdownSeconds)
            return ServiceGroup(configuration: configuration)
        }

        /// Serves until a graceful shutdown: then no connection is accepted, streams end, and requests in flight are
        /// answered. Throws what keeps it from listening.
        func run() async throws {
            threads.start()
            let server = try makeServer()
            let result: Result<Void, any Error>
            do {
                result = .success(try await serve(server))
            } catch is CancellationError where handler.isDraining {
                // The time for what was in flight is over: that is an end as well.
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await threads.shutdownGracefully()
            return try result.get()
        }

        /// Writes a request's entry to the log.
        func log(_ entry: RequestLog) {
            let level: Logger.Level = entry.status >= 500 ? .error : .info
            logger.log(level: level, "request", metadata: [JSONLogHandler.entry: .stringConvertible(entry)])
        }

        private func serve(_ server: any Service) async throws {
            try await withGracefulShutdownHandler {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await server.run() }
                    group.addTask { try await self.maintainForever() }
                    defer { group.cancelAll() }
                    // The server alone ends by itself.
                    try await group.next()
                }
            } onGracefulShutdown: {
                self.logger.info("stopping")
                self.handler.drain()
                self.hub.close()
                self.onStopping()
            }
        }

        private func makeServer() throws -> any Service {
            let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: settings.maxHeaderBytes,
                maxHeaderListSize: settings.maxHeaderBytes * 2,
                maxHeaderFieldCount: settings.maxHeaderFields
            )
            let onFramingError: @Sendable () -> Void = { [handler, logger] in
                handler.metrics.countFramingError()
                logger.notice("framing", metadata: [JSONLogHandler.message: "A request was no valid HTTP."])
            }
            let channel = HTTP1Channel.Configuration(
                additionalChannelHandlers: [FramingWatch(onFramingError)],
                idleTimeout: .seconds(seconds: settings.idleSeconds),
                httpDecoderConfiguration: decoder
            )
            var quiet = logger
            // What the library tells of each connection is for who asks for it.
            if quiet.logLevel > .debug { quiet.logLevel = .error }
            return try HTTPServerBuilder { [connections] responder in
                GuardedChannel(
                    channel: HTTP1Channel(responder: responder, configuration: channel),
                    table: connections
                )
            }
            .buildServer(
                configuration: ServerConfiguration(
                    address: .hostname(settings.host, port: settings.port),
                    availableConnectionsDelegate: ConnectionGate(
                        most: settings.maxConnections,
                        table: connections
                    )
                ),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: quiet
            ) { request, writer, channel in
                try await self.respond(to: request, writer: writer, channel: channel)
            } onServerRunning: { channel in
                self.onListening(channel.localAddress?.port ?? self.settings.port)
            }
        }

        private func maintainForever() async throws {
            while true {
                do {
                    try await self.maintain()
                } catch is CancellationError {
                    return
                } catch {
                    let message = (error as? PurgeError)?.message ?? "\(type(of: error))"
                    logger.error("maintenance", metadata: [JSONLogHandler.message: "\(message)"])
                }
                try await Task.sleep(for: .seconds(settings.maintenanceSeconds))
            }
        }
    }

    extension TimeAmount {
        /// A number of seconds.
        static func seconds(seconds: Double) -> TimeAmount {
            .nanoseconds(Int64(min(max(seconds, 0), 1_000_000_000) * 1_000_000_000))
        }
    }
#endif
