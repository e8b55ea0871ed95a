import Foundation

/// What a program that does not know EntitySync pays for a tracked table: the same statements, against the same table with
/// the same policies and no triggers.
enum SQLWritersRatio {
    /// What a program writes.
    enum Operation: Sendable {
        case insert, update, delete
    }

    /// Eight programs at once, each with statements of one row.
    static func single(_ bench: Bench, _ operation: Operation) async throws -> Measurement {
        let (clients, statements) = (8, max(5, bench.records / 400))
        let sides = try await measure(bench, operation, clients: clients, rows: statements) { group, client in
            for row in group.rows(of: client) {
                try group.run(operation, rows: row..<row + 1, client: client)
            }
        }
        return .over(sides: sides, note: "\(clients) programs, \(statements) statements each")
    }

    /// One statement for many rows.
    static func bulk(_ bench: Bench, _ operation: Operation) async throws -> Measurement {
        let rows = max(100, bench.records / 10)
        let sides = try await measure(bench, operation, clients: 1, rows: rows) { group, client in
            try group.run(operation, rows: group.rows(of: client), client: client)
        }
        return .over(sides: sides, note: "\(rows) rows in one statement")
    }

    private static func measure(
        _ bench: Bench,
        _ operation: Operation,
        clients: Int,
        rows: Int,
        run: @escaping @Sendable (WriterGroup, Int) throws -> Void
    ) async throws -> Sides {
        let server = try await BenchPostgres.shared()
        func side(_ template: String) -> Bench.Side<WriterGroup> {
            Bench.Side(
                prepare: {
                    let database = try await server.database(copying: template)
                    let group = try WriterGroup(database, server: server, clients: clients, rows: rows)
                    if operation != .insert { try group.fill() }
                    return group
                },
                run: { try $0.atOnce(run) },
                clear: { group in
                    try group.check(operation)
                    try await server.remove(group.database)
                },
                processorSeconds: { $0.processorSeconds }
            )
        }
        return try await bench.takeTurns(ours: side(server.synced), yardstick: side(server.plain))
    }
}

/// Programs with a connection each, which write rows of their own in the account that they share. A connection is used by
/// one thread at a time.
final class WriterGroup: @unchecked Sendable {
    let database: String
    private let sessions: [AccountSession]
    private let rowCount: Int

    init(_ database: String, server: BenchPostgres, clients: Int, rows: Int) throws {
        (self.database, rowCount) = (database, rows)
        sessions = try (0..<clients).map { _ in try AccountSession(server.superuser(of: database)) }
    }

    /// Processor time of the server's processes for the connections, in seconds.
    var processorSeconds: Double { sessions.reduce(0) { $0 + $1.client.processorSeconds } }

    /// The rows that a program writes.
    func rows(of client: Int) -> Range<Int> { rowCount * client..<rowCount * (client + 1) }

    /// One transaction of one statement.
    func run(_ operation: SQLWritersRatio.Operation, rows: Range<Int>, client: Int) throws {
        let command =
            switch operation {
            case .insert: PlainTable.insert(BenchRequests.bodies(rows))
            case .update: PlainTable.update(BenchRequests.bodies(rows, edit: 1))
            case .delete: PlainTable.delete(BenchRequests.bodies(rows))
            }
        try sessions[client].transaction(command)
    }

    /// Inserts the rows of all programs.
    func fill() throws {
        for client in sessions.indices { try run(.insert, rows: rows(of: client), client: client) }
        try sessions[0].client.script("vacuum analyze public.bookmarks")
    }

    /// Runs each program on a thread of its own, and waits for all of them.
    func atOnce(_ body: @escaping @Sendable (WriterGroup, Int) throws -> Void) throws {
        let (done, failures) = (DispatchGroup(), Failures())
        for client in sessions.indices {
            done.enter()
            Thread.detachNewThread {
                do { try body(self, client) } catch { failures.add(error) }
                done.leave()
            }
        }
        done.wait()
        if let error = failures.first { throw error }
    }

    /// Throws unless the table holds what the operation leaves.
    func check(_ operation: SQLWritersRatio.Operation) throws {
        let found = try sessions[0].client.value(PostgresCommand("select count(*) from public.bookmarks"))
        let expected = operation == .delete ? 0 : rowCount * sessions.count
        guard found == "\(expected)" else { throw Unmeasured(reason: "\(found) of \(expected) rows") }
    }
}
