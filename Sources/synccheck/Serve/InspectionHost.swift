#if Server
    import SyncCore
    import EntitySync
    import Foundation
    import HTTPTypes
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import UnixSignals

    /// Serves a live page on loopback until a signal.
    struct InspectionHost: Service {
        /// The port; 0 takes any free one.
        let port: Int
        /// Makes the server once the port is known.
        let makeServer: @Sendable (_ port: Int) -> InspectionServer
        /// Called once requests are answered.
        let onListening: @Sendable (InspectionServer) -> Void

        /// The most connections at a time; a browser needs a few.
        private static let maxConnections = 64

        /// Serves until SIGINT or SIGTERM. Throws `SyncError` if the port cannot be had.
        func serve() async throws {
            // A browser that goes away during an answer must not end the process.
            signal(SIGPIPE, SIG_IGN)
            var configuration = ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Self.silence
            )
            configuration.maximumGracefulShutdownDuration = .seconds(2)
            do {
                try await ServiceGroup(configuration: configuration).run()
            } catch let error as IOError {
                throw SyncError.cannotServe(port: port, number: error.errnoCode)
            }
        }

        func run() async throws {
            let threads = NIOThreadPool(numberOfThreads: 2)
            threads.start()
            let server = Guarded<InspectionServer?>(nil)
            let host = try HTTPServerBuilder.http1(
                configuration: .init(idleTimeout: .seconds(60))
            ).buildServer(
                configuration: ServerConfiguration(
                    address: .hostname("127.0.0.1", port: port),
                    availableConnectionsDelegate: MaximumAvailableConnections(Self.maxConnections)
                ),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: Self.silence
            ) { request, writer, _ in
                let made = server.use { $0 }
                try await Self.respond(to: request, writer: writer) { request in
                    try await threads.runIfActive {
                        made?.answer(request) ?? PageResponse.note(503, "Not yet.")
                    }
                }
            } onServerRunning: { channel in
                let made = makeServer(channel.localAddress?.port ?? port)
                server.use { $0 = made }
                onListening(made)
            }
            let result: Result<Void, any Error>
            do {
                result = .success(try await host.run())
            } catch is CancellationError {
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await threads.shutdownGracefully()
            try result.get()
        }

        private static var silence: Logger {
            Logger(label: "synccheck inspect", factory: { _ in SwiftLogNoOpLogHandler() })
        }

        private static func respond(
            to request: Request,
            writer: consuming ResponseWriter,
            answer: (PageRequest) async throws -> PageResponse
        ) async throws {
            let response: PageResponse
            do {
                let body = try await request.body.collect(upTo: PageRequest.maxBodyBytes)
                response = try await answer(Self.pageRequest(request, body: Array(body.readableBytesView)))
            } catch is NIOTooManyBytesError {
                response = .note(413, "That is too much for a form of this page.")
            }
            var fields = HTTPFields()
            for (name, value) in InspectionServer.headers + response.headers + [
                ("Content-Type", response.type)
            ] {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            fields[.contentLength] = "\(response.body.utf8.count)"
            try await writer.write(
                response: HTTPTypes.HTTPResponse(status: .init(code: response.status), headerFields: fields),
                body: ResponseBody(byteBuffer: ByteBuffer(string: response.body))
            )
        }

        private static func pageRequest(_ request: Request, body: [UInt8]) -> PageRequest {
            var headers: [String: String] = [:]
            var twice: Set<String> = []
            for field in request.headers {
                let name = field.name.canonicalName
                if headers.updateValue(field.value, forKey: name) != nil { twice.insert(name) }
            }
            for name in twice { headers[name] = nil }
            headers["host"] = request.head.authority
            return PageRequest(
                method: request.method.rawValue,
                target: request.head.path ?? "",
                headers: headers,
                body: body
            )
        }
    }
#endif
