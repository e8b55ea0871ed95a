#if Server
    import Foundation
    import HTTPTypes
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import SyncCore

    /// The stand-in behind a real socket on loopback, for clients that bring a transport of their own.
    package enum PostgRESTHost {
        /// Runs a test with a server that listens on loopback. `body` gets its URL.
        package static func run(
            _ rest: PostgRESTServer,
            isolation: isolated (any Actor)? = #isolation,
            _ body: (String) async throws -> Void
        ) async throws {
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let server = try HTTPServerBuilder.http1().buildServer(
                configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "PostgREST", factory: { _ in SwiftLogNoOpLogHandler() })
            ) { request, writer, _ in
                try await respond(to: request, writer: writer, rest: rest)
            } onServerRunning: { channel in
                port.yield(channel.localAddress?.port ?? 0)
            }
            let running = Task { try await server.run() }
            defer { running.cancel() }
            for await port in ports { return try await body("http://127.0.0.1:\(port)") }
        }

        private static func respond(
            to request: Request,
            writer: consuming ResponseWriter,
            rest: PostgRESTServer
        ) async throws {
            let body = try await request.body.collect(upTo: 1 << 23)
            let answer = try await rest.send(
                SyncCore.HTTPRequest(
                    method: request.method.rawValue,
                    url: PostgRESTServer.url + (request.head.path ?? ""),
                    headers: request.headers.map { HTTPHeader(name: $0.name.rawName, value: $0.value) },
                    body: Array(body.readableBytesView),
                    maxResponseBytes: .max,
                    timeoutSeconds: 60
                )
            )
            var fields = HTTPFields()
            for header in answer.headers {
                guard let name = HTTPField.Name(header.name) else { continue }
                fields.append(HTTPField(name: name, value: header.value))
            }
            fields[.contentLength] = "\(answer.body.count)"
            try await writer.write(
                response: HTTPTypes.HTTPResponse(status: .init(code: answer.status), headerFields: fields),
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
            )
        }
    }
#endif
