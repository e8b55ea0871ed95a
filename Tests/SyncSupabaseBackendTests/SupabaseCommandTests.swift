#if Server
    import Foundation
    import PostgRESTDouble
    import ProgramRuns
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// `synccheck sync --remote supabase+…`: what it prints, its exit code, and that nothing is lost.
        @Suite struct CommandLine {
            /// A mistake in a setup.
            struct Mistake: Sendable, CustomTestStringConvertible {
                var testDescription: String
                /// What is done to the database first.
                var sql: String = ""
                var key: String = PostgRESTServer.publishableKey
                var token: String = User.ada.token()
                var exitCode: Int32 = 77
                /// A part of what stands after `error: `, and after `help: `.
                var error: String
                var help: String
            }

            /// Claims of Ada, with a member more.
            private static func claims(_ member: String) -> String {
                #"{"sub":"\#(User.ada.id)","role":"authenticated",\#(member)}"#
            }

            private static func sign(_ claims: String, secret: String = PostgRESTServer.secret) -> String {
                JSONWebToken.sign(claims: claims, secret: secret)
            }

            static let tokens: [Mistake] = [
                Mistake(
                    testDescription: "an expired token",
                    token: User.ada.token(secondsLeft: -60),
                    error: "The user's token has expired.",
                    help:
                        "Put a new access token of the user's session into the environment variable SYNCCHECK_TOKEN"
                ),
                Mistake(
                    testDescription: "a token of the future",
                    token: sign(claims(#""nbf":4000000000"#)),
                    error: "is not valid yet",
                    help: "Set the clocks"
                ),
                Mistake(
                    testDescription: "a token of another project",
                    token: sign(User.ada.claims(), secret: "another secret"),
                    error: "is not signed with a key of this project",
                    help: "Sign in again at this project"
                ),
                Mistake(
                    testDescription: "no JWT",
                    token: "sb_secret_something",
                    error: "is not a JWT",
                    help: "Give the access token of a user's session, not a key"
                ),
                Mistake(
                    testDescription: "a token without 'sub'",
                    token: sign(#"{"role":"authenticated"}"#),
                    error: "it has no claim 'sub'",
                    help: "Sign in as a user"
                ),
                Mistake(
                    testDescription: "a user that is no UUID",
                    token: User(id: "auth0|17").token(),
                    error: "its claim 'sub' is not a UUID",
                    help: "Sign in with a token of Supabase Auth"
                ),
                Mistake(
                    testDescription: "the key as the token",
                    token: sign(#"{"role":"anon","iss":"supabase"}"#),
                    error: "may not call 'entitysync_exchange'",
                    help: "the publishable key alone is not enough"
                ),
                Mistake(
                    testDescription: "a wrong publishable key",
                    key: "sb_publishable_wrong",
                    error: "does not accept the publishable key",
                    help: "into the environment variable SYNCCHECK_APIKEY"
                ),
                Mistake(
                    testDescription: "no publishable key",
                    key: "",
                    error: "has no publishable key",
                    help: "into the environment variable SYNCCHECK_APIKEY"
                ),
            ]

            static let databases: [Mistake] = [
                Mistake(
                    testDescription: "no SQL",
                    sql: "drop function public.entitysync_exchange(json)",
                    exitCode: 65,
                    error: "The database has no function 'entitysync_exchange'",
                    help: "'synccheck generate --sql postgres'"
                ),
                Mistake(
                    testDescription: "an older SQL",
                    sql: "drop function entitysync.enter(text, boolean)",
                    exitCode: 65,
                    error: "EntitySync's SQL in the database is incomplete, or of another version",
                    help: "'synccheck generate --sql postgres' writes to the project's database again"
                ),
                Mistake(
                    testDescription: "a right that was taken away",
                    sql: "revoke execute on function public.entitysync_exchange(json) from authenticated",
                    error: "may not call 'entitysync_exchange'",
                    help: "apply the generated SQL again"
                ),
            ]

            @Test(arguments: tokens, [false, true])
            func aWrongTokenOrKeyHasASentenceOfItsOwn(mistake: Mistake, isBefore13: Bool) async throws {
                try await check(mistake, isBefore13: isBefore13)
            }

            @Test(arguments: databases) func aDatabaseThatIsNotReadyHasASentence(mistake: Mistake)
                async throws
            {
                try await check(mistake, isBefore13: false)
            }

            /// Syncs an edit into the mistake, mends it, and checks that the edit arrives.
            private func check(_ mistake: Mistake, isBefore13: Bool) async throws {
                var settings = PostgRESTServer.Settings()
                settings.isBefore13 = isBefore13
                try await SupabaseProject.run(settings: settings) { project in
                    try await CommandLineDevice.run(project) { phone in
                        try await phone.must("put", "bookmark", Self.bookmark)
                        if !mistake.sql.isEmpty { try await project.admin.script(mistake.sql) }
                        let wrong = try await phone.sync(key: mistake.key, token: mistake.token)
                        #expect(wrong.exitCode == mistake.exitCode, "\(wrong)")
                        let lines = wrong.errorLines
                        try #require(lines.count == 2, "\(wrong)")
                        #expect(lines[0].hasPrefix("error: ") && lines[0].contains(mistake.error), "\(wrong)")
                        #expect(lines[1].hasPrefix("help: ") && lines[1].contains(mistake.help), "\(wrong)")
                        #expect(!wrong.error.contains(mistake.token), "a token is never printed")
                        #expect(try await phone.must("status", "--json").contains(#""pending":1"#))
                        try await project.applySQL()
                        let right = try await phone.sync()
                        #expect(right.exitCode == 0, "\(right)")
                        #expect(try await project.admin.value("select notes from public.bookmarks") == "mine")
                    }
                }
            }

            private static let bookmark =
                #"{"id":"\#(Body.key(1))","userId":"reader","surahNumber":2,"verseNumber":1,"notes":"mine"}"#

            /// Takes all policies from the bookmarks, and leaves row-level security on.
            private static let withoutPolicies = """
                do $$ declare name text; begin
                  for name in select policyname from pg_policies where tablename = 'bookmarks' loop
                    execute format('drop policy %I on public.bookmarks', name);
                  end loop;
                end $$
                """

            @Test func recordsThatNoPolicyShowsAreNotPassedBy() async throws {
                try await SupabaseProject.run { project in
                    try await CommandLineDevice.run(project) { phone in
                        try await project.session(.ada).run(Body.insertBookmark(2, notes: "of the web"))
                        try await phone.must("put", "bookmark", Self.bookmark)
                        try await project.admin.script(Self.withoutPolicies)
                        let wrong = try await phone.sync()
                        #expect(wrong.exitCode == 77, "\(wrong)")
                        #expect(
                            wrong.error.contains("has no policy by which users read its rows"),
                            "\(wrong)"
                        )
                        #expect(wrong.error.contains("'synccheck doctor --database URL'"), "\(wrong)")
                        #expect(try await phone.must("status", "--json").contains(#""pending":1"#))
                        try await project.applySQL()
                        #expect(try await phone.sync().exitCode == 0)
                        #expect(try await phone.must("export", "bookmark").contains("of the web"))
                        #expect(
                            try await project.admin.value("select count(*) from public.bookmarks") == "2"
                        )
                    }
                }
            }

            @Test func whatNoPolicyLetsInIsRejectedAndCanBeSentAgain() async throws {
                try await SupabaseProject.run { project in
                    try await CommandLineDevice.run(project) { phone in
                        try await phone.must("put", "bookmark", Self.bookmark)
                        try await project.admin.script(Self.withoutPolicies)
                        let wrong = try await phone.sync()
                        #expect(
                            wrong.exitCode == 1 && wrong.output.contains("See 'synccheck rejected --"),
                            "\(wrong)"
                        )
                        let why = try await phone.must("rejected")
                        #expect(why.contains("The account may not write this record. [row-level-security]"))
                        #expect(try await phone.must("status").contains("'synccheck rejected retry --"))
                        try await project.applySQL()
                        try await phone.must("rejected", "retry")
                        #expect(try await phone.sync().exitCode == 0)
                        #expect(try await project.admin.value("select notes from public.bookmarks") == "mine")
                    }
                }
            }

            @Test func aStoreOfAnotherAccountIsNotMixedUp() async throws {
                try await SupabaseProject.run { project in
                    try await CommandLineDevice.run(project) { phone in
                        try await project.session(.ada).run(Body.insertBookmark(1, notes: "of the web"))
                        #expect(try await phone.sync().exitCode == 0)
                        #expect(try await phone.must("export", "bookmark").contains("of the web"))
                        let eve = try await phone.sync(token: User.eve.token())
                        #expect(eve.exitCode == 65 && eve.error.contains("another account"), "\(eve)")
                    }
                }
            }
        }
    }

    /// A device of the command line, in a folder of its own.
    struct CommandLineDevice {
        private let folder: URL
        private let url: String

        /// Runs a test with a device and a project behind a socket.
        static func run(
            _ project: SupabaseProject,
            _ body: (CommandLineDevice) async throws -> Void
        ) async throws {
            try await PostgRESTHost.run(project.rest) { url in
                let folder = FileManager.default.temporaryDirectory
                    .appendingPathComponent("project-" + UUID().uuidString)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                try await body(CommandLineDevice(folder: folder, url: url))
            }
        }

        /// Syncs once.
        func sync(
            key: String = PostgRESTServer.publishableKey,
            token: String = User.ada.token()
        ) async throws -> Run {
            try await run(["sync", "--remote", "supabase+\(url)"], key: key, token: token)
        }

        /// Runs a command.
        func run(_ arguments: String...) async throws -> Run { try await run(arguments, key: "", token: "") }

        /// Runs a command that must succeed. Returns its output.
        @discardableResult
        func must(_ arguments: String...) async throws -> String {
            let run = try await run(arguments, key: "", token: "")
            #expect(run.exitCode == 0, "\(arguments): \(run.error)")
            return run.output
        }

        private func run(_ arguments: [String], key: String, token: String) async throws -> Run {
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
#endif
