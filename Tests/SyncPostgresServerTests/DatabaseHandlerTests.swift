#if Server
    import Foundation
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncServer
    @testable import SyncPostgresServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Several processes on one database, each with a handler of its own.
        @Suite struct Handlers {
            @Test func whatOneHandlerStoresTheOtherOneGives() async throws {
                try await DatabaseBench.run { bench in
                    let counts = Reports()
                    let first = try await bench.handler(onPush: {
                        counts.add("\($0.accepted) \($0.conflicts) \($0.refused)")
                    })
                    let second = try await bench.handler()
                    defer { [first, second].forEach { $0.stop() } }
                    let (phone, laptop) = (
                        DatabaseDevice(first, device: 1), DatabaseDevice(second, device: 2)
                    )
                    #expect(try await phone.push(keys: "a", "b").outcomes == ["accepted", "accepted"])
                    #expect(try await laptop.pull() == ["a", "b"])
                    #expect(try await laptop.push(keys: "a", "c").outcomes == ["conflict", "accepted"])
                    #expect(try await phone.pull() == ["c"])
                    #expect(try await DatabaseDevice(second, device: 3, account: .eve).pull() == [])
                    #expect(counts.all == ["2 0 0"])
                }
            }

            @Test func aChangeReachesTheStreamsOfEveryHandler() async throws {
                try await DatabaseBench.run { bench in
                    let (mine, others) = (Reports(), Reports())
                    let first = try await bench.handler(onChange: { mine.add($0) })
                    let second = try await bench.handler(onChange: { others.add($0) })
                    defer { [first, second].forEach { $0.stop() } }
                    let topic = PostgresSpace(accountID: "ada").id
                    let request = ServerRequest(method: "GET", path: "/v1/events")
                    for handler in [first, second] {
                        #expect(try await handler.answer(request, for: .ada) == .events(topic: topic))
                    }
                    let phone = DatabaseDevice(first, device: 1)
                    try await phone.push(keys: "a")
                    #expect(try await others.become { $0 == [topic] })
                    #expect(try await mine.become { $0 == [topic] })
                    _ = try await phone.pull()
                    try await bench.sql(
                        """
                        insert into public."scratch-note" (id, title, "createdAt", "updatedAt", owner_id)
                        values ('web', 'of the web', now(), now(), '\(topic)')
                        """
                    )
                    #expect(try await others.become { $0 == [topic, topic] })
                    #expect(try await mine.become { $0 == [topic, topic] })
                    #expect(try await phone.pull() == ["web"])
                }
            }

            @Test func manyProcessesMayStartAtOnceOnAnEmptyDatabase() async throws {
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                let url = try #require(PostgresURL(cluster.url(database: database)))
                let options = PostgresServerOptions(url: url, schemas: ScratchSchemas.all)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask { try await PostgresInstallation(options: options).apply() }
                    }
                    try await group.waitForAll()
                }
                let applied = try await cluster.sql(
                    "select length(digest) from entitysync.installation",
                    database: database
                )
                #expect(applied == "64")
                try await cluster.removeDatabase(database)
            }

            @Test func manyDatabasesOfOneServerMayBeSetUpAtOnce() async throws {
                let cluster = try await PostgresCluster(isDurable: false)
                defer { cluster.stop() }
                var options: [PostgresServerOptions] = []
                for _ in 0..<6 {
                    let url = try #require(
                        PostgresURL(cluster.url(database: try await cluster.makeDatabase()))
                    )
                    options.append(PostgresServerOptions(url: url, schemas: ScratchSchemas.all))
                }
                // Roles are shared by all databases of a server.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for options in options {
                        group.addTask { try await PostgresInstallation(options: options).apply() }
                    }
                    try await group.waitForAll()
                }
                let roles =
                    "select count(*) from pg_roles where rolname in ('anon', 'authenticated', 'service_role')"
                #expect(try await cluster.sql(roles, database: "postgres") == "3")
            }

            @Test func anAccountExchangesOnlyItsEntities() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let account = Account(id: "ada", name: "Ada", entities: ["scratch-shelf"])
                    let phone = DatabaseDevice(handler, device: 1, account: account)
                    let answer = try await phone.push(keys: "a")
                    #expect(answer.outcomes == ["forbidden"])
                    #expect(answer.refused.map { "\($0.entity) \($0.rule)" } == ["scratch-note forbidden"])
                    #expect(try await bench.sql("select count(*) from entitysync.state") == "0")
                }
            }

            @Test func theMaintenancePurgesByAgeAndLeavesScratchLogsAlone() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    try await DatabaseDevice(handler, device: 1).push(keys: "a", "b")
                    try await bench.sql(
                        """
                        update entitysync.state set is_deleted = true, stored_at = now() - interval '181 days' where key = 'a'
                        """
                    )
                    #expect(try await handler.purgeTombstones(account: "eve") == 0)
                    #expect(try await handler.purgeTombstones(olderThanDays: 200) == 0)
                    #expect(try await handler.purgeTombstones() == 1)
                }
            }
        }
    }
#endif
