#if Server
    import Foundation
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncDynamic
    import SyncHTTPClient
    @testable import SyncPostgresServer
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// Simulated people on simulated devices, with the real engine and a real PostgreSQL. Their promises are checked by
        /// what they wrote.
        @Suite struct Worlds {
            /// The schemas that ship.
            private static func shipped() throws -> [Schema] {
                let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Schemas")
                let report = SchemaLoader.load(
                    try ["bookmark", "project", "read-status", "transaction"].map { name in
                        let file = folder.appendingPathComponent("\(name).schema.json")
                        return SchemaSource(
                            path: file.lastPathComponent,
                            bytes: [UInt8](try Data(contentsOf: file))
                        )
                    }
                )
                try #require(report.isValid)
                return report.schemas
            }

            @Test(arguments: [11, 23, 37, 41, 58, 64] as [UInt64])
            func everyPromiseIsKeptOverADatabase(seed: UInt64) async throws {
                let schemas = try Self.shipped()
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                let handler = try await PostgresHandler(
                    options: PostgresServerOptions(
                        url: try #require(PostgresURL(cluster.url(database: database))),
                        schemas: schemas
                    ),
                    onChange: { _ in },
                    onMissedChanges: {}
                )
                defer { handler.stop() }
                let entities = schemas.map { EntityDescriptor(schema: $0) }
                var simulator = OutsideSimulator(
                    schemas: [OutsideSchemas(name: "shipped", entities: entities)],
                    places: [.server]
                )
                simulator.server = { _ in LoopbackServer(entities: entities) { handler } }
                let outcome = await simulator.play(seed)
                #expect(
                    outcome.violations.isEmpty,
                    "seed \(seed), \(outcome.headline)\n\(outcome.lines.joined(separator: "\n"))\n\(outcome.violations)"
                )
            }
        }
    }
#endif
