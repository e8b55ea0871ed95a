import Foundation
import HTTPDoubles
import ProgramRuns
import SyncChecks
import SyncCore
import Testing

@testable import SyncHTTPClient

#if canImport(FoundationNetworking)
    /// A server with a certificate of a private authority is trusted only if that authority is configured.
    @Suite(.timeLimit(.minutes(30))) struct AuthorityTests {
        private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

        private func transport(authority: String = TestCertificates.authority) throws -> SystemTransport {
            SystemTransport(environment: [:], authorities: try TestCertificates.file(text: authority))
        }

        private func failure(
            transport: SystemTransport,
            url: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async -> TransportError? {
            await #expect(throws: TransportError.self, sourceLocation: sourceLocation) {
                try await transport.send(TransportTests.request(url))
            }
        }

        @Test func aServerIsTrustedByTheAuthorityThatIsNamed() async throws {
            let server = try RawServer(always: Self.answer)
            let port = try TLSRelay(to: server.port).port
            let file = try TestCertificates.file(text: TestCertificates.authority)
            for transport in [
                SystemTransport(environment: [:], authorities: file),
                SystemTransport(environment: ["SSL_CERT_FILE": file]),
            ] {
                for host in ["localhost", "127.0.0.1"] {
                    let answer = try await transport.send(TransportTests.request("https://\(host):\(port)/p"))
                    #expect(answer.body == Array("ok".utf8))
                }
            }
            #expect(server.requests.count == 4)
            #expect(server.requests[0].header("Authorization") == "Bearer secret")
        }

        @Test func aServerThatNoNamedAuthorityVouchesForGetsNoRequest() async throws {
            let server = try RawServer(always: Self.answer)
            let url = "https://localhost:\(try TLSRelay(to: server.port).port)/"
            #expect(
                await failure(transport: try transport(authority: TestCertificates.otherAuthority), url: url)
                    == .notSecure
            )
            #expect(await failure(transport: SystemTransport(environment: [:]), url: url) == .notSecure)
            #expect(server.requests.isEmpty)
        }

        @Test(arguments: ["localhost", "127.0.0.1"])
        func aCertificateOfAnotherHostIsRefused(host: String) async throws {
            let server = try RawServer(always: Self.answer)
            let relay = try TLSRelay(to: server.port, certificate: TestCertificates.otherHost)
            #expect(
                await failure(transport: try transport(), url: "https://\(host):\(relay.port)/") == .notSecure
            )
            #expect(server.requests.isEmpty)
        }

        @Test func aPeerThatSpeaksNoTLSIsNotSecureAndOneThatHangsUpIsUnreachable() async throws {
            let plain = try RawServer(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _, _ in false }
            #expect(
                await failure(transport: try transport(), url: "https://127.0.0.1:\(plain.port)")
                    == .notSecure
            )
            let nobody = try RawServer.closedPort()
            #expect(
                await failure(transport: try transport(), url: "https://127.0.0.1:\(nobody)") == .unreachable
            )
        }

        /// An attacker could truncate a body that ends with the connection.
        @Test func aBodyWhoseEndIsNotAnnouncedIsInterrupted() async throws {
            let server = try RawServer(always: "HTTP/1.1 200 OK\r\n\r\nhalf")
            let cut = try TLSRelay(to: server.port, announcesEnd: false)
            #expect(
                await failure(transport: try transport(), url: "https://127.0.0.1:\(cut.port)")
                    == .interrupted
            )
            let whole = try TLSRelay(to: server.port)
            let request = TransportTests.request("https://127.0.0.1:\(whole.port)")
            #expect(try await transport().send(request).body == Array("half".utf8))
        }

        @Test func aLargeBodyCrossesBothWaysAndConnectionsAreKept() async throws {
            let server = try RawServer { request, connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                return connection.write(request.body)
            }
            let start = ContinuousClock.now
            let authorities = try TrustedAuthorities(
                file: TestCertificates.file(text: TestCertificates.authority)
            )
            let transport = SocketTransport(authorities: authorities, now: { start })
            var request = TransportTests.request(
                "https://localhost:\(try TLSRelay(to: server.port).port)/",
                max: 8 << 20
            )
            for _ in 0..<3 {
                request.body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                #expect(try await transport.send(request).body == request.body)
            }
            #expect(server.connections == 1)
        }

        @Test(arguments: ["", "no certificate", nil] as [String?])
        func aFileWithoutCertificatesFailsSecureRequestsAndNoOthers(text: String?) async throws {
            let server = try RawServer(always: Self.answer)
            let file = try text.map { try TestCertificates.file(text: $0) } ?? "/nowhere/authority.pem"
            let transport = SystemTransport(environment: ["SSL_CERT_FILE": file])
            let request = TransportTests.request("https://127.0.0.1:\(server.port)")
            let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
            #expect(error?.kind == .invalidInput)
            #expect(try await transport.send(TransportTests.request(server.url)).status == 200)
        }

        @Test func anOwnAuthorityGoesThroughAProxyThatSeesNothing() async throws {
            let file = try TestCertificates.file(text: TestCertificates.authority)
            let server = try RawServer(always: Self.answer)
            let proxy = try TLSRelay(
                to: server.port,
                certificate: TestCertificates.otherHost,
                tunnelAnswer: "HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n"
            )
            let environment = ["https_proxy": "http://me:pa%3Ass@127.0.0.1:\(proxy.port)/"]
            let transport = SystemTransport(environment: environment, authorities: file)
            let request = TransportTests.request("https://sync.example.org:8443/records")
            #expect(try await transport.send(request).body == Array("ok".utf8))
            let head = try #require(proxy.tunnels.first)
            #expect(head.hasPrefix("CONNECT sync.example.org:8443 HTTP/1.1\r\n"))
            #expect(
                head.contains("Proxy-Authorization: Basic \(Data("me:pa:ss".utf8).base64EncodedString())\r\n")
            )
            #expect(!head.contains("secret"))
            #expect(server.requests[0].header("Authorization") == "Bearer secret")
            // Loopback needs no proxy.
            let own = TransportTests.request("https://localhost:\(try TLSRelay(to: server.port).port)/")
            #expect(try await transport.send(own).status == 200)
            #expect(proxy.tunnels.count == 1)
        }

        @Test(arguments: ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "no\r\n\r\n", ""])
        func aProxyThatOpensNoTunnelIsUnreachable(answer: String) async throws {
            let server = try RawServer(always: Self.answer)
            let proxy = try TLSRelay(to: server.port, tunnelAnswer: answer)
            let transport = SystemTransport(
                environment: ["https_proxy": "127.0.0.1:\(proxy.port)"],
                authorities: try TestCertificates.file(text: TestCertificates.authority)
            )
            var request = TransportTests.request("https://sync.example.org/records")
            request.timeoutSeconds = 2
            let failure = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(failure == .unreachable || answer.isEmpty && failure == .timedOut)
            #expect(server.requests.isEmpty)
        }

        @Test func aProxyOfAnotherKindIsNamed() async throws {
            let transport = SystemTransport(
                environment: ["all_proxy": "socks5://127.0.0.1:1"],
                authorities: try TestCertificates.file(text: TestCertificates.authority)
            )
            let request = TransportTests.request("https://sync.example.org/records")
            let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
            #expect(error?.kind == .usage)
        }

        @Test func aStreamStaysOpenWhereAnAuthorityIsNamed() async throws {
            let url = try ServerURL("https://localhost:1")
            #expect(try transport().holdsStreams(to: url))
            #if canImport(FoundationNetworking)
                #expect(!SystemTransport(environment: [:]).holdsStreams(to: url))
            #endif
        }

        #if canImport(FoundationNetworking)
            /// The system's client keeps a core busy while a stream is open, so the server is polled instead.
            @Test func aServerIsAskedTwiceAMinuteWhereNoStreamIsHeld() async throws {
                let server = try RawServer(always: Self.answer)
                let sleeper = TestSleeper(holds: { $0 > 33 })
                let client = HTTPClient(
                    url: try ServerURL("https://localhost:\(server.port)"),
                    credentials: TestCredentials(token: "secret"),
                    conventions: .plain,
                    environment: HTTPEnvironment(
                        clock: ManualClock(),
                        random: SeededRandom(1),
                        sleeper: sleeper,
                        transport: SystemTransport(environment: [:])
                    )
                )
                var changes = client.events(named: "change", path: "/events").makeAsyncIterator()
                while sleeper.slept.count < 20 { try #require(try await changes.next() != nil) }
                #expect(sleeper.slept.allSatisfy { (30...33).contains($0) })
                #expect(server.connections == 0, "the watch itself asks nothing")
            }
        #endif

        @Test func aSystemWithoutOpenSSLSaysThatItCannot() throws {
            let file = try TestCertificates.file(text: TestCertificates.authority)
            let error = #expect(throws: SyncError.self) { try TrustedAuthorities(file: file, library: nil) }
            #expect(error?.kind == .usage)
            #expect(throws: OpenSSL.MissingError.self) { try OpenSSL("libnothing.so.0") }
        }
    }
#endif
