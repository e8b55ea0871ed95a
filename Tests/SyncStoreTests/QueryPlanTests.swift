import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// Cost must follow what changed, not what is stored: no query of a sync may walk a table.
@Suite struct QueryPlanTests {
    let folder: TemporaryFolder
    let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        try folder.open(entities: [Samples.everything, Samples.page, Samples.folder, Samples.verse]).close()
        connection = try Connection.open(path: folder.store, flags: .readOnly)
    }

    private func sql(entity: EntityDescriptor) throws -> EntitySQL {
        try EntityTable(descriptor: entity, shape: TableShape(entity)).sql
    }

    private func plan(sql: String) throws -> String {
        try connection.queryPlan(sql: sql).joined(separator: "\n")
    }

    @Test(arguments: [Samples.everything, Samples.page, Samples.verse])
    func recordsAreFoundByTheirKey(entity: EntityDescriptor) throws {
        let sql = try sql(entity: entity)
        for query in [
            sql.findHeader, sql.findRecord, sql.findModel, sql.updateHeader, sql.setHeads, sql.remove,
        ] {
            #expect(try plan(sql: query).contains("USING INDEX sync:\(entity.table):key"), "\(query)")
        }
    }

    @Test func whatIsNotCleanIsFoundByItsState() throws {
        let sql = try sql(entity: Samples.everything)
        for state in SyncState.allCases where state != .synced {
            for isFirst in [true, false] {
                let plan = try plan(sql: sql.keys(in: state, isFirst: isFirst))
                #expect(plan.contains("USING INDEX sync:every_thing:state (sync_state=?"))
                #expect(!plan.contains("SCAN"))
            }
        }
    }

    @Test func sharedValuesAndChildrenAreFoundByTheirIndex() throws {
        let sql = try sql(entity: Samples.everything)
        #expect(
            try plan(sql: sql.keysSharing[0]).contains(
                "sync:every_thing:by:title,count (title=? AND count=?)"
            )
        )
        #expect(try plan(sql: sql.keysSharing[1]).contains("sync:every_thing:by:at (at=?)"))
        let table = try EntityTable(descriptor: Samples.page, shape: TableShape(Samples.page))
        let children = try ReferenceSQL(Samples.page.references[0], child: table).children
        #expect(try plan(sql: children).contains("sync:page:by:folderId (folderId=?)"))
    }

    @Test func whoSharesValuesAmongManyIsFoundByWalksAlongIndexes() throws {
        let many = try #require(try sql(entity: Samples.everything).groupedMany)
        for line in try connection.queryPlan(sql: many)
        where line.contains("every_thing") || line.contains("one") {
            #expect(line.contains("INDEX"), "\(line)")
        }
        #expect(try plan(sql: many).contains("USING COVERING INDEX sync:every_thing:by:title,count"))
    }

    @Test func walksFollowTheKeysIndexWithoutSorting() throws {
        for entity in [Samples.everything, Samples.page, Samples.verse] {
            let sql = try sql(entity: entity)
            for query in [sql.scanAll, sql.scanLive, sql.modelsAll, sql.modelsLive] {
                #expect(try plan(sql: query) == "SCAN \(entity.table) USING INDEX sync:\(entity.table):key")
            }
        }
    }

    @Test func aWalkWithoutOrderReadsTheTableAsItLies() throws {
        let sql = try sql(entity: Samples.everything)
        #expect(try plan(sql: sql.modelsLiveUnsorted) == "SCAN every_thing")
        #expect(try plan(sql: sql.modelsAllUnsorted) == "SCAN every_thing")
    }

    @Test func countsWalkNoTable() throws {
        for line in try connection.queryPlan(sql: try sql(entity: Samples.everything).counts)
        where line.hasPrefix("SCAN every_thing") || line.hasPrefix("SEARCH every_thing") {
            #expect(line.contains("INDEX"), "\(line)")
        }
    }

    @Test func whatIsBesideARecordIsFoundByItsKey() throws {
        for table in ["sync_side", "sync_head", "sync_history", "sync_rejection"] {
            let plan = try plan(sql: "SELECT * FROM \(table) WHERE entity = ?1 AND key = ?2")
            #expect(plan.contains("(entity=? AND key=?)"), "\(plan)")
        }
    }
}
