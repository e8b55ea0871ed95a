import Foundation
import SyncChecks
import SyncCore
import Testing

@testable import SyncStore

/// What changes a record's state in the store is a short list of statements, each behind one method of the transaction:
/// all statements that syncs and people run are taken from the stores that ran them.
@Suite struct StateStatementTests {
    @Test(arguments: [World.Place.folder, .server])
    func noOtherStatementChangesARecordsState(place: World.Place) async throws {
        let folder = try TemporaryFolder()
        let story = SyncStory(
            world: try World(devices: 2, entities: SyncStory.entities, path: folder.path, place: place)
        )
        try await story.fill()
        try await story.live()
        try await story.recover()
        var tables: Set = ["sync_side", "sync_head"]
        var known: Set = [
            "DELETE FROM sync_side WHERE entity = ?1 AND key = ?2",
            "DELETE FROM sync_head WHERE entity = ?1 AND key = ?2",
            "DELETE FROM sync_side WHERE entity = ?1 AND key = ?2 AND kind = ?3",
            "INSERT INTO sync_head (entity, key, version) VALUES (?1, ?2, ?3)",
            """
            INSERT INTO sync_side (entity, key, kind, version) VALUES (?1, ?2, ?3, ?4) \
            ON CONFLICT (entity, key, kind) DO UPDATE SET version = excluded.version
            """,
        ]
        for entity in SyncStory.entities {
            let table = try EntityTable(descriptor: entity, shape: TableShape(entity))
            let sql = table.sql
            tables.insert(table.name)
            known.formUnion([
                sql.saveRecord, sql.saveWire, sql.insertWire, sql.acknowledge, sql.updateHeader, sql.setHeads,
                sql.setRevision, sql.forgetRevisions, sql.remove,
            ])
        }
        let changes = try story.statements().filter { text in
            tables.contains { Self.changes(text, table: $0) }
        }
        #expect(changes.count > 15)
        #expect(changes.subtracting(known) == [])
    }

    /// Whether a statement writes to a table.
    private static func changes(_ text: String, table: String) -> Bool {
        [
            "INSERT INTO", "INSERT OR REPLACE INTO", "INSERT OR IGNORE INTO", "REPLACE INTO", "UPDATE",
            "DELETE FROM",
        ]
        .contains { text.hasPrefix("\($0) \(table) ") || text.hasPrefix("\($0) \"\(table)\" ") }
    }
}
