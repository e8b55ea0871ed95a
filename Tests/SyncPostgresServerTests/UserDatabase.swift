#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    @testable import SyncPostgresServer
    import SyncSchema
    import SyncServer
    import SyncWire
    import Testing

    /// A database as a Supabase project has it: roles, users and tables of an app. Its devices act as users.
    final class UserDatabase: Sendable {
        /// Two users whom the project has.
        static let ada = Account(id: "aaaaaaaa-0000-4000-8000-000000000001", name: "Ada")
        static let eve = Account(id: "eeeeeeee-0000-4000-8000-000000000002", name: "Eve")

        let cluster: PostgresCluster
        let database: String

        /// Runs a test with a database, which is removed afterwards.
        static func run(_ body: (UserDatabase) async throws -> Void) async throws {
            let cluster = try await PostgresCluster.shared()
            try await cluster.withDatabase(template: ProjectTemplate.shared.name(in: cluster)) { database in
                try await body(UserDatabase(cluster: cluster, database: database))
            }
        }

        init(cluster: PostgresCluster, database: String) {
            (self.cluster, self.database) = (cluster, database)
        }

        /// Applies the SQL of schemas, or the migration from former ones.
        func apply(
            _ schemas: [Schema],
            from former: [Schema]? = nil,
            isExisting: Bool = false,
            owner: PostgresOptions.Owner = .user
        ) async throws {
            let options = PostgresOptions(owner: owner, isExisting: isExisting)
            let files =
                if let former {
                    try PostgresGenerator.files(for: schemas, from: former, options: options)
                } else {
                    try PostgresGenerator.files(for: schemas, options: options)
                }
            for file in files { try await cluster.script(file.contents, database: database) }
        }

        /// A device of a user.
        func device(
            _ number: UInt64,
            of user: Account = ada,
            entities: String...,
            claim: String? = nil
        ) throws -> DatabaseDevice {
            let url = try #require(PostgresURL(cluster.url(database: database)))
            let handler = UserHandler(url: url, claim: claim)
            return DatabaseDevice(handler, device: number, account: user, entities: entities)
        }

        /// A device of a user.
        func device(_ number: UInt64, of user: Account = ada, entities: [String]) throws -> DatabaseDevice {
            let url = try #require(PostgresURL(cluster.url(database: database)))
            return DatabaseDevice(UserHandler(url: url), device: number, account: user, entities: entities)
        }

        /// Runs SQL as the superuser.
        @discardableResult
        func sql(_ text: String) async throws -> String { try await cluster.sql(text, database: database) }

        /// Runs SQL as a web app does for a signed-in user.
        @discardableResult
        func sql(_ text: String, as user: Account) async throws -> String {
            let claims = #"{"sub":"\#(user.id)","role":"authenticated"}"#
            let login = "select set_config('request.jwt.claims', '\(claims)', false); set role authenticated;"
            let output = try await sql("\(login) \(text)")
            return output.split(separator: "\n").dropFirst().joined(separator: "\n")
        }

        /// Reads and checks a set of schemas.
        static func schemas(_ texts: [String: String]) throws -> [Schema] {
            let sources = texts.map {
                SchemaSource(path: "\($0.key).schema.json", bytes: Array($0.value.utf8))
            }
            let report = SchemaLoader.load(sources)
            try #require(report.isValid, "\(report.rendered(format: .text))")
            return report.schemas
        }
    }

    /// Exchanges as PostgREST does: in a transaction of the user whom the token names.
    private struct UserHandler: AccountHandler {
        let url: PostgresURL
        /// A further claim of the token.
        var claim: String?

        func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer {
            let exchange = PostgresExchange(body: request.body, log: .main, account: account)
            var statements = exchange.statements
            statements[0] = PostgresStatement(
                "select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)",
                .text(#"{"sub":"\#(account.id)","role":"authenticated","claim":"\#(claim ?? "")"}"#)
            )
            do {
                return try await BlockingQueue(maxThreads: 1).run { [statements] in
                    let connection = try PostgresConnection(url: url, timeouts: PostgresConnection.Timeouts())
                    let results = try connection.transaction(statements)
                    return try .response(PostgresExchange.Result(results: results).response())
                }
            } catch { throw WireError(database: error, limits: WireLimits()) }
        }
    }

    /// Makes the template of the databases with users once.
    private actor ProjectTemplate {
        static let shared = ProjectTemplate()
        private var making: Task<String, any Error>?

        func name(in cluster: PostgresCluster) async throws -> String {
            let task = making ?? Task { try await Self.make(in: cluster) }
            making = task
            return try await task.value
        }

        private static func make(in cluster: PostgresCluster) async throws -> String {
            // It makes the roles, which all databases of the cluster share.
            _ = try await Template.shared.name(in: cluster)
            let name = try await cluster.makeDatabase()
            let files = try PostgresGenerator.files(for: [], options: PostgresOptions(isStandAlone: true))
            let roles = try #require(files.first { $0.name == PostgresGenerator.rolesFile })
            try await cluster.script(roles.contents, database: name)
            try await cluster.sql(
                """
                alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
                create table auth.users (id uuid primary key);
                insert into auth.users values ('\(UserDatabase.ada.id)'), ('\(UserDatabase.eve.id)')
                """,
                database: name
            )
            return name
        }
    }
#endif
