#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    @testable import SyncPostgresServer
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// Tables in hash partitions by account, on plain PostgreSQL: an exchange reads the partition of its account.
        @Suite struct Partitions {
            private static let names = (1...20).map { "entity-\($0)" }
            private static let count = 4

            private static func schemas() throws -> [Schema] {
                let texts = names.enumerated().map { number, name in
                    let text = """
                        {
                          "title": "Entity\(number + 1)", "type": "object",
                          "properties": { "id": { "type": "string" }, "text": { "type": "string" } },
                          "required": ["id"],
                          "sync": { "key": "id", "strategy": "last-write-wins" }
                        }
                        """
                    return (name, text)
                }
                return try UserDatabase.schemas(Dictionary(uniqueKeysWithValues: texts))
            }

            /// The statement of a file that begins with some words, up to its end without the semicolon.
            private static func statement(_ beginning: String, in text: String) throws -> Substring {
                let start = try #require(text.range(of: beginning)).lowerBound
                let end = try #require(text[start...].range(of: "\n);")).lowerBound
                return text[start..<end] + "\n)"
            }

            /// Runs a test with partitioned tables of the entities, and of the states if they are asked for.
            private static func run(
                withStates: Bool,
                _ body: (UserDatabase) async throws -> Void
            ) async throws {
                let files = try PostgresGenerator.files(for: schemas(), options: PostgresOptions())
                var runtime = files[0].contents
                let entities = files[1].contents
                if withStates { runtime = try partitionedStates(runtime) }
                try await UserDatabase.run { database in
                    for name in names {
                        let table = "\"public\".\"\(name)\""
                        let statement = try statement("create table if not exists \(table)", in: entities)
                        let parts = partitions(of: "public", name: name)
                        try await database.cluster.script(
                            "\(statement) partition by hash (owner_id);\n\(parts)",
                            database: database.database
                        )
                    }
                    // Applied over the tables that are there, and once more.
                    for text in [runtime, entities, runtime, entities] {
                        try await database.cluster.script(text, database: database.database)
                    }
                    try await body(database)
                }
            }

            private static func partitions(of schema: String, name: String) -> String {
                (0..<count).map {
                    """
                    create table if not exists \(schema)."\(name)_p\($0)" partition of \(schema)."\(name)"
                      for values with (modulus \(count), remainder \($0));\n
                    """
                }.joined()
            }

            /// The runtime with states in partitions.
            private static func partitionedStates(_ runtime: String) throws -> String {
                let old = try statement("create table if not exists entitysync.state (", in: runtime)
                let new =
                    old + " partition by hash (space);\n"
                    + partitions(of: "entitysync", name: "state").dropLast(2)
                return runtime.replacingOccurrences(of: String(old), with: new)
            }

            private static func body(_ key: String, text: String) -> String {
                #"{"id":"\#(key)","text":"\#(text)"}"#
            }

            /// Pushes, plain SQL and pulls of two users; then what the statements of a pull and a push read.
            private static func exchange(in database: UserDatabase) async throws {
                func device(_ number: UInt64, _ user: Account) throws -> DatabaseDevice {
                    try database.device(number, of: user, entities: names)
                }
                let (phone, eve) = (try device(1, UserDatabase.ada), try device(2, UserDatabase.eve))
                for device in [phone, eve] {
                    let value = body("a", text: "\(device.device)")
                    let changes = names.map { device.change(entity: $0, key: "a", body: value) }
                    let answer = try await device.send(device.request(changes: changes))
                    #expect(answer.outcomes == Array(repeating: "accepted", count: names.count))
                }
                try await database.sql(
                    "insert into public.\"entity-1\" (id, text) values ('web', 'x'); delete from public.\"entity-2\"",
                    as: UserDatabase.ada
                )
                #expect(try await phone.pull().sorted() == ["-a", "web"])
                #expect(try await eve.pull().isEmpty)
                let others = try await device(3, UserDatabase.eve).changes().map {
                    String(decoding: $0.body, as: UTF8.self)
                }
                #expect(others == Array(repeating: body("a", text: "2"), count: names.count))
                let laptop = try device(4, UserDatabase.ada)
                let known = try await laptop.changes()
                #expect(known.count == names.count + 1)
                let first = try #require(known.first { $0.entity == "entity-3" })
                let edit = laptop.change(
                    entity: "entity-3",
                    key: "a",
                    body: body("a", text: "new"),
                    on: first
                )
                let last = try #require(known.first { $0.entity == "entity-4" })
                let gone = laptop.change(entity: "entity-4", key: "a", body: "{}", on: last, isDeleted: true)
                let answer = try await laptop.send(laptop.request(changes: [edit, gone]))
                #expect(answer.outcomes == ["accepted", "accepted"])
                #expect(try await phone.pull() == ["a", "-a"])
            }

            /// The partitions of tables that the statements of an exchange read, by the database's own plans.
            private static func read(_ request: [UInt8], in database: UserDatabase) async throws -> Set<
                String
            > {
                let claims = #"{"sub":"\#(UserDatabase.ada.id)","role":"authenticated"}"#
                let plans = try await database.cluster.notices(
                    """
                    load 'auto_explain';
                    set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
                    set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on;
                    set auto_explain.log_level = notice;
                    select set_config('request.jwt.claims', '\(claims)', false); set role authenticated;
                    select public.entitysync_exchange($json$\(String(decoding: request, as: UTF8.self))$json$)
                    """,
                    database: database.database
                )
                let lines = plans.split(separator: "\n").filter {
                    $0.contains(" Scan ") && $0.contains("_p") && !$0.contains("never executed")
                }
                return Set(
                    lines.compactMap { line in
                        line.firstMatch(of: /(?:on|using) "?((?:entity-\d+|state)_p\d)/).map { String($0.1) }
                    }
                )
            }

            /// Which partition of a table holds the rows of the user.
            private static func home(of table: String, column: String, in database: UserDatabase) async throws
                -> String
            {
                try await database.sql(
                    "select distinct tableoid::regclass from \(table) where \(column) = '\(UserDatabase.ada.id)'"
                )
            }

            @Test func anExchangeReadsOnlyThePartitionOfItsAccount() async throws {
                try await Self.run(withStates: false) { database in
                    try await Self.exchange(in: database)
                    let home = try #require(
                        try await Self.home(of: "public.\"entity-3\"", column: "owner_id", in: database)
                            .firstMatch(of: /p\d/)
                    ).0
                    let device = try database.device(9, entities: Self.names)
                    let pulled = try await Self.read(device.request(changes: []), in: database)
                    let live = Self.names.filter { $0 != "entity-2" && $0 != "entity-4" }
                    #expect(pulled == Set(live.map { "\($0)_\(home)" }))
                    let known = try await device.changes()
                    let edit = device.change(
                        entity: "entity-3",
                        key: "a",
                        body: Self.body("a", text: "later"),
                        on: known.first { $0.entity == "entity-3" }
                    )
                    let pushed = try await Self.read(device.request(changes: [edit]), in: database)
                    #expect(pushed.isSubset(of: pulled) && pushed.contains("entity-3_\(home)"))
                    #expect(
                        try await database.sql("select text from public.\"entity-3_\(home)\" order by 1")
                            == "later"
                    )
                }
            }

            /// The feed of a pull reads one partition of the states.
            @Test func statesCanBePartitioned() async throws {
                try await Self.run(withStates: true) { database in
                    try await Self.exchange(in: database)
                    let home = try await Self.home(of: "entitysync.state", column: "space", in: database)
                    let device = try database.device(9, entities: Self.names)
                    let first = try await Self.read(device.request(changes: []), in: database)
                    #expect(first.contains(home.replacingOccurrences(of: "entitysync.", with: "")))
                    try await device.pull()
                    let idle = try await Self.read(device.request(changes: []), in: database)
                    #expect(idle == [home.replacingOccurrences(of: "entitysync.", with: "")])
                }
            }
        }
    }
#endif
