#if Server
    import SyncChecks
    import SyncCore
    import SyncServer
    import SyncWire
    import Testing

    @testable import syncserver

    /// Streams of events that last longer than the token they were opened with.
    @Suite(.ownThreads) struct LoginStreamTests {
        private let bench: LoginBench

        init() throws { bench = try LoginBench() }

        private struct Streams: AccountHandler {
            func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer {
                .events(topic: account.id)
            }
        }

        /// Opens a stream with a token, and returns what asks whether it may go on.
        private func open(_ token: String, _ authenticator: LoginAuthenticator) throws -> () -> Bool {
            let handler = RequestHandler(
                authenticator: authenticator,
                accounts: Streams(),
                clock: bench.clock,
                random: SeededRandom(1),
                openAPI: []
            )
            let head = ServerRequest(
                method: "GET",
                path: WireProtocol.eventsPath,
                headers: [HTTPHeader(name: "Authorization", value: "Bearer \(token)")]
            )
            guard case .admitted(let request) = handler.admit(head, declaredBytes: 0) else {
                throw WireError(code: .unauthorized, detail: "The token was refused.")
            }
            return { handler.isStillAdmitted(request) }
        }

        @Test func aStreamEndsWithItsToken() async throws {
            let login = try await TestLogin(.es256)
            let authenticator = try await bench.authenticator(login)
            let mayGoOn = try open(try await login.token("ada", expires: bench.now + 100), authenticator)
            bench.clock.advance(seconds: 159)
            #expect(mayGoOn())
            bench.clock.advance(seconds: 1)
            #expect(!mayGoOn())
        }

        @Test func aStreamEndsWithItsAccount() async throws {
            let login = try await TestLogin(.es256)
            let authenticator = try await bench.authenticator(login)
            let mayGoOn = try open(try await login.token("ada"), authenticator)
            #expect(mayGoOn())
            try bench.accounts.remove("ada")
            #expect(!mayGoOn())
            #expect(try bench.accounts.list().count == 1, "it is not made anew")
        }
    }
#endif
