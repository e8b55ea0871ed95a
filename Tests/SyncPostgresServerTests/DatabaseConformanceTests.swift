#if Server
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import SyncPostgresServer
    import SyncServer
    import SyncServerBackend
    import Testing

    /// The tests with a PostgreSQL of their own.
    @Suite(.enabled(if: PostgresCluster.programs != nil)) enum DatabaseTests {}

    /// Without PostgreSQL nothing is skipped unseen.
    @Test func postgreSQLIsThereToBeTested() {
        if PostgresCluster.programs == nil { Issue.record("\(PostgresCluster.notInstalled)") }
    }

    extension DatabaseTests {
        /// A server over PostgreSQL keeps every guarantee of a remote.
        @Suite struct Conformance {
            @Test func aDatabaseKeepsEveryGuarantee() async throws {
                try await DatabaseBench.runAlone { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let server = bench.server(handler)
                    let subject = ServerSubject(
                        url: try ServerURL(LoopbackServer.url),
                        credentials: FixedToken(text: "token"),
                        entities: ScratchSchemas.entities,
                        environment: HTTPEnvironment(
                            clock: server.clock,
                            random: SeededRandom(1),
                            sleeper: NoSleep(),
                            transport: server
                        )
                    )
                    let results = await BackendSuite.run(subject: subject)
                    #expect(results.count > 40)
                    for result in results { #expect(!result.isFailure, "\(result)") }
                }
            }
        }
    }
#endif
