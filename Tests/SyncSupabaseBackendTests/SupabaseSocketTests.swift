#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import SyncSupabaseBackend
    import Testing

    extension SupabaseTests {
        /// The same over a socket: the system's transport.
        @Suite struct Sockets {
            @Test func aDeviceSyncsOverTheSystemsTransport() async throws {
                try await SupabaseProject.run { project in
                    try await PostgRESTHost.run(project.rest) { url in
                        let session = SessionSource(User.ada.token())
                        let backend = SupabaseBackend(
                            url: try ServerURL(url),
                            publishableKey: PostgRESTServer.publishableKey,
                            session: session,
                            environment: HTTPEnvironment(
                                clock: PresentTime(),
                                random: SeededRandom(1),
                                sleeper: NoSleep()
                            )
                        )
                        let phone = try SupabaseDevice(backend: backend, session: session, seed: 1)
                        try phone.putBookmark(key: Body.key(1), notes: "mine")
                        try await phone.syncToRest()
                        #expect(try await project.admin.value("select notes from bookmarks") == "mine")
                        #expect(project.rest.requests.count == 3)
                    }
                }
            }
        }
    }
#endif
