#if Server
    import Foundation
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncDynamic
    import SyncSchema
    import SyncServer
    import SyncWire
    @testable import SyncPostgresServer
    import Testing

    /// A handler over files and one over a database with the same entities. The same requests must get the same answers.
    final class HandlerPair {
        private let handlers: [any AccountHandler]
        /// The entities of both.
        let entities: [EntityDescriptor]
        private var batches = 0

        /// Runs a test with two empty handlers over one set of schemas.
        static func run(schemas: [String: String], _ body: (HandlerPair) async throws -> Void) async throws {
            let sources = schemas.map {
                SchemaSource(path: "\($0.key).schema.json", bytes: Array($0.value.utf8))
            }
            let report = SchemaLoader.load(sources)
            try #require(
                !report.diagnostics.contains { $0.severity == .error },
                "\(report.rendered(format: .text))"
            )
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            let cluster = try await PostgresCluster.shared()
            try await cluster.withDatabase(template: "template0") { database in
                let url = try #require(PostgresURL(cluster.url(database: database)))
                let clock = ManualClock()
                clock.advance(seconds: max(0, Int64(Date().timeIntervalSince(clock.now().date))))
                let entities = EntityDescriptor.descriptors(of: report.schemas)
                let files = try ExchangeHandler(
                    data: folder.path,
                    entities: entities,
                    clock: clock,
                    random: SeededRandom(1)
                ) { _ in }
                let rows = try await PostgresHandler(
                    options: PostgresServerOptions(url: url, schemas: report.schemas),
                    onChange: { _ in },
                    onMissedChanges: {}
                )
                defer { rows.stop() }
                try await body(HandlerPair([files, rows], entities: entities))
            }
        }

        private init(_ handlers: [any AccountHandler], entities: [EntityDescriptor]) {
            (self.handlers, self.entities) = (handlers, entities)
        }

        /// Sends requests one after another to both handlers, and checks that each answer says the same. Returns what
        /// they said.
        @discardableResult
        func send(_ requests: [String]) async throws -> [String] {
            var said: [[String]] = []
            for handler in handlers {
                var lines: [String] = []
                for request in requests { lines.append(try await Self.line(for: request, from: handler)) }
                said.append(lines)
            }
            #expect(said[0] == said[1])
            return said[0]
        }

        /// Sends requests to both handlers. Returns the versions in the last answer's page, once for each handler.
        func versions(_ requests: [String]) async throws -> [[VersionMetadata?]] {
            var versions: [[VersionMetadata?]] = []
            for handler in handlers {
                var answer: ExchangeAnswer?
                for request in requests {
                    let message = ServerRequest(
                        method: "POST",
                        path: "/v1/exchange",
                        body: Array(request.utf8)
                    )
                    guard case .response(let response) = try await handler.answer(message, for: .ada) else {
                        continue
                    }
                    answer = try ExchangeAnswer(response.body)
                }
                versions.append(answer?.changes.map(\.header.metadata) ?? [])
            }
            return versions
        }

        /// Sends changes in one request that names the batch `batch`, after the batch `previous`.
        func push(_ changes: [String], batch: String = "1", previous: String? = nil) -> String {
            let before = previous.map { #","previous":"\#($0)""# } ?? ""
            return
                #"{"device":"0000000000000001","entities":["thing"],"batch":"\#(batch)"\#(before),"changes":["#
                + changes.joined(separator: ",") + "]}"
        }

        /// The results of changes, which are sent as the next batch: `accepted`, or rule and reason; for each handler.
        func results(of changes: [String]) async throws -> [[String]] {
            batches += 1
            let previous = batches == 1 ? nil : "\(batches - 1)"
            let request = push(changes, batch: "\(batches)", previous: previous)
            var results: [[String]] = []
            for handler in handlers {
                results.append(try await Self.answer(to: request, from: handler).results.map(Self.text))
            }
            return results
        }

        /// The bodies of all records by their keys, as a new device gets them from each handler.
        func bodies() async throws -> [[String: String]] {
            var all: [[String: String]] = []
            for handler in handlers {
                var bodies: [String: String] = [:]
                var cursor = ""
                while true {
                    let request = #"{"device":"00000000000000ff","entities":["thing"]\#(cursor)}"#
                    let answer = try await Self.answer(to: request, from: handler)
                    for change in answer.changes {
                        bodies[change.key.text] = String(decoding: change.body, as: UTF8.self)
                    }
                    guard answer.hasMore else { break }
                    cursor = #","cursor":"\#(answer.cursor)""#
                }
                all.append(bodies)
            }
            return all
        }

        private static func answer(
            to request: String,
            from handler: any AccountHandler
        ) async throws -> ExchangeAnswer {
            let message = ServerRequest(method: "POST", path: "/v1/exchange", body: Array(request.utf8))
            guard case .response(let response) = try await handler.answer(message, for: .ada) else {
                throw WireError(code: .internalError, detail: "no answer")
            }
            return try ExchangeAnswer(response.body)
        }

        /// An answer without what differs between servers: results, then the page. A record that a result shows as
        /// stored may stand on the page once more.
        private static func line(for request: String, from handler: any AccountHandler) async throws -> String
        {
            let message = ServerRequest(method: "POST", path: "/v1/exchange", body: Array(request.utf8))
            do {
                guard case .response(let response) = try await handler.answer(message, for: .ada) else {
                    return "no answer"
                }
                let answer = try ExchangeAnswer(response.body)
                let results = answer.results.map(text)
                let page = answer.changes.map { entry($0) }.filter { !results.contains("accepted as \($0)") }
                return (results + ["page:"] + page).joined(separator: "\n")
            } catch let error as WireError { return "\(error.code)" }
        }

        private static func text(_ result: ExchangeResult) -> String {
            switch result {
            case .accepted(_, let stored): stored.map { "accepted as \(entry($0))" } ?? "accepted"
            case .conflict(let current): current.map { "conflict with \(entry($0))" } ?? "conflict"
            case .refused(let rule, let reason, _): "\(rule): \(reason)"
            }
        }

        private static func entry(_ change: SyncCore.Change) -> String {
            let mark = change.header.metadata?.editTimestamp
            return "\(change.isDeleted ? "-" : "")\(change.key) \(mark.map { $0.sequence } ?? 0)"
        }
    }
#endif
