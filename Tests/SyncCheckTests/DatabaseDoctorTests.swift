#if Server
    import Foundation
    import PostgresCluster
    import ProgramRuns
    import Testing

    /// `synccheck doctor --database`.
    @Suite(.enabled(if: PostgresCluster.programs != nil)) struct DatabaseDoctorTests {
        /// Runs a test with a database, with the SQL of the sample schemas if wanted.
        private func run(
            hasSQL: Bool = true,
            _ body: (Scratch, PostgresCluster, _ database: String) async throws -> Void
        ) async throws {
            let scratch = try Scratch()
            let cluster = try await PostgresCluster.shared()
            try await cluster.withDatabase(template: "template0") { database in
                if hasSQL { try await apply(scratch, cluster: cluster, database: database) }
                try await body(scratch, cluster, database)
            }
        }

        /// Applies what `generate` writes.
        private func apply(_ scratch: Scratch, cluster: PostgresCluster, database: String) async throws {
            try scratch.must(
                arguments: "generate",
                "--sql",
                "postgres",
                "--stand-alone",
                "--output",
                "sql",
                "Schemas"
            )
            let folder = scratch.folder.appendingPathComponent("sql")
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                try await cluster.script(text, database: database)
            }
        }

        @Test func aHealthyDatabaseEndsWith0() async throws {
            try await run { scratch, cluster, database in
                let url = cluster.url(database: database)
                let text = try scratch.must(arguments: "doctor", "--database", url)
                #expect(text == "All is well: tables, policies, triggers and rows are as the schemas say.\n")
                let findings = try object(
                    text: scratch.must(arguments: "doctor", "--json", "--database", url)
                )
                #expect((findings["findings"] as? [Any])?.isEmpty == true)
            }
        }

        @Test func aTableWithoutPoliciesIsAFindingWithWhatToDo() async throws {
            try await run { scratch, cluster, database in
                let url = cluster.url(database: database)
                try await cluster.sql(
                    """
                    do $$ declare name text; begin
                      for name in select policyname from pg_policies where schemaname = 'public' and tablename = 'note'
                      loop execute format('drop policy %I on public.note', name); end loop;
                    end $$
                    """,
                    database: database
                )
                let run = try scratch.run(arguments: "doctor", "--database", url)
                #expect(run.exitCode == 1 && run.error.isEmpty, "\(run)")
                #expect(
                    run.output == """
                        note: error: The table has no policy, so that no user sees a row.
                        help: Apply the generated SQL again.

                        """
                )
                let json = try object(
                    text: scratch.run(arguments: "doctor", "--json", "--database", url).output
                )
                let finding = try #require((json["findings"] as? [[String: String]])?.first)
                #expect(finding["severity"] == "error" && finding["entity"] == "note")
                try await apply(scratch, cluster: cluster, database: database)
                try scratch.must(arguments: "doctor", "--database", url)
            }
        }

        @Test func aDatabaseWithoutTheSQLIsAFinding() async throws {
            try await run(hasSQL: false) { scratch, cluster, database in
                let run = try scratch.run(arguments: "doctor", "--database", cluster.url(database: database))
                #expect(run.exitCode == 1, "\(run)")
                #expect(
                    run.output == """
                        error: The database has no SQL of EntitySync.
                        help: Apply the SQL that 'synccheck generate --sql postgres' writes.

                        """
                )
            }
        }

        @Test func anOlderAndANewerSQLAreFindings() async throws {
            try await run { scratch, cluster, database in
                let url = cluster.url(database: database)
                for (version, help) in [
                    ("1", "'synccheck generate --sql postgres'"), ("99", "newer program"),
                ] {
                    try await cluster.sql(
                        "update entitysync.installation set sql_version = \(version)",
                        database: database
                    )
                    let run = try scratch.run(arguments: "doctor", "--database", url)
                    #expect(
                        run.exitCode == 1 && run.output.contains("version \(version) of the SQL"),
                        "\(run)"
                    )
                    #expect(run.output.contains(help), "\(run)")
                }
            }
        }

        @Test func aServerThatIsDownEndsWith69() throws {
            let run = try Scratch().run(
                arguments: "doctor",
                "--database",
                "postgres://me:hunter2@127.0.0.1:1/records"
            )
            #expect(run.exitCode == 69 && run.output.isEmpty, "\(run)")
            #expect(
                run.error.hasPrefix("error: The database at '127.0.0.1:1/records' cannot be reached"),
                "\(run)"
            )
            #expect(run.error.contains("help: Start it, or correct"), "\(run)")
            #expect(!run.error.contains("hunter2"))
        }

        @Test func aWrongPasswordIsNamed() async throws {
            let cluster = try await PostgresCluster(isDurable: false)
            defer { cluster.stop() }
            try await cluster.sql("create role careful login password 'right'", database: "postgres")
            let file = cluster.folder.appendingPathComponent("data/pg_hba.conf")
            let rules = try String(contentsOf: file, encoding: .utf8)
            let rule = "host all careful 127.0.0.1/32 scram-sha-256\n"
            try (rule + rules).write(to: file, atomically: false, encoding: .utf8)
            try await cluster.sql("select pg_reload_conf()", database: "postgres")
            let scratch = try Scratch()
            func doctor(_ password: String) throws -> Run {
                let url = "postgres://careful:\(password)@127.0.0.1:\(cluster.port)/postgres"
                return try scratch.run(arguments: "doctor", "--database", url)
            }
            // The server reads the rules a moment later.
            var wrong = try doctor("hunter2")
            for _ in 0..<100 where !wrong.error.contains("password") {
                try await Task.sleep(for: .milliseconds(50))
                wrong = try doctor("hunter2")
            }
            #expect(wrong.exitCode == 69 && wrong.output.isEmpty, "\(wrong)")
            #expect(wrong.error.contains("password authentication failed"), "\(wrong)")
            #expect(wrong.error.contains("help: Start it, or correct host, port, user, password"), "\(wrong)")
            #expect(!wrong.error.contains("hunter2"))
            #expect(try doctor("right").exitCode == 1, "the database has no SQL")
        }

        @Test func aURLThatIsNoneEndsWith64() throws {
            let run = try Scratch().run(arguments: "doctor", "--database", "postgres://me@[::1/records")
            #expect(run.exitCode == 64 && run.error.contains("help: Write it as"), "\(run)")
        }
    }
#endif
