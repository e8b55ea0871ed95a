#if Server
    import PostgresCluster
    import SyncCore
    @testable import SyncPostgresServer
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// A database that its operator has made read-only.
        @Suite struct ReadOnly {
            @Test func aReadOnlyDatabaseIsNotWrittenToAndTheReasonIsTold() async throws {
                try await DatabaseBench.run { bench in
                    let before = try await bench.handler()
                    try await DatabaseDevice(before, device: 1).push(keys: "a")
                    try await bench.sql("delete from public.\"scratch-note\"")
                    before.stop()
                    try await bench.setReadOnly(true)
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let phone = DatabaseDevice(handler, device: 2)
                    let request = phone.request(changes: [phone.note(key: "b")])
                    let push = await #expect(throws: WireError.self) { try await phone.send(request) }
                    #expect(push?.code == .unavailable && push?.storage == .readOnly)
                    let purge = await #expect(throws: (any Error).self) {
                        try await handler.purgeTombstones(olderThanDays: 0)
                    }
                    #expect("\(purge.map { "\($0)" } ?? "")".contains("25006"))
                    let erasure = #expect(throws: SyncError.self) {
                        try PostgresAccounts(url: bench.url).erase(account: Account.ada.id)
                    }
                    #expect(erasure?.message.contains("25006") == true)
                    #expect(await handler.storageFailure() == .readOnly)
                    let counts = """
                        select (select count(*) from entitysync.state), (select count(*) from entitysync.device),
                          (select count(*) from public."scratch-note")
                        """
                    #expect(try await bench.sql(counts) == "1|1|0")
                    try await bench.setReadOnly(false)
                    try await bench.endConnections()
                    #expect(try await phone.insist(request).outcomes == ["accepted"])
                }
            }

            @Test func aStartOnAReadOnlyDatabaseWithoutTheSQLChangesNothingAndSaysWhatToDo() async throws {
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                try await cluster.setReadOnly(true, database: database)
                let url = try #require(PostgresURL(cluster.url(database: database)))
                let options = PostgresServerOptions(url: url, schemas: ScratchSchemas.all)
                let error = await #expect(throws: SyncError.self) {
                    try await PostgresInstallation(options: options).apply()
                }
                #expect(error?.message.contains("read-only") == true, "\(String(describing: error))")
                #expect(error?.help.contains("default_transaction_read_only") == true)
                let made = """
                    select count(*) from pg_namespace where nspname not like 'pg\\_%'
                      and nspname not in ('public', 'information_schema')
                    """
                #expect(try await cluster.sql(made, database: database) == "0")
                try await cluster.setReadOnly(false, database: database)
                try await PostgresInstallation(options: options).apply()
                try await cluster.removeDatabase(database)
            }
        }
    }

    extension PostgresCluster {
        /// Makes a database read-only for connections from now on, or takes that back.
        func setReadOnly(_ isReadOnly: Bool, database: String) async throws {
            try await sql(
                "alter database \(database) set default_transaction_read_only = \(isReadOnly ? "on" : "off")",
                database: "postgres"
            )
        }
    }

    extension DatabaseBench {
        fileprivate func setReadOnly(_ isReadOnly: Bool) async throws {
            try await cluster.setReadOnly(isReadOnly, database: database)
        }

        /// Ends all connections to the database but this one, so that its settings hold for all.
        fileprivate func endConnections() async throws {
            try await sql(
                """
                select count(pg_terminate_backend(pid)) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()
                """
            )
        }
    }
#endif
