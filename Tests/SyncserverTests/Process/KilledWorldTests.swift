#if Server
    import Foundation
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncDynamic
    import SyncSchema
    import Testing

    extension LongProcessTests {
        /// Simulated people whose server, or database, is killed in the middle. Their promises are checked by what they
        /// wrote.
        @Suite(.enabled(if: PostgresCluster.programs != nil)) struct KilledWorldTests {
            /// A world over real processes.
            private struct World: Sendable {
                var seed: UInt64
                var target: KilledServers.Target
                /// A fault that is put into the database, and that only a kill shows.
                var fault: Fault?
                /// Whether nothing is killed.
                var isSpared = false
            }

            /// A fault in the database.
            enum Fault: String, Sendable {
                /// What is stored is not durable.
                case notDurable
                /// What was sent to a device is taken for received.
                case sentOnce

                var sql: String {
                    switch self {
                    case .notDurable:
                        """
                        do $$ declare name text; begin
                          for name in select c.oid::regclass from pg_class as c where c.relkind = 'r'
                            and (c.relnamespace = 'public'::regnamespace or c.oid = 'entitysync.state'::regclass)
                          loop execute 'alter table ' || name || ' set unlogged'; end loop;
                        end $$
                        """
                    case .sentOnce:
                        """
                        create table entitysync.sent (device text, entry text, primary key (device, entry));
                        grant select, insert on entitysync.sent to entitysync;
                        alter function public.entitysync_exchange(json) rename to sound_exchange;
                        create function public.entitysync_exchange(json) returns json
                        language plpgsql set search_path = '' as $$ begin
                          perform set_config('fault.device', $1 ->> 'device', true);
                          return public.sound_exchange($1);
                        end $$;
                        alter function entitysync.page rename to sound_page;
                        create function entitysync.page(
                          text[], text[], pg_snapshot[], pg_snapshot, xid8, bigint, text[], boolean, int, int,
                          out entries text, out shown integer, out has_more boolean, out last_xid xid8,
                          out last_number bigint, out hidden uuid[]
                        )
                        language plpgsql set search_path = '' as $$
                        declare
                          kept text[];
                        begin
                          select p.* into entries, shown, has_more, last_xid, last_number, hidden
                          from entitysync.sound_page($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as p;
                          kept := array(
                            select e.value::text
                            from json_array_elements(('[' || coalesce(entries, '') || ']')::json) with ordinality as e
                            where not exists (
                              select from entitysync.sent as s
                              where s.device = current_setting('fault.device') and s.entry = md5(e.value::text)
                            )
                            order by e.ordinality
                          );
                          insert into entitysync.sent
                          select current_setting('fault.device'), md5(k.entry) from unnest(kept) as k (entry);
                          entries := array_to_string(kept, ',');
                          shown := cardinality(kept);
                        end $$;
                        grant all on entitysync.sent to authenticated;
                        grant execute on all functions in schema entitysync, public to authenticated
                        """
                    }
                }
            }

            /// The result of a world.
            private struct Result {
                var outcome: OutsideSimulator.Outcome
                var kills: Int
                var lostAnswers: Int

                /// The seed, the story and the broken promises.
                var text: String {
                    "seed \(outcome.story.seed), \(outcome.headline), \(kills) kills, \(lostAnswers) answers lost\n"
                        + "\(outcome.lines.joined(separator: "\n"))\n\(outcome.violations)"
                }

                var rules: Set<String> { Set(outcome.violations.map(\.rule)) }
            }

            /// A PostgreSQL for the worlds of a test, which may be killed.
            private func withCluster(_ body: (PostgresCluster) async throws -> Void) async throws {
                let cluster = try await PostgresCluster(durability: .kill)
                defer { cluster.stop() }
                try await body(cluster)
            }

            private func play(_ world: World, on cluster: PostgresCluster) async throws -> Result {
                var result: Result?
                try await Stage.run { stage in
                    let schemas = try Self.writeSchemas(stage)
                    let servers = try await KilledServers(
                        count: world.target == .server ? 1 : 2,
                        stage: stage,
                        cluster: cluster,
                        database: cluster.makeDatabase(),
                        token: stage.token(name: "everyone"),
                        target: world.isSpared ? .none : world.target,
                        moments: world.fault == nil ? .anywhere : .afterAnswers,
                        seed: world.seed
                    )
                    if let fault = world.fault {
                        try await cluster.script(fault.sql, database: servers.database)
                    }
                    var simulator = OutsideSimulator(
                        schemas: [OutsideSchemas(name: "shipped", entities: schemas)],
                        places: [.server]
                    )
                    simulator.server = { _ in
                        LoopbackServer(
                            other: LoopbackServer.RemoteServer(
                                transport: servers,
                                purge: { try await servers.purge(days: $0) }
                            )
                        )
                    }
                    simulator.onStep = { try await servers.prepare(step: $0) }
                    let outcome = await simulator.play(world.seed)
                    result = Result(outcome: outcome, kills: servers.kills, lostAnswers: servers.lostAnswers)
                }
                return try #require(result)
            }

            /// Writes the schemas that ship into the folder `Shipped`.
            private static func writeSchemas(_ stage: Stage) throws -> [EntityDescriptor] {
                var folder = URL(fileURLWithPath: #filePath)
                for _ in 0..<4 { folder.deleteLastPathComponent() }
                folder.appendPathComponent("Schemas")
                var sources: [SchemaSource] = []
                for name in ["bookmark", "project", "read-status", "transaction"] {
                    let file = "\(name).schema.json"
                    let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                    try stage.write("Shipped/\(file)", text: text)
                    sources.append(SchemaSource(path: file, bytes: Array(text.utf8)))
                }
                let report = SchemaLoader.load(sources)
                try #require(report.isValid)
                return EntityDescriptor.descriptors(of: report.schemas)
            }

            private func play(seeds: [UInt64], target: KilledServers.Target) async throws {
                try await withCluster { cluster in
                    var (kills, lostAnswers) = (0, 0)
                    for seed in seeds {
                        let result = try await play(World(seed: seed, target: target), on: cluster)
                        #expect(result.outcome.violations.isEmpty, "\(result.text)")
                        kills += result.kills
                        lostAnswers += result.lostAnswers
                    }
                    #expect(
                        kills > seeds.count && lostAnswers > 0,
                        "\(kills) kills, \(lostAnswers) answers lost"
                    )
                }
            }

            @Test func everyPromiseIsKeptWhileTheServerIsKilled() async throws {
                try await play(seeds: [40, 44, 46, 51, 55], target: .server)
            }

            @Test func everyPromiseIsKeptWhileTheDatabaseIsKilled() async throws {
                try await play(seeds: [0, 2, 5, 11, 14, 18], target: .database)
            }

            /// A world without kills does not see the fault, and one with kills does: a promise is broken.
            @Test(
                arguments: [
                    (Fault.sentOnce, 23, KilledServers.Target.server, "same-everywhere"),
                    (Fault.notDurable, 14, .database, "same-everywhere"),
                ] as [(Fault, UInt64, KilledServers.Target, String)]
            )
            func aFaultThatOnlyAKillShowsIsFound(
                fault: Fault,
                seed: UInt64,
                target: KilledServers.Target,
                rule: String
            ) async throws {
                try await withCluster { cluster in
                    let world = World(seed: seed, target: target, fault: fault)
                    var spared = world
                    spared.isSpared = true
                    let calm = try await play(spared, on: cluster)
                    #expect(calm.rules == [] && calm.kills == 0, "\(calm.text)")
                    let result = try await play(world, on: cluster)
                    #expect(result.rules.contains(rule), "\(result.text)")
                }
            }
        }
    }
#endif
