import Foundation
import SyncCore
import SyncSQLite
import SyncServer
import Testing

/// The cost of an exchange depends on its own records and not on the size of the log. This checks the query
/// plans of all statements that the server ran.
@Suite struct LogPlanTests {
    /// Statements that may scan a table, with reasons.
    static let allowed = [
        "SELECT id FROM account": "a table of one row",
        "SELECT substr(name, 9) FROM log WHERE name LIKE 'scratch/%' AND made_at < ?1 ORDER BY name":
            "an account's logs, of which there are nine at most",
        """
        SELECT id, name FROM entity
        WHERE EXISTS (SELECT 1 FROM record WHERE log = ?1 AND entity = entity.id AND deleted = 1)
        """:
            "an account's entities, of which there are no more than schemas",
    ]

    private func run() async throws -> (bench: ExchangeBench, statements: [String]) {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench), Client(bench: bench, device: 2))
        // New records, pages, edits, a conflict, deletes, a repeated batch.
        try await one.exchange(changes: (0..<200).map { .note(key: "n\($0)") })
        try await one.exchange(changes: (0..<50).map { .tag(key: "t\($0)") })
        #expect(try await two.pull(limit: 60).count == 250)
        let reply = try await one.exchange(changes: .note(key: "n1", title: "again", base: nil))
        #expect(reply.results == ["conflict"])
        let base = reply.revision
        try await one.exchange(changes: Change.note(key: "n1", title: "again", base: base))
        let request = two.request([.note(key: "of two")])
        for _ in 0..<2 { _ = try await two.send(request) }
        let made = try await one.exchange(changes: .tag(key: "gone"))
        #expect(
            try await one.exchange(changes: Change.tag(key: "gone", base: made.revision).tombstone).results
                == [
                    "accepted"
                ]
        )
        _ = try await one.pull()
        // Fingerprints are compared.
        for client in [one, two] {
            _ = try await client.pull()
            for text in ["a", "b"] {
                _ = try await client.send(client.request([], records: ["note 1": Digest(Array(text.utf8))]))
            }
        }
        // Tombstones are purged; a scratch log is created, restarted and removed.
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        let scratch = Client(bench: bench, device: 3)
        scratch.path = "/v1/scratch/plans/exchange"
        try await scratch.exchange(changes: .note(key: "s"))
        for (method, path) in [("POST", "/purge"), ("POST", "/restart"), ("DELETE", "")] {
            #expect(try await bench.send(method, path: "/v1/scratch/plans" + path).status == 204)
        }
        return (bench, try await bench.statements(of: "ada"))
    }

    private func walks(sql: String, on connection: Connection) throws -> [String] {
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        guard verbs.contains(where: { sql.hasPrefix($0) }), Self.allowed[sql] == nil else { return [] }
        return try connection.queryPlan(sql: sql).filter { $0.hasPrefix("SCAN") }
    }

    @Test func noStatementOfAnExchangeWalksATable() async throws {
        let (bench, statements) = try await run()
        #expect(statements.count >= 20)
        let connection = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readOnly)
        for sql in statements {
            for walk in try walks(sql: sql, on: connection) { Issue.record("\(walk): \(sql)") }
        }
    }

    @Test func anIndexThatIsMissingIsNoticed() async throws {
        struct Undone: Error {}
        let (bench, statements) = try await run()
        let connection = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readWrite)
        // NB: without the tombstone index SQLite uses a wider one and scans no table. So its statement is
        // checked separately.
        for index in ["record_revision", "record_tombstone"] {
            #expect(throws: Undone.self) {
                try connection.transaction(kind: .immediate) {
                    func plans() throws -> [[String]] {
                        try statements.filter { $0.contains("FROM record") }.sorted().map {
                            try connection.queryPlan(sql: $0)
                        }
                    }
                    let before = try plans()
                    #expect(before.joined().contains { $0.contains("INDEX \(index) ") })
                    try connection.execute("DROP INDEX \(index)")
                    #expect(try plans() != before)
                    throw Undone()
                }
            }
        }
    }
}
