#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    @testable import SyncPostgresServer
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// What an operator is told about a database.
        @Suite struct Report {
            private func report(_ bench: DatabaseBench) throws -> [DatabaseReport.Finding] {
                try DatabaseReport.read(url: bench.url, schemas: ScratchSchemas.all).findings
            }

            private static let table = "public.\"scratch-note\""

            @Test func aDatabaseThatIsAsTheSchemasSayHasNoFinding() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let phone = DatabaseDevice(handler, device: 1)
                    try await phone.push(keys: "a", "b")
                    try await bench.sql("delete from \(Self.table) where id = 'a'")
                    #expect(try report(bench) == [])
                }
            }

            @Test(arguments: [
                ("alter table \(table) disable row level security", "Row-level security is off"),
                (
                    "alter table \(table) disable trigger entitysync_updated",
                    "A trigger is missing or disabled"
                ),
                ("alter table \(table) drop column title cascade", "The column title is not there"),
                (
                    "alter table \(table) alter column title type varchar(90)",
                    "The column title is character varying"
                ),
                ("revoke update on \(table) from authenticated", "may not read and write"),
                ("create unique index one on \(table) (title, id)", "The unique index"),
                ("alter table \(table) rename to elsewhere", "The table"),
                (
                    "set session_replication_role = replica; alter table \(table) disable trigger all; delete from \(table)",
                    "2 records have a sync state and no row"
                ), ("delete from entitysync.state where key = 'a'", "1 rows have no sync state"),
                (
                    "update entitysync.installation set sql_version = 1",
                    "The database has version 1 of the SQL"
                ),
                ("drop function entitysync.doctor()", "The database has an older SQL"),
                ("drop schema entitysync cascade", "The database has no SQL"),
            ])
            func whatIsWrongIsNamed(fault: String, finding: String) async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    try await DatabaseDevice(handler, device: 1).push(keys: "a", "b")
                    try await bench.sql(fault)
                    let found = try report(bench)
                    #expect(found.contains { $0.text.contains(finding) }, "\(found)")
                    #expect(found.allSatisfy { !$0.help.isEmpty })
                }
            }

            @Test func otherSchemasAreNoticed() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let found = try DatabaseReport.read(
                        url: bench.url,
                        schemas: Array(ScratchSchemas.all.dropLast())
                    ).findings
                    #expect(found.first?.text == "The SQL of the database was generated from other schemas.")
                }
            }
        }
    }
#endif
