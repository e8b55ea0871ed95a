#if Server
    import Foundation
    import NIOCore
    import ServiceLifecycle
    import SyncCore
    import SyncServer
    import UnixSignals

    /// One run of the server as a process: listens, says where, and ends at a signal.
    struct Serving {
        let host: String
        let port: Int
        let maxConnections: Int

        /// Serves until SIGTERM or SIGINT. Throws `SyncError` when it cannot listen.
        func run(
            _ handler: RequestHandler,
            _ hub: ChangeHub,
            clock: any SyncClock,
            maintain: @escaping @Sendable () throws -> Void
        ) async throws {
            let settings = self.settings
            Self.allowOpenFiles(maxConnections + 256)
            // A client that leaves while it is answered must not end the process.
            signal(SIGPIPE, SIG_IGN)
            let address = host.contains(":") ? "[\(host)]" : host
            let server = HTTPHost(
                handler: handler,
                hub: hub,
                settings: settings,
                clock: clock,
                log: { Streams.complain($0 + "\n") },
                maintain: maintain,
                onListening: { Streams.print("listening on http://\(address):\($0)\n") },
                onStopping: { Self.endAfter(settings.shutdownSeconds + 1) }
            )
            do {
                try await server.group(stoppingAt: [.sigterm, .sigint]).run()
            } catch let error as IOError {
                throw SyncError.cannotListen(host, port, error.errnoCode)
            } catch is SocketAddressError.UnknownHost {
                throw SyncError.cannotListen(host, port, nil)
            } catch is SocketAddressError {
                throw SyncError.cannotListen(host, port, nil)
            }
        }

        private var settings: HostSettings {
            var settings = HostSettings()
            settings.host = host
            settings.port = port
            settings.maxConnections = maxConnections
            return settings
        }

        /// Ends the process if it is still there: what is in flight then was not acknowledged, so nothing that a client
        /// relies on is lost.
        ///
        /// NB: a thread of its own, because work that hangs may have taken all others.
        private static func endAfter(_ seconds: Double) {
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: seconds)
                Foundation.exit(0)
            }
        }

        /// Raises the soft limit of open files as far as the system lets it.
        private static func allowOpenFiles(_ count: Int) {
            var limit = rlimit()
            guard getrlimit(openFiles, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
            limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
            // A smaller limit means fewer connections, no failure.
            _ = setrlimit(openFiles, &limit)
        }

        #if canImport(Darwin)
            private static let openFiles = RLIMIT_NOFILE
        #else
            private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
    }
#endif
