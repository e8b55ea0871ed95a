#if Server
    import Foundation
    import PostgRESTDouble
    import ProgramRuns
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import SyncSupabaseBackend
    import Testing

    extension SupabaseTests {
        /// The same over a socket: the system's transport, and the command line.
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

            @Test func theCommandLineSyncsWithAProjectAndSaysWhatIsMissing() async throws {
                try await SupabaseProject.run { project in
                    try await PostgRESTHost.run(project.rest) { url in
                        let folder = FileManager.default.temporaryDirectory
                            .appendingPathComponent("project-" + UUID().uuidString)
                        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                        defer { try? FileManager.default.removeItem(at: folder) }
                        let sync = ["sync", "--remote", "supabase+\(url)"]
                        try await project.session(.ada).run(Body.insertBookmark(1, notes: "of the web"))
                        let first = try await run(sync, in: folder)
                        #expect(first.exitCode == 0, "\(first.error)")
                        let export = try await run(["export", "bookmark"], in: folder)
                        #expect(export.output.contains("of the web"), "\(export)")
                        let badKey = try await run(sync, in: folder, key: "wrong")
                        #expect(
                            badKey.exitCode == 77 && badKey.error.contains("publishable key"),
                            "\(badKey)"
                        )
                        let expired = try await run(sync, in: folder, token: User.ada.token(secondsLeft: -9))
                        #expect(expired.exitCode == 77, "\(expired)")
                        let eve = try await run(sync, in: folder, token: User.eve.token())
                        #expect(eve.exitCode == 65 && eve.error.contains("another account"), "\(eve)")
                        try await project.admin.run("drop function public.entitysync_exchange(json)")
                        let missing = try await run(sync, in: folder)
                        #expect(missing.exitCode == 65, "\(missing)")
                        #expect(missing.error.contains("synccheck generate --sql postgres"), "\(missing)")
                    }
                }
            }

            private func run(
                _ arguments: [String],
                in folder: URL,
                key: String = PostgRESTServer.publishableKey,
                token: String = User.ada.token()
            ) async throws -> Run {
                var environment = ProcessInfo.processInfo.environment
                (environment["SYNCCHECK_APIKEY"], environment["SYNCCHECK_TOKEN"]) = (key, token)
                let schemas = ShippedSchemas.folder.path
                return try await Child(
                    program: Program.synccheck.url,
                    arguments: arguments + ["--schemas", schemas, "--store", "store.sqlite"],
                    in: folder,
                    environment: environment
                ).end()
            }
        }
    }
#endif
