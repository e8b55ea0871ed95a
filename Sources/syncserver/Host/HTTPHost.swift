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

    /// Serves a request handler over HTTP/1.1 until it is stopped. TLS is left to a reverse proxy.
    ///
    /// Each connection has one request at a time. Blocking work runs on a few threads outside the event loops.
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
        ///   - threads: Runs blocking work. Started and shut down with the host. Nil makes its own.
        ///   - log: Writes one line without line feed.
        ///   - maintain: Called at the start and every hour.
        ///   - onListening: Called with the port once connections are accepted.
        ///   - onStopping: Called when a graceful shutdown begins.
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

        /// A service group that runs this host until a signal or a shutdown request.
        func group(stoppingAt signals: [UnixSignal] = []) -> ServiceGroup {
            var configuration = ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: signals,
                logger: logger
            )
            configuration.maximumGracefulShutdownDuration = .seconds(settings.shutdownSeconds)
            return ServiceGroup(configuration: configuration)
        }

        /// Serves until a graceful shutdown. Then no connection is accepted, streams end, and requests in
        /// progress are answered. Throws if the host cannot listen.
        func run() async throws {
            threads.start()
            let server = try makeServer()
            let result: Result<Void, any Error>
            do {
                result = .success(try await serve(server))
            } catch is CancellationError where handler.isDraining {
                // The time for requests in progress is over, which is a regular end.
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
                    // Only the server task ends by itself.
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
            // The library's messages about single connections are shown at debug level only.
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
        /// Converts seconds to a time amount.
        static func seconds(seconds: Double) -> TimeAmount {
            .nanoseconds(Int64(min(max(seconds, 0), 1_000_000_000) * 1_000_000_000))
        }
    }
#endif
