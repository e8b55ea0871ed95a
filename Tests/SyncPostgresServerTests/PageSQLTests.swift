#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    @testable import SyncPostgresServer
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// The SQL that pages show is run, in the order of the page.
        @Suite struct PageSQL {
            /// The blocks of a page in some languages.
            private static func blocks(page: String, languages: Set<String>) throws -> [(
                language: String, text: String
            )] {
                let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .appendingPathComponent("../../Sources/EntitySync/EntitySync.docc/\(page).md")
                let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```")
                return parts.enumerated().filter { $0.offset % 2 == 1 }.compactMap { part in
                    let (first, rest) = (part.element.prefix { $0 != "\n" }, part.element.drop { $0 != "\n" })
                    return languages.contains(String(first)) ? (String(first), String(rest.dropFirst())) : nil
                }
            }

            @Test func theProjectWithDataOfTheSupabasePage() async throws {
                let blocks = try Self.blocks(page: "Supabase", languages: ["sql", "json"])
                #expect(blocks.map(\.language) == ["sql", "json", "sql"])
                try await UserDatabase.run { database in
                    try await database.sql(blocks[0].text)
                    try await database.sql(
                        """
                        insert into public.bookmarks (id, user_id, verse, created_at, updated_at)
                        select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, '\(UserDatabase.ada.id)', n,
                          '2025-01-01', '2025-01-01' from generate_series(1, 300) as n
                        """
                    )
                    let schemas = try UserDatabase.schemas(["bookmark": blocks[1].text])
                    for _ in 0..<2 { try await database.apply(schemas, isExisting: true) }
                    let phone = try database.device(1, entities: "bookmark")
                    #expect(try await phone.pull().count == 300)
                    try await database.sql(blocks[2].text, as: UserDatabase.ada)
                    let changes = try await phone.changes()
                    #expect(changes.map(\.isDeleted) == [false, true])
                    let body = String(decoding: try #require(changes.first).body, as: UTF8.self)
                    #expect(body.contains(#""notes":"from SQL""#) && !body.contains(#""updated_at":"2025"#))
                }
            }

            private static let note = """
                {
                  "title": "Note", "type": "object",
                  "properties": { "id": { "type": "string" }, "title": { "type": "string" } },
                  "required": ["id", "title"], "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """

            @Test func theOperatorsPage() async throws {
                let blocks = try Self.blocks(page: "Postgres", languages: ["sql"]).map(\.text)
                try #require(blocks.count == 9)
                let cluster = try await PostgresCluster(isDurable: false)
                defer { cluster.stop() }
                try await cluster.script(blocks[0], database: "postgres")
                let login = "postgres://keeper:change-me@127.0.0.1:\(cluster.port)/records"
                let schemas = try UserDatabase.schemas(["note": Self.note])
                for file in try PostgresGenerator.files(
                    for: schemas,
                    options: PostgresOptions(isStandAlone: true)
                ) {
                    try await cluster.script(file.contents, database: "records", login: login)
                }
                try await cluster.script(blocks[1], database: "records", login: login)
                try await Self.makeReadOnly(blocks[2], in: cluster, login: login)
                let handler = try await PostgresHandler(
                    options: PostgresServerOptions(url: try #require(PostgresURL(login)), schemas: schemas),
                    onChange: { _ in },
                    onMissedChanges: {}
                )
                defer { handler.stop() }
                let phone = DatabaseDevice(handler, device: 1, entities: ["note"])
                let body = #"{"id":"a","title":"t"}"#
                #expect(
                    try await phone.send(
                        phone.request(changes: [phone.change(entity: "note", key: "a", body: body)])
                    )
                    .outcomes == ["accepted"]
                )
                let tombstones = "select count(*) from entitysync.state where is_deleted"
                try await cluster.sql("delete from public.note", database: "records")
                try await cluster.sql("select entitysync.fold_all()", database: "records")
                try await cluster.sql(
                    "update entitysync.state set stored_at = now() - interval '181 days'",
                    database: "records"
                )
                #expect(try await cluster.script(blocks[3], database: "records", login: login) == "1")
                #expect(try await cluster.sql(tombstones, database: "records") == "0")
                try await Self.schedule(blocks[4], in: cluster, login: login)
                let space = try await cluster.script(blocks[5], database: "records", login: login)
                #expect(space == PostgresSpace(accountID: Account.ada.id).id)
                try await Self.erase(blocks[6], space: space, in: cluster, login: login)
                try await cluster.script(blocks[7], database: "records", login: login)
                try await Self.partition(blocks[8], schemas: schemas, in: cluster)
            }

            /// Makes the database read-only, as the page says, and takes that back.
            private static func makeReadOnly(_ sql: String, in cluster: PostgresCluster, login: String)
                async throws
            {
                try await cluster.script(sql, database: "records", login: login)
                let setting = "show default_transaction_read_only"
                #expect(try await cluster.sql(setting, database: "records") == "on")
                let back = "alter database records reset default_transaction_read_only"
                try await cluster.sql(back, database: "postgres")
            }

            /// Stands in for pg_cron: runs the command at once.
            private static func schedule(_ block: String, in cluster: PostgresCluster, login: String)
                async throws
            {
                try await cluster.sql(
                    """
                    create schema cron; grant usage on schema cron to keeper;
                    create function cron.schedule(text, text, command text) returns bigint language plpgsql
                    as $$ declare removed bigint; begin execute command into removed; return removed; end $$
                    """,
                    database: "records"
                )
                #expect(try await cluster.script(block, database: "records", login: login) == "0")
            }

            private static func erase(
                _ block: String,
                space: String,
                in cluster: PostgresCluster,
                login: String
            ) async throws {
                let all = """
                    select (select count(*) from entitysync.state) + (select count(*) from entitysync.space)
                      + (select count(*) from entitysync.device) + (select count(*) from entitysync.log)
                      + (select count(*) from public.note)
                    """
                try await cluster.sql(
                    "insert into public.note (id, title, owner_id) values ('b', 't', '\(space)')",
                    database: "records"
                )
                #expect(try await cluster.sql(all, database: "records") == "4")
                let text = block.replacingOccurrences(of: "00000000-0000-4000-8000-000000000000", with: space)
                try await cluster.script(text, database: "records", login: login)
                #expect(try await cluster.sql(all, database: "records") == "0")
            }

            private static func partition(_ block: String, schemas: [Schema], in cluster: PostgresCluster)
                async throws
            {
                try await cluster.sql("create database parts owner keeper", database: "postgres")
                let login = "postgres://keeper:change-me@127.0.0.1:\(cluster.port)/parts"
                let files = try PostgresGenerator.files(
                    for: schemas,
                    options: PostgresOptions(isStandAlone: true)
                )
                for text in [
                    files[0].contents, block, files[1].contents, files[2].contents, files[2].contents,
                ] {
                    try await cluster.script(text, database: "parts", login: login)
                }
                let database = UserDatabase(cluster: cluster, database: "parts")
                for user in [UserDatabase.ada, UserDatabase.eve] {
                    let phone = try database.device(1, of: user, entities: "note")
                    let note = phone.change(entity: "note", key: "a", body: #"{"id":"a","title":"t"}"#)
                    #expect(try await phone.send(phone.request(changes: [note])).outcomes == ["accepted"])
                }
                #expect(try await database.sql("select count(*) from public.note") == "2")
            }
        }
    }
#endif
