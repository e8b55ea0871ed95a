import Foundation

/// An exchange without news in a database with many records, against `select 1` in the same transaction by the same
/// client.
///
/// The goal is out of reach for SQL. `select 1` is nearly all round trip (about 0.03 of 0.14 ms are work of the server).
/// An exchange runs eight statements beside it: it reads the request and the cursor, looks up installation, space and
/// device, names the entities, searches the feed, looks for purged tombstones and for fingerprints that differ. Starting
/// a statement with a kept plan costs about 0.01 ms, preparing the expressions of a function for a transaction as much
/// again, and setting the search path of a function 0.002 ms. None of them can go without a promise of the protocol.
enum SQLIdleRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let server = try await BenchPostgres.shared()
        let database = try await server.database(copying: server.synced)
        let (session, request) = try idleDevice(of: database, at: server, states: bench.records * 10)
        let repeats = max(20, min(200, bench.records / 500))
        func side(_ run: @escaping () throws -> Void) -> Bench.Side<Void> {
            Bench.Side(
                prepare: {},
                run: { for _ in 0..<repeats { try run() } },
                processorSeconds: { session.client.processorSeconds }
            )
        }
        let one = PostgresCommand("select 1")
        let times = try await bench.takeTurns([
            side { try session.transaction(one) },
            side { _ = try session.exchange(request) },
            side { try session.client.run([one]) },
        ])
        let plan = try IdlePlan(session: session, request: request)
        try await server.remove(database)
        var found = Measurement.over(
            sides: Sides(ours: times[1], yardstick: times[0]),
            note: """
                means of \(repeats); \(plan); \
                \(Figure.text(seconds: times[1].median / times[2].median)) times a bare select 1
                """
        )
        found.ours /= Double(repeats)
        found.yardstick? /= Double(repeats)
        found.holds = plan.isOneSearch
        return found
    }

    /// A device that has seen all of so many records, and its request.
    static func idleDevice(
        of database: String,
        at server: BenchPostgres,
        states: Int
    ) throws -> (AccountSession, request: [UInt8]) {
        let client = try server.superuser(of: database)
        let session = try AccountSession(client)
        try client.run([
            PostgresCommand("begin"), PostgresCommand("select set_config('entitysync.writes', '*', true)"),
            PostgresCommand(
                """
                insert into public.bookmarks (user_id, surah_number, verse_number, owner_id)
                select 'reader ' || n % 50, 1 + n % 114, n, $1::uuid from generate_series(1, $2::bigint) as n
                """,
                .text(AccountSession.account),
                .text("\(states)")
            ),
            PostgresCommand("commit"),
        ])
        // The rows came as from before EntitySync. This gives each its state.
        try client.script(#"select entitysync.adopt_again('bookmark', '"public"."bookmarks"')"#)
        try client.script("call entitysync.adopt()")
        let adopted = try client.value(
            PostgresCommand("select sum(cardinality(keys)) from entitysync.log")
        )
        guard adopted == "\(states)" else {
            throw Unmeasured(reason: "\(adopted) of \(states) states were made")
        }
        try client.run([BenchPostgres.foldAll])
        try client.script("vacuum analyze")
        var requests = BenchRequests()
        let first = try WireAnswer(try session.exchange(requests.pull(limit: 1)))
        // Instead of pulling them all: a cursor that has seen whatever is committed by now.
        let cursor = try client.value(
            PostgresCommand(
                """
                select entitysync.cursor_text(
                  entitysync.cursor_json($1) - 'target' - 'after' - 'isFullState'
                  || jsonb_build_object('seen', jsonb_build_object('bookmark', pg_current_snapshot()::text))
                )
                """,
                .text(first.cursor)
            )
        )
        requests.stand(at: cursor)
        let request = requests.pull()
        let answer = try WireAnswer(try session.exchange(request))
        guard first.hasMore, answer.changes == 0, answer.cursor == cursor else {
            throw Unmeasured(reason: "the device has not seen everything")
        }
        return (session, request)
    }
}

/// What an idle exchange reads, by PostgreSQL's own counters of one transaction.
struct IdlePlan: CustomStringConvertible {
    /// Scans by table or index, of the tables of EntitySync and of the entity; those without any are left out.
    private(set) var scans: [String: Int] = [:]
    /// Pages of the feed's index and of the states that were looked at.
    private(set) var stateBlocks = 0
    /// Pages of all these tables and indexes that were looked at.
    private(set) var blocks = 0

    /// The scans of states and of records.
    var recordScans: [String: Int] {
        scans.filter { $0.key.hasPrefix("state") || $0.key.hasPrefix("bookmarks") }
    }

    /// Whether news is searched for only once, in the feed's index, and found to be none after a few pages.
    var isOneSearch: Bool { recordScans == ["state_feed": 1] && stateBlocks <= Self.maxStateBlocks }

    /// The way from the root of an index to a leaf, and a bit more.
    private static let maxStateBlocks = 8

    var description: String {
        let names = scans.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return "scans: \(names); \(stateBlocks) pages of states and feed, \(blocks) of all"
    }

    /// Runs the exchange once more, between two looks at the counters.
    init(session: AccountSession, request: [UInt8]) throws {
        let counters = PostgresCommand(
            """
            select jsonb_object_agg(c.relname, jsonb_build_array(
              pg_stat_get_xact_numscans(c.oid), pg_stat_get_xact_blocks_fetched(c.oid)
            ))
            from pg_catalog.pg_class as c
            where c.relkind in ('r', 'i')
              and (c.relnamespace = 'entitysync'::regnamespace or c.relname like 'bookmarks%')
            """
        )
        let found = try session.transaction(counters, AccountSession.exchange(request), counters)
        let (before, after) = (try Self.read(found[0]), try Self.read(found[2]))
        for (name, counts) in after {
            let known = before[name] ?? [0, 0]
            let (scanned, looked) = (counts[0] - known[0], counts[1] - known[1])
            if scanned > 0 { scans[name] = scanned }
            blocks += looked
            if name.hasPrefix("state") { stateBlocks += looked }
        }
    }

    private static func read(_ json: [UInt8]) throws -> [String: [Int]] {
        try JSONDecoder().decode([String: [Int]].self, from: Data(json))
    }
}
