#if Server
    import PostgresCluster
    import SyncCore
    @testable import SyncPostgresServer
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// SQL that is applied to a table in use.
        @Suite struct Applying {
            private static let schema = """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "OldNote", "type": "object",
                 "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
                 "required": ["id", "text"],
                 "sync": {"key": "id", "strategy": "last-write-wins", "indexes": [["text"]],
                   "sql": {"table": "public.note"}}}
                """
            /// Each row has a block of the table for itself.
            private static let table = """
                create table public.note (
                  id text primary key, owner_id uuid not null, text text not null, filling text not null default ''
                );
                alter table public.note alter column filling set storage plain;
                insert into public.note
                select 'n' || lpad(i::text, 5, '0'), '\(UserDatabase.ada.id)', 'from before', repeat('x', 5000)
                from generate_series(1, 250) as i;
                """

            private static func run(_ body: (UserDatabase, [Schema]) async throws -> Void) async throws {
                let schemas = try UserDatabase.schemas(["note": schema])
                try await UserDatabase.run { database in
                    try await database.sql(table)
                    try await body(database, schemas)
                }
            }

            /// A transaction that is open until the function ends.
            private static func whileOpen(
                _ statement: String,
                in database: UserDatabase,
                _ body: () async throws -> Void
            ) async throws {
                let url = try #require(PostgresURL(database.cluster.url(database: database.database)))
                let connection = try PostgresConnection(url: url, timeouts: PostgresConnection.Timeouts())
                try connection.script("begin; \(statement)")
                try await body()
                try connection.script("commit")
            }

            /// Rows whose states are unknown, as on the day on which the triggers were made.
            private static func forgetStates(in database: UserDatabase) async throws {
                try await database.sql(
                    """
                    delete from entitysync.state;
                    delete from entitysync.log;
                    select entitysync.adopt_again('note', '"public"."note"');
                    """
                )
            }

            @Test(arguments: [false, true])
            func unchangedSQLNeedsNoLock(isExisting: Bool) async throws {
                try await Self.run { database, schemas in
                    try await database.apply(schemas, isExisting: isExisting)
                    // Beside it, nobody can change, index or comment the table, or write to it.
                    let lock = "lock table public.note in share row exclusive mode"
                    try await Self.whileOpen(lock, in: database) {
                        let own = ["state", "log", "view"].map {
                            "lock table entitysync.\($0) in share row exclusive mode"
                        }
                        try await Self.whileOpen(own.joined(separator: ";"), in: database) {
                            try await database.apply(schemas, isExisting: isExisting)
                        }
                    }
                }
            }

            @Test func whoReadsMeanwhileDoesNotWaitForOneWhoReadsForLong() async throws {
                try await Self.run { database, schemas in
                    let isApplied = Guarded(false)
                    let application = try await Self.applied(schemas, to: database, isApplied)
                    try await application.value
                    #expect(isApplied.use { $0 })
                    #expect(try await database.device(1, entities: "note").pull().count == 250)
                }
            }

            /// Applies SQL beside a long reader. Returns when that one has ended.
            private static func applied(
                _ schemas: [Schema],
                to database: UserDatabase,
                _ isApplied: Guarded<Bool>
            ) async throws -> Task<Void, any Error> {
                var application: Task<Void, any Error>?
                try await whileOpen("select count(*) from public.note", in: database) {
                    application = Task {
                        try await database.apply(schemas, isExisting: true)
                        isApplied.use { $0 = true }
                    }
                    // Until the lock was asked for, and then once more.
                    let waits =
                        "select count(*) from pg_locks where not granted and relation = 'public.note'::regclass"
                    while try await database.sql(waits) == "0" {}
                    for _ in 0..<3 {
                        #expect(try await database.sql("select count(*) from public.note") == "250")
                    }
                    #expect(!isApplied.use { $0 })
                }
                return try #require(application)
            }

            @Test func aFullStateIsNotCompleteBeforeAllRowsWereLookedAt() async throws {
                try await Self.run { database, schemas in
                    try await database.apply(schemas, isExisting: true)
                    #expect(try await database.device(1, entities: "note").pull().count == 250)
                    try await Self.forgetStates(in: database)
                    let tablet = try database.device(2, entities: "note")
                    let first = try await tablet.send(tablet.request(changes: []))
                    #expect(first.hasMore)
                    #expect(first.changes.count < 250)
                    let isSnapshot = first.isSnapshot
                    #expect(isSnapshot)
                    let others = try await tablet.pull()
                    #expect(first.changes.count + others.count == 250)
                }
            }

            @Test func aPushMeetsARowThatNobodyHasLookedAt() async throws {
                try await Self.run { database, schemas in
                    try await database.apply(schemas, isExisting: true)
                    try await Self.forgetStates(in: database)
                    // Somebody else is looking at the rows just now.
                    try await Self.whileOpen("select from entitysync.adoption for update", in: database) {
                        let phone = try database.device(1, entities: "note")
                        let body = #"{"id":"n00200","text":"of the phone"}"#
                        let answer = try await phone.insist(
                            phone.request(changes: [phone.change(entity: "note", key: "n00200", body: body)])
                        )
                        #expect(answer.outcomes == ["conflict"])
                    }
                    let text = "select text from public.note where id = 'n00200'"
                    #expect(try await database.sql(text) == "from before")
                }
            }

            /// A device that has seen all goes on with a cursor of its own while rows are looked at that say nothing new.
            @Test func aDeviceWithoutNewsSyncsWhileRowsAreAdopted() async throws {
                try await Self.run { database, schemas in
                    try await database.apply(schemas, isExisting: true)
                    let phone = try database.device(1, entities: "note")
                    #expect(try await phone.pull().count == 250)
                    try await database.sql("select entitysync.adopt_again('note', '\"public\".\"note\"')")
                    #expect(try await phone.pull() == [])
                }
            }

            @Test func adoptionCanBeCalledAgainAtAnyTime() async throws {
                try await Self.run { database, schemas in
                    try await database.apply(schemas, isExisting: true)
                    try await Self.forgetStates(in: database)
                    try await database.sql("call entitysync.adopt()")
                    try await database.sql("call entitysync.adopt()")
                    let logged = "select sum(cardinality(keys)) from entitysync.log"
                    #expect(try await database.sql(logged) == "250")
                    #expect(try await database.device(1, entities: "note").pull().count == 250)
                }
            }
        }
    }
#endif
