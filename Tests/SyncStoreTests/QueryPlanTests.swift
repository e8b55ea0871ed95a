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
        try folder.open([Samples.everything, Samples.page, Samples.folder, Samples.verse]).close()
        connection = try Connection.open(path: folder.store, flags: .readOnly)
    }

    private func sql(_ entity: EntityDescriptor) throws -> EntitySQL {
        try EntityTable(entity, TableShape(entity)).sql
    }

    private func plan(_ sql: String) throws -> String {
        try connection.queryPlan(sql).joined(separator: "\n")
    }

    @Test(arguments: [Samples.everything, Samples.page, Samples.verse])
    func recordsAreFoundByTheirKey(_ entity: EntityDescriptor) throws {
        let sql = try sql(entity)
        for query in [
            sql.findHeader, sql.findRecord, sql.findModel, sql.updateHeader, sql.setHeads, sql.remove,
        ] {
            #expect(try plan(query).contains("USING INDEX sync:\(entity.table):key"), "\(query)")
        }
    }

    @Test func whatIsNotCleanIsFoundByItsState() throws {
        let sql = try sql(Samples.everything)
        for state in SyncState.allCases where state != .synced {
            for isFirst in [true, false] {
                let plan = try plan(sql.keys(in: state, isFirst: isFirst))
                #expect(plan.contains("USING INDEX sync:every_thing:state (sync_state=?"))
                #expect(!plan.contains("SCAN"))
            }
        }
    }

    @Test func sharedValuesAndChildrenAreFoundByTheirIndex() throws {
        let sql = try sql(Samples.everything)
        #expect(
            try plan(sql.keysSharing[0]).contains("sync:every_thing:by:title,count (title=? AND count=?)")
        )
        #expect(try plan(sql.keysSharing[1]).contains("sync:every_thing:by:at (at=?)"))
        let children = try self.sql(Samples.page).children("\"folderId\"")
        #expect(try plan(children).contains("sync:page:by:folderId (folderId=?)"))
    }

    @Test func whoSharesValuesAmongManyIsFoundByWalksAlongIndexes() throws {
        let many = try #require(try sql(Samples.everything).groupedMany)
        for line in try connection.queryPlan(many) where line.contains("every_thing") || line.contains("one")
        {
            #expect(line.contains("INDEX"), "\(line)")
        }
        #expect(try plan(many).contains("USING COVERING INDEX sync:every_thing:by:title,count"))
    }

    @Test func walksFollowTheKeysIndexWithoutSorting() throws {
        for entity in [Samples.everything, Samples.page, Samples.verse] {
            let sql = try sql(entity)
            for query in [sql.scanAll, sql.scanLive, sql.modelsAll, sql.modelsLive] {
                #expect(try plan(query) == "SCAN \(entity.table) USING INDEX sync:\(entity.table):key")
            }
        }
    }

    @Test func aWalkWithoutOrderReadsTheTableAsItLies() throws {
        let sql = try sql(Samples.everything)
        #expect(try plan(sql.modelsLiveUnsorted) == "SCAN every_thing")
        #expect(try plan(sql.modelsAllUnsorted) == "SCAN every_thing")
    }

    @Test func countsWalkNoTable() throws {
        for line in try connection.queryPlan(try sql(Samples.everything).counts)
        where line.hasPrefix("SCAN every_thing") || line.hasPrefix("SEARCH every_thing") {
            #expect(line.contains("INDEX"), "\(line)")
        }
    }

    @Test func whatIsBesideARecordIsFoundByItsKey() throws {
        for table in ["sync_side", "sync_head", "sync_history", "sync_rejection"] {
            let plan = try plan("SELECT * FROM \(table) WHERE entity = ?1 AND key = ?2")
            #expect(plan.contains("(entity=? AND key=?)"), "\(plan)")
        }
    }
}
