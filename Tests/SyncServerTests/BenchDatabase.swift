import Foundation
import SyncServer

#if Server
    import PostgresCluster
    import SyncCore
    import SyncPostgresServer
    import SyncSchema
    import Testing

    /// A PostgreSQL with the entities of the bench, for one test.
    final class BenchDatabase: Sendable {
        /// The database of the running test; nil if it runs over a store.
        @TaskLocal static var current: BenchDatabase?

        let handler: any AccountHandler & TombstonePurger
        private let cluster: PostgresCluster
        private let database: String
        /// What the logs had at the last call of `takeTopics`.
        private let marks = Guarded<[String: String]>([:])
        /// The names that tests know topics by.
        private let names = Guarded<[String: String]>([:])

        /// Runs a test with a database, which is removed afterwards.
        static func run(_ body: @Sendable () async throws -> Void) async throws {
            let cluster = try await PostgresCluster.shared()
            try await cluster.withDatabase(template: BenchTemplate.shared.name(in: cluster)) { database in
                let handler = try await PostgresHandler(
                    options: try options(database: database, in: cluster),
                    onChange: { _ in },
                    onMissedChanges: {}
                )
                defer { handler.stop() }
                let bench = BenchDatabase(handler: handler, cluster: cluster, database: database)
                try await $current.withValue(bench) { try await body() }
            }
        }

        private init(handler: PostgresHandler, cluster: PostgresCluster, database: String) {
            self.handler = handler
            (self.cluster, self.database) = (cluster, database)
        }

        static func options(database: String, in cluster: PostgresCluster) throws -> PostgresServerOptions {
            PostgresServerOptions(
                url: try #require(PostgresURL(cluster.url(database: database))),
                schemas: BenchSchemas.all
            )
        }

        /// Remembers the name of the log that a request is about.
        func note(method: String, path: String, account: Account) {
            guard let route = try? LogRoute(method: method, path: path) else { return }
            switch route {
            case .exchange(let log), .events(let log), .purge(let log), .restart(let log), .remove(let log):
                let topic = PostgresSpace(account: account, log: log).id
                names.use { $0[topic] = "\(account.id)/\(log.text)" }
            }
        }

        /// The name of a topic.
        func name(topic: String) -> String { names.use { $0[topic] ?? topic } }

        /// The topics of the logs that have other states than at the last call, in the order of their names.
        func takeTopics() async -> [String] {
            let statement = "select space, max(number) from entitysync.state group by space"
            guard let text = try? await cluster.sql(statement, database: database) else {
                return ["no answer"]
            }
            let lines = text.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
            let present = Dictionary(lines.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
            let changed = marks.use { marks in
                defer { marks = present }
                return Set(present.keys).union(marks.keys).filter { present[$0] != marks[$0] }
            }
            return changed.map { name(topic: $0) }.sorted()
        }
    }

    /// Makes the template of all tests' databases once.
    private actor BenchTemplate {
        static let shared = BenchTemplate()
        private var making: Task<String, any Error>?

        func name(in cluster: PostgresCluster) async throws -> String {
            let task =
                making
                ?? Task {
                    let name = try await cluster.makeDatabase()
                    let options = try BenchDatabase.options(database: name, in: cluster)
                    try await PostgresInstallation(options: options).apply()
                    return name
                }
            making = task
            return try await task.value
        }
    }

    /// The entities of the bench as schemas.
    private enum BenchSchemas {
        static let all: [Schema] = {
            let texts = [
                "note": text(
                    title: "Note",
                    properties: #""id":{"type":"string"},"title":{"type":"string","maxLength":1000000},"#
                        + #""createdAt":{"type":"string","format":"date-time"},"#
                        + #""updatedAt":{"type":"string","format":"date-time"}"#,
                    required: #""id","title""#,
                    sync:
                        #""key":"id","strategy":"last-write-wins","created":"createdAt","updated":"updatedAt""#
                ),
                "tag": text(
                    title: "Tag",
                    properties: #""id":{"type":"string"}"#,
                    required: #""id""#,
                    sync: #""key":"id","strategy":"preserve-local","tombstoneDays":10"#
                ),
                "place": text(
                    title: "Place",
                    properties: #""row":{"type":"integer"},"column":{"type":"string"}"#,
                    required: #""row","column""#,
                    sync: #""key":["row","column"],"strategy":"preserve-local""#
                ),
            ]
            let report = SchemaLoader.load(
                texts.map { SchemaSource(path: "\($0.key).schema.json", bytes: Array($0.value.utf8)) }
            )
            precondition(
                !report.diagnostics.contains { $0.severity == .error },
                report.rendered(format: .text)
            )
            return report.schemas
        }()

        private static func text(title: String, properties: String, required: String, sync: String) -> String
        {
            #"{"title":"\#(title)","type":"object","properties":{\#(properties)},"required":[\#(required)],"#
                + #""sync":{\#(sync)}}"#
        }
    }
#else
    /// Without the trait there is no database.
    final class BenchDatabase: Sendable {
        static var current: BenchDatabase? { nil }
        var handler: any AccountHandler & TombstonePurger { fatalError("There is no database.") }
        func note(method: String, path: String, account: Account) {}
        func name(topic: String) -> String { topic }
        func takeTopics() async -> [String] { [] }
    }
#endif
