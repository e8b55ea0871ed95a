import Foundation
import PostgresCluster
import Testing

@testable import syncbench

/// What makes the ratios of PostgreSQL believable. Each throws unless both sides end with the same rows or bytes.
@Suite(.serialized, .enabled(if: PostgresCluster.programs != nil, "\(PostgresCluster.notInstalled)"))
struct PostgresRatioTests {
    @Test func anExchangeStoresTheSameRowsAsAPlainInsert() async throws {
        try await Scratch.use { bench in
            let found = try await SQLWriteRatio.push(bench)
            #expect(found.ratio > 0)
            #expect(found.note.contains("the same rows: 320 "), "\(found.note)")
        }
    }

    @Test func anExchangeOfEditsStoresTheSameRowsAsAPlainUpdate() async throws {
        try await Scratch.use { bench in
            let found = try await SQLWriteRatio.edit(bench)
            #expect(found.ratio > 0)
            #expect(found.note.contains("the same rows: 320 "), "\(found.note)")
        }
    }

    @Test func bothTablesHaveTheSamePoliciesAndConstraints() async throws {
        let server = try await BenchPostgres.shared()
        let parts = """
            select string_agg(part, E'\\n' order by part) from (
              select pg_get_constraintdef(oid) as part from pg_constraint where conrelid = 'public.bookmarks'::regclass
              union all
              select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'public.bookmarks'::regclass
              union all
              select to_jsonb(p)::text from pg_policies as p where p.tablename = 'bookmarks'
              union all
              select a.attname || format_type(a.atttypid, a.atttypmod) || a.attnotnull
                || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
              from pg_attribute as a left join pg_attrdef as d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
              where a.attrelid = 'public.bookmarks'::regclass and a.attnum > 0
              union all
              select relrowsecurity::text from pg_class where oid = 'public.bookmarks'::regclass
            ) as parts
            """
        let triggers = "select count(*) from pg_trigger where tgrelid = 'public.bookmarks'::regclass"
        let cluster = server.cluster
        let synced = try await cluster.sql(parts, database: server.synced)
        #expect(try await cluster.sql(parts, database: server.plain) == synced)
        #expect(synced.contains("auth.uid()") && synced.contains("CHECK"))
        #expect(try await cluster.sql(triggers, database: server.plain) == "0")
        #expect(try await cluster.sql(triggers, database: server.synced) == "6")
    }

    @Test func anIdleExchangeLooksOnceIntoTheFeedAndReadsFewPages() async throws {
        try await Scratch.use { bench in
            let server = try await BenchPostgres.shared()
            let database = try await server.database(copying: server.synced)
            let (session, request) = try SQLIdleRatio.idleDevice(
                of: database,
                at: server,
                states: bench.records * 10
            )
            let plan = try IdlePlan(session: session, request: request)
            #expect(plan.isOneSearch && plan.blocks <= 40, "\(plan)")
            try await server.remove(database)
        }
    }

    @Test func anIdleExchangeIsMeasuredBesideTheLeastThatTheClientCanAsk() async throws {
        try await Scratch.use { bench in
            var small = bench
            small.records = 1000
            let found = try await SQLIdleRatio.measure(small)
            #expect(found.ratio > 1 && found.holds, "\(found.note)")
        }
    }

    @Test(arguments: [SQLPageRatio.Source.stored, .rendered])
    func aPageHasTheBytesOfThePlainSelect(source: SQLPageRatio.Source) async throws {
        try await Scratch.use { bench in
            let found = try await SQLPageRatio.measure(bench, source: source)
            #expect(found.ratio > 0)
            #expect(found.note.hasPrefix("CPU"))
        }
    }

    @Test func eachLoadedRowHasItsState() async throws {
        try await Scratch.use { bench in
            let found = try await SQLLoadRatio.measure(bench)
            #expect(found.ratio > 0)
        }
    }

    @Test func sizesAreThoseOfFullTables() async throws {
        try await Scratch.use { bench in
            let found = try await SQLSizeRatio.measure(bench)
            #expect(found.ours > 8192 && (found.yardstick ?? 0) > 8192)
        }
    }

    @Test(arguments: [SQLWritersRatio.Operation.insert, .update, .delete])
    func bothTablesHoldWhatOtherProgramsWrote(operation: SQLWritersRatio.Operation) async throws {
        try await Scratch.use { bench in
            let ratios = (
                try await SQLWritersRatio.single(bench, operation).ratio,
                try await SQLWritersRatio.bulk(bench, operation).ratio
            )
            #expect(ratios.0 > 0 && ratios.1 > 0)
        }
    }

    @Test func everyPushThroughOneServerOrTwoIsStored() async throws {
        try await Scratch.use { bench in
            do {
                let found = try await SQLProcessesRatio.measure(bench)
                #expect(found.ratio > 0)
            } catch let unmeasured as Unmeasured where unmeasured.reason.contains("not built") {
                print(unmeasured.reason)
            }
        }
    }
}
