import Foundation
import HTTPDoubles
import SyncCore
import Synchronization
import Testing

@testable import SyncHTTPClient

#if canImport(FoundationNetworking)
    @Suite(.timeLimit(.minutes(30))) struct SocketTransportTests {
        private func ok(connection: RawConnection) -> Bool {
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }

        @Test func requestsOneAfterTheOtherShareAConnection() async throws {
            let server = try RawServer { _, connection in ok(connection: connection) }
            let start = ContinuousClock.now
            let transport = SocketTransport(authorities: nil, now: { start })
            for _ in 0..<20 {
                #expect(try await transport.send(TransportTests.request(server.url)).status == 200)
            }
            #expect(server.requests.count == 20)
            #expect(server.connections == 1)
        }

        @Test func aConnectionThatHasWaitedLongIsNotAskedAgain() async throws {
            let server = try RawServer { _, connection in ok(connection: connection) }
            let start = ContinuousClock.now
            let waited = Mutex(Duration.zero)
            let transport = SocketTransport(authorities: nil, now: { start + waited.withLock { $0 } })
            #expect(try await transport.send(TransportTests.request(server.url)).status == 200)
            waited.withLock { $0 = .seconds(SocketPool.maxAgeSeconds) }
            #expect(try await transport.send(TransportTests.request(server.url)).status == 200)
            #expect(server.connections == 2)
        }

        @Test func aKeptConnectionThatTheServerClosedIsNotAskedAgain() async throws {
            let isClosed = Gate()
            let server = try RawServer { _, connection in
                _ = ok(connection: connection)
                connection.close()
                isClosed.open()
                return false
            }
            let transport = SocketTransport()
            #expect(try await transport.send(TransportTests.request(server.url)).status == 200)
            try await isClosed.wait()
            #expect(try await transport.send(TransportTests.request(server.url)).status == 200)
            #expect(server.requests.count == 2)
            #expect(server.connections == 2)
        }

        @Test func requestsAtTheSameTimeHaveConnectionsOfTheirOwn() async throws {
            let server = try RawServer { request, connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                return connection.write(request.body)
            }
            let transport = SocketTransport()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        var request = TransportTests.request(server.url)
                        request.body = [UInt8](repeating: UInt8(number), count: 1000 * number + 1)
                        let answer = try await transport.send(request)
                        #expect(answer.body == request.body)
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.requests.count == 40)
        }

        @Test func anAnswerThatComesBeforeTheBodyIsSentEndsTheRequest() async throws {
            let server = try RawServer(greeting: "HTTP/1.1 413 Too large\r\nContent-Length: 0\r\n\r\n") {
                _,
                _ in
                true
            }
            var request = TransportTests.request(server.url)
            request.body = [UInt8](repeating: 0x20, count: 32 << 20)
            #expect(try await SocketTransport().send(request).status == 413)
        }

        /// Untaken pieces stop the reading, and nothing is lost.
        @Test func aStreamIsReadNoFasterThanItsPiecesAreTaken() async throws {
            let total = 4 << 20
            let server = try RawServer { _, connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
                let piece = [UInt8](repeating: 0x41, count: 65_536)
                for _ in 0..<total / piece.count where !connection.write(piece) { break }
                return false
            }
            let stream = try await SocketTransport().stream(
                TransportTests.request(server.url, method: "GET")
            )
            var count = 0
            for try await piece in stream.pieces {
                #expect(piece.count <= 1 << 17)
                count += piece.count
            }
            #expect(count == total)
        }

        @Test func aNameIsLookedUpAndEachOfItsAddressesIsTried() async throws {
            // `localhost` may resolve to ::1 first, where nothing listens.
            let server = try RawServer { _, connection in ok(connection: connection) }
            let url = "http://localhost:\(server.port)/v1/x?y=z"
            #expect(try await SocketTransport().send(TransportTests.request(url)).status == 200)
            #expect(server.requests[0].lines[0] == "POST /v1/x?y=z HTTP/1.1")
            #expect(server.requests[0].header("Host") == "localhost:\(server.port)")
            let nowhere = TransportTests.request("http://nowhere.invalid/")
            await #expect(throws: TransportError.unreachable) { try await SocketTransport().send(nowhere) }
        }

        @Test(arguments: [
            "https://a/", "http:///x", "http://a:0/", "http://a:70000/", "http://u@a/", "http://a b/", "",
        ])
        func whatIsNoPlainURLLeadsNowhere(url: String) async {
            #expect(SocketTarget(url: url) == nil)
            await #expect(throws: TransportError.unreachable) {
                try await SocketTransport().send(TransportTests.request(url))
            }
        }

        @Test func aFieldCannotEndItsLine() async throws {
            let server = try RawServer { _, connection in ok(connection: connection) }
            var request = TransportTests.request(server.url)
            request.headers.append(HTTPHeader(name: "X-A", value: "b\r\nX-C: d"))
            let split = request
            await #expect(throws: TransportError.unreachable) { try await SocketTransport().send(split) }
            #expect(server.requests.isEmpty)
        }
    }

    @Suite struct PlainHTTPTests {
        private static let proxied = ["http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"]

        @Test func aServerOnThisMachineIsAskedWithoutTheProxy() async throws {
            let server = try RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let transport = SystemTransport(environment: Self.proxied)
            for host in ["127.0.0.1", "localhost", "LOCALHOST"] {
                let url = "http://\(host):\(server.port)/records"
                #expect(try await transport.send(TransportTests.request(url)).status == 200)
            }
            #expect(
                server.requests.map { $0.lines[0] } == Array(repeating: "POST /records HTTP/1.1", count: 3)
            )
        }

        @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
        func plainHTTPToAnotherMachineIsRefusedWhereThereIsAProxy(name: String) async throws {
            let transport = SystemTransport(environment: [name: "http://127.0.0.1:1"])
            let request = TransportTests.request("http://sync.example.org/records")
            let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
            #expect(error?.kind == .usage)
            await #expect(throws: SyncError.self) { try await transport.stream(request) }
        }

        @Test func aHostThatTheEnvironmentExceptsNeedsNoProxy() throws {
            func isProxied(exceptions: String, host: String) throws -> Bool {
                var environment = Self.proxied
                environment["no_proxy"] = exceptions
                let target = try #require(SocketTarget(url: "http://\(host)/"))
                return ProxyEnvironment(environment).hasProxy(forPlainHTTP: target)
            }
            #expect(try isProxied(exceptions: "", host: "sync.example.org"))
            #expect(try isProxied(exceptions: "example.com,ample.org", host: "sync.example.org"))
            #expect(try !isProxied(exceptions: "a, .example.org", host: "sync.example.org"))
            #expect(try !isProxied(exceptions: "EXAMPLE.org", host: "sync.example.org"))
            #expect(try !isProxied(exceptions: "*", host: "sync.example.org"))
            #expect(try !isProxied(exceptions: "", host: "[::1]:80"))
            // NB: a CGI program would see the uppercase name as a client's own field, so it is not read.
            let target = try #require(SocketTarget(url: "http://a/"))
            #expect(!ProxyEnvironment(["HTTP_PROXY": "x"]).hasProxy(forPlainHTTP: target))
        }
    }
#endif
