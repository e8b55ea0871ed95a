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
    import SyncServerBackend
    import Testing

    /// A database of its own for one test, with the SQL of the scratch entities.
    final class DatabaseBench: Sendable {
        let cluster: PostgresCluster
        let database: String
        let url: PostgresURL

        /// Runs a test with a database, which is removed afterwards.
        static func run(_ body: (DatabaseBench) async throws -> Void) async throws {
            let cluster = try await PostgresCluster.shared()
            try await cluster.withDatabase(template: Template.shared.name(in: cluster)) { database in
                try await body(DatabaseBench(cluster: cluster, database: database))
            }
        }

        /// Runs a test on a server of its own, where nobody else has transactions.
        static func runAlone(isDurable: Bool = false, _ body: (DatabaseBench) async throws -> Void)
            async throws
        {
            let cluster = try await PostgresCluster(isDurable: isDurable)
            defer { cluster.stop() }
            try await body(DatabaseBench(cluster: cluster, database: "postgres"))
        }

        private init(cluster: PostgresCluster, database: String) throws {
            (self.cluster, self.database) = (cluster, database)
            url = try #require(PostgresURL(cluster.url(database: database)))
        }

        /// Makes a handler, as another process would.
        func handler(
            statementSeconds: Double = 30,
            maxConnections: Int = 8,
            onPush: @escaping @Sendable (PushCounts) -> Void = { _ in },
            onChange: @escaping @Sendable (String) -> Void = { _ in }
        ) async throws -> PostgresHandler {
            try await PostgresHandler(
                options: PostgresServerOptions(
                    url: url,
                    schemas: ScratchSchemas.all,
                    maxConnections: maxConnections,
                    statementSeconds: statementSeconds
                ),
                onPush: onPush,
                onChange: onChange,
                onMissedChanges: {}
            )
        }

        /// A server in front of a handler, with one account whose token is `token`.
        func server(_ handler: PostgresHandler) -> LoopbackServer {
            let server = LoopbackServer(entities: ScratchSchemas.entities) { handler }
            server.clock.advance(seconds: max(0, Int64(Date().timeIntervalSince(server.clock.now().date))))
            server.add(Account(id: "account-1", name: "one"), token: "token")
            return server
        }

        /// Runs SQL as the superuser.
        @discardableResult
        func sql(_ text: String) async throws -> String { try await cluster.sql(text, database: database) }
    }

    /// Makes the template of the databases with scratch entities once.
    actor Template {
        static let shared = Template()
        private var making: Task<String, any Error>?

        func name(in cluster: PostgresCluster) async throws -> String {
            let task =
                making
                ?? Task {
                    let name = try await cluster.makeDatabase()
                    let url = try #require(PostgresURL(cluster.url(database: name)))
                    let options = PostgresServerOptions(url: url, schemas: ScratchSchemas.all)
                    try await PostgresInstallation(options: options).apply()
                    return name
                }
            making = task
            return try await task.value
        }
    }

    /// The scratch entities as schemas.
    enum ScratchSchemas {
        static let all: [Schema] = {
            let texts = ["scratch-note": note, "scratch-shelf": shelf]
            let report = SchemaLoader.load(
                texts.map { SchemaSource(path: "\($0.key).schema.json", bytes: Array($0.value.utf8)) }
            )
            precondition(
                report.diagnostics.allSatisfy { $0.severity != .error },
                report.rendered(format: .text)
            )
            return report.schemas
        }()
        static let entities = EntityDescriptor.descriptors(of: all)

        private static let note = """
            {
              "title": "ScratchNote", "type": "object",
              "properties": {
                "id": { "type": "string" },
                "title": { "type": "string" },
                "body": { "type": ["string", "null"] },
                "stars": { "type": "integer", "minimum": 0, "maximum": 9 },
                "createdAt": { "type": "string", "format": "date-time" },
                "updatedAt": { "type": "string", "format": "date-time" }
              },
              "required": ["id", "title", "createdAt", "updatedAt"],
              "sync": {
                "key": "id", "strategy": "preserve-local", "created": "createdAt", "updated": "updatedAt"
              }
            }
            """
        private static let shelf = """
            {
              "title": "ScratchShelf", "type": "object",
              "properties": {
                "place": { "type": "string", "format": "uuid" },
                "number": { "type": "integer", "minimum": 0 },
                "tags": {
                  "type": "array", "items": { "type": "string" }, "uniqueItems": true, "sync": { "merge": "union" }
                },
                "price": { "type": "string", "format": "decimal" },
                "updatedAt": { "type": "string", "format": "date-time" }
              },
              "required": ["place", "number", "updatedAt"],
              "sync": { "key": ["place", "number"], "strategy": "set-union", "updated": "updatedAt" }
            }
            """
    }
#endif
