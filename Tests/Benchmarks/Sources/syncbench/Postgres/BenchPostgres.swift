import Foundation
import PostgresCluster
import SyncCore
import SyncPostgres
import SyncSchema

/// A PostgreSQL of this process, with the SQL that is generated for the input's entity. It does not flush to the disk:
/// flushing costs both sides the same.
struct BenchPostgres: Sendable {
    let cluster: PostgresCluster
    /// A database to copy: the table, and all that syncs it.
    let synced: String
    /// A database to copy: the same table with its policies, indexes and constraints, and nothing else.
    let plain: String

    private static let starting = Task { try await BenchPostgres(cluster: .shared()) }

    /// Starts it at the first call. Throws `Unmeasured` where PostgreSQL is not installed.
    static func shared() async throws -> BenchPostgres {
        guard PostgresCluster.programs != nil else {
            throw Unmeasured(reason: "PostgreSQL is not installed under /usr/lib/postgresql")
        }
        return try await starting.value
    }

    private init(cluster: PostgresCluster) async throws {
        self.cluster = cluster
        let source = SchemaSource(path: "bookmark.schema.json", bytes: Array(BenchSchema.text.utf8))
        let files = try PostgresGenerator.files(
            for: SchemaLoader.load([source]).schemas,
            options: PostgresOptions(isStandAlone: true)
        )
        let text = files.map(\.contents).joined(separator: "\n")
        synced = try await cluster.makeDatabase()
        try await cluster.script(text, database: synced)
        plain = try await cluster.makeDatabase(template: synced)
        // Triggers go with their functions.
        try await cluster.script(
            "drop function public.entitysync_exchange(json); drop schema entitysync cascade;",
            database: plain
        )
    }

    /// A copy of a database. Remove it afterwards (`remove(_:)`).
    func database(copying template: String) async throws -> String {
        try await cluster.makeDatabase(template: template)
    }

    /// Removes a database and ends its connections.
    func remove(_ database: String) async throws { try await cluster.removeDatabase(database) }

    /// Folds all that other programs wrote into states, as exchanges would.
    static let foldAll = PostgresCommand(
        """
        do $$ begin
          while exists (select from entitysync.log) loop
            perform entitysync.fold_all();
          end loop;
        end $$
        """
    )

    /// A connection as the superuser.
    func superuser(of database: String) throws -> PostgresClient {
        try PostgresClient(url: cluster.url(database: database))
    }

    /// Runs `body` with a copy of each of the two databases.
    func withBoth(_ body: (AccountSession, AccountSession) async throws -> Measurement) async throws
        -> Measurement
    {
        let (synced, plain) = (try await database(copying: synced), try await database(copying: plain))
        let found = try await body(
            try AccountSession(try superuser(of: synced)),
            try AccountSession(try superuser(of: plain))
        )
        try await remove(synced)
        try await remove(plain)
        return found
    }
}

/// A connection that acts for one account, in transactions such as `syncserver` and PostgREST make.
final class AccountSession {
    /// The account's id, which is also its space.
    static let account = "00000000-0000-4000-8000-00000000ada0"

    let client: PostgresClient
    private let claims = PostgresCommand(
        "select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)",
        .text(#"{"sub":"\#(account)","role":"authenticated"}"#)
    )
    /// What those who speak HTTP read after a call.
    private let settings = PostgresCommand(
        """
        select current_setting('response.status', true), current_setting('response.headers', true),
          current_setting('entitysync.outcome', true)
        """
    )

    init(_ client: PostgresClient) throws {
        self.client = client
    }

    /// One transaction of the account in one round trip. Returns the first value of each statement.
    @discardableResult
    func transaction(_ commands: PostgresCommand...) throws -> [[UInt8]] {
        let values = try client.run(
            [PostgresCommand("begin"), claims] + commands + [settings, PostgresCommand("commit")]
        )
        return Array(values[2..<2 + commands.count])
    }

    /// One exchange, as one transaction. Returns the answer.
    func exchange(_ request: [UInt8]) throws -> [UInt8] {
        try transaction(Self.exchange(request))[0]
    }

    /// The statement of an exchange.
    static func exchange(_ request: [UInt8]) -> PostgresCommand {
        PostgresCommand("select public.entitysync_exchange($1)", .json(request))
    }

    /// Begins a transaction of the account that stays open.
    func begin() throws { try client.run([PostgresCommand("begin"), claims]) }

    /// A digest of all rows of the account, and their number.
    func rows() throws -> String {
        let text = try transaction(
            PostgresCommand(
                """
                select count(*) || ' ' || md5(coalesce(string_agg(to_jsonb(b)::text, ' ' order by b.id), ''))
                from public.bookmarks as b
                """
            )
        )
        return String(decoding: text[0], as: UTF8.self)
    }
}
