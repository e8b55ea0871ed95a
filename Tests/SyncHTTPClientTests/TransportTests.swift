import Foundation
import HTTPDoubles
import ProgramRuns
import SyncCore
import Testing

@testable import SyncHTTPClient

#if canImport(FoundationNetworking)
    /// All transports keep the same promises.
    enum Carrier: CaseIterable {
        case session, sockets, secureSockets

        func make() -> any HTTPTransport {
            switch self {
            case .session: URLSessionTransport()
            case .sockets: SocketTransport()
            case .secureSockets: RelayedTransport()
            }
        }
    }

    /// Connects to the plain test servers over TLS, with a relay for each.
    final class RelayedTransport: HTTPTransport {
        private let relays = Guarded<[Int: Int]>([:])
        private let transport = Guarded<SocketTransport?>(nil)

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try await secure().send(relayed(request: request))
        }

        func stream(_ request: HTTPRequest) async throws -> HTTPStream {
            try await secure().stream(relayed(request: request))
        }

        private func secure() throws -> SocketTransport {
            try transport.use { made in
                if let made { return made }
                let file = try TestCertificates.file(text: TestCertificates.authority)
                let new = SocketTransport(authorities: try TrustedAuthorities(file: file))
                made = new
                return new
            }
        }

        private func relayed(request: HTTPRequest) throws -> HTTPRequest {
            guard let target = SocketTarget(url: request.url) else { return request }
            let port = try relays.use { relays in
                let port = try relays[target.port] ?? TLSRelay(to: target.port).port
                relays[target.port] = port
                return port
            }
            var request = request
            request.url = "https://127.0.0.1:\(port)\(target.path)"
            return request
        }
    }

    @Suite(.timeLimit(.minutes(30))) struct TransportTests {
        static func request(
            _ url: String,
            method: String = "POST",
            max: Int = 1 << 20,
            seconds: Double = 60
        ) -> HTTPRequest {
            HTTPRequest(
                method: method,
                url: url,
                headers: [HTTPHeader(name: "Authorization", value: "Bearer secret")],
                body: method == "POST" ? Array("{\"a\":1}".utf8) : [],
                maxResponseBytes: max,
                timeoutSeconds: seconds
            )
        }

        /// The error caused by a server's bytes.
        static func failure(
            carrier: Carrier,
            of server: RawServer,
            method: String = "POST",
            max: Int = 1 << 20,
            seconds: Double = 60
        ) async -> TransportError? {
            await #expect(throws: TransportError.self) {
                try await carrier.make().send(
                    request(server.url, method: method, max: max, seconds: seconds)
                )
            }
        }

        @Test(arguments: Carrier.allCases)
        func aRequestAndItsAnswerCrossAsTheyAre(carrier: Carrier) async throws {
            let server = try RawServer { _, connection in
                connection.write(
                    "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
                )
            }
            let transport = carrier.make()
            for _ in 0..<3 {
                let answer = try await transport.send(Self.request(server.url + "/p/q"))
                #expect(answer.status == 200)
                #expect(answer.header("x-a") == "b")
                #expect(answer.body == Array("hello".utf8))
            }
            let request = server.requests[0]
            #expect(request.lines[0] == "POST /p/q HTTP/1.1")
            #expect(request.body == Array("{\"a\":1}".utf8))
            #expect(request.header("Authorization") == "Bearer secret")
            #expect(request.header("Accept-Encoding") == "identity")
        }

        /// The session on Linux would repeat the request on another connection, and hang.
        @Test(arguments: Carrier.allCases, [3, 300_000])
        func aBodyThatIsNotAnsweredFailsAtOnceAlsoAfterOneThatWas(carrier: Carrier, bytes: Int) async throws {
            let server = try RawServer { request, connection in
                guard request.body.first == 0x7b else { return false }
                return connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            let transport = carrier.make()
            var request = Self.request(server.url)
            #expect(try await transport.send(request).status == 200)
            request.body = [UInt8](repeating: 0x20, count: bytes)
            let unanswered = request
            let failure = await #expect(throws: TransportError.self) { try await transport.send(unanswered) }
            #expect(failure == .interrupted)
            #expect(try await transport.send(Self.request(server.url)).status == 200)
            #expect(
                server.requests.count { $0.body.count == bytes } == 1,
                "nothing is sent twice behind our back"
            )
        }

        @Test(arguments: Carrier.allCases, [301, 302, 303, 307, 308])
        func aRedirectIsAnAnswerAndNeverFollowed(carrier: Carrier, status: Int) async throws {
            let other = try RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let server = try RawServer { _, connection in
                connection.write(
                    "HTTP/1.1 \(status) Go\r\nLocation: \(other.url)/\r\nContent-Length: 2\r\n\r\nno"
                )
            }
            for method in ["GET", "POST"] {
                let answer = try await carrier.make().send(Self.request(server.url, method: method))
                #expect(answer.status == status)
                #expect(answer.header("Location") == other.url + "/")
            }
            #expect(other.requests.isEmpty)
        }

        @Test(arguments: Carrier.allCases)
        func noCookieIsKept(carrier: Carrier) async throws {
            let server = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
            }
            let transport = carrier.make()
            for _ in 0..<2 { _ = try await transport.send(Self.request(server.url)) }
            #expect(server.requests.allSatisfy { $0.header("Cookie") == nil })
        }

        @Test(
            arguments: Carrier.allCases,
            [
                "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
                "HTTP/1.1 200",
                "\u{1}\u{2}garbage\r\n\r\n",
                "",
            ]
        )
        func anAnswerThatIsNotWholeIsNone(carrier: Carrier, answer: String) async throws {
            let server = try RawServer(always: answer)
            #expect(await Self.failure(carrier: carrier, of: server) == .interrupted)
            #expect(await Self.failure(carrier: carrier, of: server, method: "GET") == .interrupted)
        }

        @Test(arguments: Carrier.allCases)
        func aConnectionThatIsResetIsInterrupted(carrier: Carrier) async throws {
            let server = try RawServer { _, connection in
                connection.reset()
                return false
            }
            #expect(await Self.failure(carrier: carrier, of: server) == .interrupted)
        }

        @Test(arguments: Carrier.allCases)
        func aBodyWithoutEndIsCutOff(carrier: Carrier) async throws {
            let server = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\n\r\n")
                let piece = [UInt8](repeating: 0x41, count: 65_536)
                // 64 MiB and not endless: a session on Linux continues reading while it is being cancelled. If
                // all threads are busy, as with a sanitizer, the cancellation would never be handled.
                for _ in 0..<1024 where !connection.write(piece) { break }
                return false
            }
            #expect(await Self.failure(carrier: carrier, of: server) == .tooLarge)
        }

        @Test(arguments: Carrier.allCases)
        func aBodyThatIsAnnouncedTooLargeIsNotWaitedFor(carrier: Carrier) async throws {
            let server = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
                connection.waitForEnd()
                return false
            }
            #expect(await Self.failure(carrier: carrier, of: server, max: 1000) == .tooLarge)
        }

        @Test(arguments: Carrier.allCases)
        func aSmallBodyThatUnpacksToALargeOneIsRefused(carrier: Carrier) async throws {
            let server = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
                connection.write(GzipBomb.head)
                // 64 MiB decompressed and not endless: a session on Linux decompresses what arrives before the
                // refusal takes effect.
                for _ in 0..<64 where !connection.write(GzipBomb.piece) { break }
                return false
            }
            #expect(await Self.failure(carrier: carrier, of: server) == .tooLarge)
        }

        @Test(arguments: Carrier.allCases)
        func aPeerThatDripsIsTooSlow(carrier: Carrier) async throws {
            let body = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\n\r\n")
                while connection.write("a") { usleep(10_000) }
                return false
            }
            #expect(await Self.failure(carrier: carrier, of: body, seconds: 0.5) == .timedOut)
            let head = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\n")
                while connection.write("X-A: a\r\n") { usleep(10_000) }
                return false
            }
            #expect(await Self.failure(carrier: carrier, of: head, seconds: 0.5) == .timedOut)
            let silent = try RawServer { _, connection in
                connection.waitForEnd()
                return false
            }
            #expect(await Self.failure(carrier: carrier, of: silent, seconds: 0.5) == .timedOut)
        }

        @Test func whereNobodyListensIsUnreachable() async throws {
            let port = try RawServer.closedPort()
            for (scheme, transport) in [
                ("http", URLSessionTransport() as any HTTPTransport), ("https", URLSessionTransport()),
                ("http", SocketTransport()),
            ] {
                let failure = await #expect(throws: TransportError.self) {
                    try await transport.send(Self.request("\(scheme)://127.0.0.1:\(port)"))
                }
                #expect(failure == .unreachable, "\(scheme)")
            }
        }

        @Test func aPeerThatSpeaksNoTLSIsNotSecure() async throws {
            let server = try RawServer(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _, _ in false }
            let failure = await #expect(throws: TransportError.self) {
                try await URLSessionTransport().send(Self.request("https://127.0.0.1:\(server.port)"))
            }
            #expect(failure == .notSecure)
        }

        @Test(
            arguments: Carrier.allCases,
            ["Bearer", "Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\""]
        )
        func aRefusalIsAnAnswerWhateverItAsksFor(carrier: Carrier, scheme: String) async throws {
            let server = try RawServer { _, connection in
                connection.write(
                    "HTTP/1.1 401 No\r\nWWW-Authenticate: \(scheme)\r\nContent-Length: 2\r\n\r\nno"
                )
            }
            #expect(try await carrier.make().send(Self.request(server.url)).status == 401)
            #expect(server.requests.count == 1)
        }

        @Test(arguments: Carrier.allCases)
        func cancellingClosesTheConnection(carrier: Carrier) async throws {
            let isAsked = Gate()
            let isClosed = Gate()
            let server = try RawServer { _, connection in
                isAsked.open()
                connection.waitForEnd()
                isClosed.open()
                return false
            }
            let task = Task { try await carrier.make().send(Self.request(server.url)) }
            try await isAsked.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await isClosed.wait()
        }

        @Test(arguments: Carrier.allCases)
        func aStreamGivesPiecesAsTheyComeAndEnds(carrier: Carrier) async throws {
            let wanted = DispatchSemaphore(value: 0)
            let server = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n")
                // The peer must have the first piece before it requests the next one.
                wanted.wait()
                connection.write("data: x\n\n")
                return false
            }
            let stream = try await carrier.make().stream(Self.request(server.url, method: "GET"))
            #expect(stream.head.status == 200)
            #expect(stream.head.header("Content-Type") == "text/event-stream")
            var bytes: [UInt8] = []
            for try await piece in stream.pieces {
                bytes += piece
                if bytes == Array(": hello\n".utf8) { wanted.signal() }
            }
            #expect(bytes == Array(": hello\ndata: x\n\n".utf8))
        }

        @Test(arguments: Carrier.allCases)
        func aStreamThatBreaksSaysSo(carrier: Carrier) async throws {
            let server = try RawServer(
                always: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
            )
            let stream = try await carrier.make().stream(Self.request(server.url, method: "GET"))
            let failure = await #expect(throws: TransportError.self) {
                for try await _ in stream.pieces {}
            }
            #expect(failure == .interrupted)
        }

        @Test(arguments: Carrier.allCases)
        func aStreamThatNobodyReadsIsClosed(carrier: Carrier) async throws {
            let isClosed = Gate()
            let server = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n")
                connection.waitForEnd()
                isClosed.open()
                return false
            }
            let transport = carrier.make()
            var stream: HTTPStream? = try await transport.stream(Self.request(server.url, method: "GET"))
            #expect(stream?.head.status == 200)
            stream = nil
            try await isClosed.wait()
        }

        @Test(arguments: Carrier.allCases)
        func aStreamThatDoesNotBeginIsTooSlow(carrier: Carrier) async throws {
            let server = try RawServer { _, connection in
                connection.waitForEnd()
                return false
            }
            let failure = await #expect(throws: TransportError.self) {
                try await carrier.make().stream(Self.request(server.url, method: "GET", seconds: 0.5))
            }
            #expect(failure == .timedOut)
        }
    }

    /// A gzip stream of zeros that never ends, written bit by bit: 13 bytes unpack to 2064.
    enum GzipBomb {
        /// The gzip header, and the first bits of one block with fixed codes: not the last block, one literal zero byte, and
        /// repeats of it until the bits fill whole bytes.
        static let head: [UInt8] = {
            var bits: [UInt8] = [0, 1, 0]  // BFINAL 0, BTYPE 01, its lower bit first
            bits += [0, 0, 1, 1, 0, 0, 0, 0]  // the literal 0
            while bits.count % 8 != 0 { bits += match }
            return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255] + packed(bits: bits)
        }()
        /// Repeats that fill whole bytes.
        static let piece = packed(bits: (0..<8 * 512).flatMap { _ in match })

        /// 258 bytes from one byte before: length code 285 in 8 bits, distance code 0 in 5.
        private static let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0]

        /// Bits to bytes, the first bit lowest.
        private static func packed(bits: [UInt8]) -> [UInt8] {
            stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start..<start + 8].enumerated().reduce(0) { $0 | $1.element << $1.offset }
            }
        }
    }
#endif
