#if Server
    import Foundation
    import PostgRESTDouble
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncDynamic
    import SyncHTTPClient
    import SyncPostgres
    import SyncSchema
    import SyncServerBackend
    import SyncSupabaseBackend
    import Testing

    /// The tests with a database of their own.
    @Suite(.enabled(if: PostgresCluster.programs != nil)) enum SupabaseTests {}

    /// Without PostgreSQL nothing is skipped unseen.
    @Test func thereIsPostgreSQLForTheSupabaseTests() {
        if PostgresCluster.programs == nil { Issue.record("\(PostgresCluster.notInstalled)") }
    }

    /// A Supabase project for one test: a database with the SQL of `Schemas/`, and a stand-in for its REST interface.
    final class SupabaseProject: Sendable {
        let cluster: PostgresCluster
        let database: String
        let rest: PostgRESTServer
        /// A connection as the superuser.
        let admin: SQLConnection

        /// Runs a test with a project, which is removed afterwards.
        static func run(
            settings: PostgRESTServer.Settings = PostgRESTServer.Settings(),
            _ body: (SupabaseProject) async throws -> Void
        ) async throws {
            let cluster = try await PostgresCluster.shared()
            try await cluster.withDatabase(template: ProjectTemplate.shared.name(in: cluster)) { database in
                try await body(SupabaseProject(cluster: cluster, database: database, settings: settings))
            }
        }

        /// Runs a test on a server of its own, where nobody else has transactions.
        static func runAlone(isDurable: Bool = false, _ body: (SupabaseProject) async throws -> Void)
            async throws
        {
            let cluster = try await PostgresCluster(isDurable: isDurable)
            defer { cluster.stop() }
            let database = try await ProjectTemplate().name(in: cluster)
            try await body(
                SupabaseProject(cluster: cluster, database: database, settings: PostgRESTServer.Settings())
            )
        }

        /// Runs a test with a project whose SQL is given.
        static func run(sql: [SQLFile], _ body: (SupabaseProject) async throws -> Void) async throws {
            let cluster = try await PostgresCluster.shared()
            try await cluster.withDatabase(template: "template0") { database in
                let connection = try await SQLConnection.open(cluster.url(database: database))
                for file in sql { try await connection.script(file.contents) }
                let settings = PostgRESTServer.Settings()
                try await body(SupabaseProject(cluster: cluster, database: database, settings: settings))
            }
        }

        private init(cluster: PostgresCluster, database: String, settings: PostgRESTServer.Settings)
            async throws
        {
            (self.cluster, self.database) = (cluster, database)
            let url = Self.url(of: "authenticator", cluster: cluster, database: database)
            rest = PostgRESTServer(databaseURL: url, settings: settings)
            admin = try await SQLConnection.open(cluster.url(database: database))
        }

        private static func url(of role: String, cluster: PostgresCluster, database: String) -> String {
            "postgres://\(role)@127.0.0.1:\(cluster.port)/\(database)"
        }

        /// A connection as a role, such as a web app's, for a user.
        ///
        /// - Parameter role: `authenticated`, `anon` or `service_role`.
        func session(_ user: User?, role: String = "authenticated") async throws -> SQLConnection {
            let connection = try await SQLConnection.open(
                Self.url(of: "authenticator", cluster: cluster, database: database)
            )
            let claims = user?.claims(role: role) ?? #"{"role":"\#(role)"}"#
            try await connection.run("select set_config('role', $1, false)", role)
            try await connection.run("select set_config('request.jwt.claims', $1, false)", claims)
            return connection
        }

        /// Applies the SQL of `Schemas/` once more.
        func applySQL() async throws {
            for file in try ShippedSchemas.sql() { try await admin.script(file.contents) }
        }

        /// Runs SQL by psql.
        func psql(_ text: String) async throws { try await cluster.sql(text, database: database) }

        /// A backend for a user's session.
        func backend(
            session: any CredentialSource,
            key: String = PostgRESTServer.publishableKey,
            restPath: String? = "/rest/v1",
            clock: any SyncClock = PresentTime(),
            seed: UInt64 = 1,
            limits: HTTPLimits = HTTPLimits(),
            breakers: SharedCircuitBreaker = SharedCircuitBreaker()
        ) throws -> SupabaseBackend {
            SupabaseBackend(
                url: try ServerURL(PostgRESTServer.url),
                publishableKey: key,
                session: session,
                restPath: restPath,
                environment: HTTPEnvironment(
                    clock: clock,
                    random: SeededRandom(seed),
                    sleeper: NoSleep(),
                    transport: rest,
                    breakers: breakers
                ),
                limits: limits
            )
        }
    }

    /// A user of a project.
    struct User: Sendable {
        /// The claim `sub`.
        let id: String

        static let ada = User(id: "00000000-0000-4000-8000-00000000000a")
        static let eve = User(id: "00000000-0000-4000-8000-00000000000e")

        /// The claims of a token.
        func claims(role: String = "authenticated", secondsLeft: Double = 3600) -> String {
            let end = Int(Date().timeIntervalSince1970 + secondsLeft)
            return #"{"sub":"\#(id)","role":"\#(role)","aud":"authenticated","exp":\#(end)}"#
        }

        /// A token as Supabase Auth makes it.
        func token(role: String = "authenticated", secondsLeft: Double = 3600) -> String {
            JSONWebToken.sign(
                claims: claims(role: role, secondsLeft: secondsLeft),
                secret: PostgRESTServer.secret
            )
        }
    }

    /// The system's clock.
    struct PresentTime: SyncClock {
        func now() -> Timestamp { Timestamp(Date()) }
    }

    /// Makes the template of all projects' databases once.
    private actor ProjectTemplate {
        static let shared = ProjectTemplate()
        private var making: Task<String, any Error>?

        func name(in cluster: PostgresCluster) async throws -> String {
            let task =
                making
                ?? Task {
                    let name = try await cluster.makeDatabase()
                    let connection = try await SQLConnection.open(cluster.url(database: name))
                    for file in try ShippedSchemas.sql() { try await connection.script(file.contents) }
                    return name
                }
            making = task
            return try await task.value
        }
    }

    /// The schemas in `Schemas/`.
    enum ShippedSchemas {
        static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Schemas")
        static let all: [Schema] = {
            let sources = ["bookmark", "project", "read-status", "transaction"].map { name in
                let file = folder.appendingPathComponent("\(name).schema.json")
                let bytes = (try? Data(contentsOf: file)) ?? Data()
                return SchemaSource(path: file.lastPathComponent, bytes: Array(bytes))
            }
            let report = SchemaLoader.load(sources)
            precondition(report.isValid, report.rendered(format: .text))
            return report.schemas
        }()
        static let entities = EntityDescriptor.descriptors(of: all)

        static func entity(_ name: String) throws -> EntityDescriptor {
            try #require(entities.first { $0.name == name })
        }

        static func sql(options: PostgresOptions = PostgresOptions(isStandAlone: true)) throws -> [SQLFile] {
            try PostgresGenerator.files(for: all, options: options)
        }
    }
#endif
