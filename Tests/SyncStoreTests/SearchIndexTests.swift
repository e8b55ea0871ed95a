import Foundation
import SyncChecks
import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// The full-text index follows every write and every schema.
@Suite struct SearchIndexTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func entity(
        name: String = "text-entry",
        search: [String],
        version: Int = 1,
        hasNote: Bool = true
    ) -> EntityDescriptor {
        var fields = [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "title", type: .string(), isRequired: true),
        ]
        if hasNote { fields.append(FieldDescriptor(name: "note", type: .string())) }
        return EntityDescriptor(
            name: name,
            typeName: "TextEntry",
            version: version,
            fields: fields,
            key: ["id"],
            strategy: .lastWriteWins,
            search: search
        )
    }

    private func found(_ text: String, in store: SQLiteStore, entity: EntityDescriptor) throws -> [String] {
        try store.read {
            try $0.search(entity: entity, search: StoreSearch(text: TextSearch(text), limit: 1000))
        }
        .map(\.record.version.key.text).sorted()
    }

    private func save(_ id: String, title: String, entity: EntityDescriptor, in store: SQLiteStore) throws {
        var record = Record(empty: entity)
        record.values[0] = .text(id)
        record.values[1] = .text(title)
        try store.save(Samples.local(record: record, of: entity), of: entity)
    }

    @Test func aSchemaThatBeginsToSearchFindsWhatIsThere() throws {
        let (without, with) = (Self.entity(search: []), Self.entity(search: ["title"], version: 2))
        var store = try folder.open(entities: [without])
        try save("a", title: "mercy", entity: without, in: store)
        store.close()
        store = try folder.open(entities: [with])
        #expect(try found("mercy", in: store, entity: with) == ["a"])
        try save("b", title: "mercy", entity: with, in: store)
        #expect(try found("mercy", in: store, entity: with) == ["a", "b"])
        #expect(try store.hasSoundSearch(with))
        store.close()
        let again = Self.entity(search: [], version: 3)
        store = try folder.open(entities: [again])
        try save("c", title: "mercy", entity: again, in: store)
        store.close()
        let both = Self.entity(search: ["note", "title"], version: 4)
        store = try folder.open(entities: [both])
        #expect(try found("mercy", in: store, entity: both) == ["a", "b", "c"])
        #expect(try store.hasSoundSearch(both))
    }

    @Test func otherChangesOfTheSchemaKeepTheIndex() throws {
        let (old, new) = (
            Self.entity(search: ["title"], hasNote: false), Self.entity(search: ["title"], version: 2)
        )
        var store = try folder.open(entities: [old])
        try save("a", title: "mercy", entity: old, in: store)
        store.close()
        store = try folder.open(entities: [new])
        #expect(try found("mercy", in: store, entity: new) == ["a"])
        #expect(try store.hasSoundSearch(new))
    }

    @Test func anIndexThatLacksWordsIsNoticedAndMadeAnew() throws {
        let entity = Self.entity(search: ["title"])
        var store = try folder.open(entities: [entity])
        try save("a", title: "mercy", entity: entity, in: store)
        #expect(try store.hasSoundSearch(entity))
        store.close()
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        try connection.execute("DROP TRIGGER \"sync:text_entry:search:insert\"")
        try connection.execute("DROP TRIGGER \"sync:text_entry:search:update\"")
        connection.close()
        store = try folder.open(entities: [entity])
        try save("b", title: "mercy", entity: entity, in: store)
        #expect(try found("mercy", in: store, entity: entity) == ["a"])
        #expect(try !store.hasSoundSearch(entity))
        try store.rebuildSearch(of: [entity])
        #expect(try store.hasSoundSearch(entity))
        #expect(try found("mercy", in: store, entity: entity) == ["a", "b"])
    }

    /// Ways in which the tables of an index lose what FTS5 needs.
    private static let damages = [
        "DELETE FROM \"sync:text_entry:search_data\"",
        "DELETE FROM \"sync:text_entry:search_data\" WHERE id > 100",
        "DELETE FROM \"sync:text_entry:search_idx\"", "DELETE FROM \"sync:text_entry:search_docsize\"",
        "DELETE FROM \"sync:text_entry:search_config\"", "DROP TABLE \"sync:text_entry:search_idx\"",
    ]

    @Test(arguments: damages) func anIndexWithDamagedTablesIsMadeAnew(damage: String) throws {
        let entity = Self.entity(search: ["title"])
        var store = try folder.open(entities: [entity])
        for id in 0..<200 { try save("\(id)", title: "mercy word\(id)", entity: entity, in: store) }
        store.close()
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        try connection.execute(damage)
        connection.close()
        store = try folder.open(entities: [entity])
        #expect(try !store.hasSoundSearch(entity))
        try store.rebuildSearch(of: [entity])
        #expect(try store.hasSoundSearch(entity))
        try save("new", title: "mercy", entity: entity, in: store)
        #expect(try found("mercy", in: store, entity: entity).count == 201)
        #expect(try store.hasSoundSearch(entity))
    }

    @Test(arguments: ["data", "idx", "docsize"]) func anIndexWithAnUnreadablePageIsMadeAnew(table: String)
        throws
    {
        let entity = Self.entity(search: ["title"])
        let other = Self.other
        var store = try folder.open(entities: [entity, other])
        for id in 0..<200 { try save("\(id)", title: "mercy word\(id)", entity: entity, in: store) }
        for id in 0..<200 { try save("\(id)", title: "mercy word\(id)", entity: other, in: store) }
        store.close()
        for name in ["text_entry", "other_entry"] { try overwritePage(of: "sync:\(name):search_\(table)") }
        store = try folder.open(entities: [entity, other])
        #expect(try !store.hasSoundSearch(entity))
        try store.rebuildSearch(of: [entity, other])
        try save("new", title: "mercy", entity: entity, in: store)
        for entity in [entity, other] { #expect(try store.hasSoundSearch(entity)) }
        #expect(try found("mercy", in: store, entity: entity).count == 201)
        #expect(try found("mercy", in: store, entity: other).count == 200)
        store.close()
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        try connection.addWordTokenizer()
        #expect(try connection.integrityCheck(limit: 10).isEmpty)
    }

    @Test func anIndexIsMadeAnewWhereSQLiteProtectsTheSchema() throws {
        let entity = Self.entity(search: ["title"])
        var store = try folder.open(entities: [entity])
        try save("a", title: "mercy", entity: entity, in: store)
        store.close()
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        try connection.execute("DROP TABLE \"sync:text_entry:search_idx\"")
        connection.close()
        store = try folder.open(entities: [entity])
        _ = store.connections { $0.setDefensive(true) }
        try store.rebuildSearch(of: [entity])
        #expect(try store.hasSoundSearch(entity))
        #expect(try found("mercy", in: store, entity: entity) == ["a"])
        let isProtected = store.connections { $0.setDefensive(true) }
        #expect(isProtected.first == true, "the protection is on again")
    }

    @Test func anIndexIsMadeAnewWithoutSpaceToDropItsFormerPagesWhichGoLater() throws {
        let entity = Self.entity(search: ["title"])
        let disk = SimulatedDisk()
        func open() throws -> SQLiteStore {
            try SQLiteStore.open(path: "/store.sqlite", entities: [entity], random: Counting(), medium: disk)
        }
        /// What SQLite's own check finds.
        func damage(_ store: SQLiteStore) -> [String] {
            store.connections { (try? $0.integrityCheck(limit: 1)) ?? ["no check"] }.first ?? ["no store"]
        }
        var store = try open()
        for id in 0..<200 {
            var record = Record(empty: entity)
            record.values = [.text("\(id)"), .text("mercy"), .text(String(repeating: "x", count: 4000))]
            try store.save(Samples.local(record: record, of: entity), of: entity)
        }
        store.close()
        let connection = try Connection.open(path: "/store.sqlite", flags: .readWrite, medium: disk)
        try connection.execute("DROP TABLE \"sync:text_entry:search_idx\"")
        connection.close()
        store = try open()
        // Enough for an index, but not for a second copy of the records.
        disk.capacity = disk.bytes(under: "/") + 300_000
        try store.rebuildSearch(of: [entity])
        #expect(try store.hasSoundSearch(entity))
        #expect(try found("mercy", in: store, entity: entity).count == 200)
        #expect(damage(store) != [])
        disk.capacity = nil
        try store.rebuildSearch(of: [])
        #expect(damage(store) == [])
        #expect(try store.hasSoundSearch(entity))
        #expect(try found("mercy", in: store, entity: entity).count == 200)
        store.close()
    }

    /// Another entity with search.
    private static let other = entity(name: "other-entry", search: ["title"])

    /// Fills a page of a table with zeros, as a bad sector would.
    private func overwritePage(of table: String) throws {
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        _ = try connection.checkpoint(mode: .truncate)
        let page = try connection.integer(
            sql: "SELECT max(pageno) FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf'"
        )
        let size = try connection.integer(sql: "PRAGMA page_size")
        connection.close()
        let file = try FileHandle(forUpdating: URL(filePath: folder.store))
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(count: Int(size)))
        try file.close()
    }

    @Test func aSearchWalksNoTable() throws {
        let entity = Self.entity(search: ["title"])
        let store = try folder.open(entities: [entity])
        store.close()
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        try connection.addWordTokenizer()
        let table = try EntityTable(descriptor: entity, shape: TableShape(entity))
        var query = StoreQuery()
        query.require(.matches(TextSearch("mercy")))
        let sql = try QuerySQL(table: table, query: query, lookup: { _ in table })
        let plan = try connection.queryPlan(sql: table.sql.selectRecord + sql.text)
        #expect(!plan.contains { $0.hasPrefix("SCAN text_entry") }, "\(plan)")
        #expect(plan.contains { $0.contains("VIRTUAL TABLE INDEX") }, "\(plan)")
    }

    /// Excerpts are made of the rows that are returned, not of all that were found.
    @Test func hitsComeByRankWithoutASort() throws {
        let entity = Self.entity(search: ["title"])
        try folder.open(entities: [entity]).close()
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        try connection.addWordTokenizer()
        let table = try EntityTable(descriptor: entity, shape: TableShape(entity))
        var filtered = StoreSearch(text: TextSearch("mercy"))
        filtered.query.require(.test(.init(field: "note", test: .equals(.text("x")))))
        for search in [StoreSearch(text: TextSearch("mercy")), filtered] {
            let index = try SearchIndex(table: table)
            let match = try #require(try index.match(search.text))
            let sql = try SearchSQL(search: search, match: match, table: table, index: index) { _ in table }
            let plan = try connection.queryPlan(sql: sql.text)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
            #expect(plan.first?.contains("VIRTUAL TABLE INDEX") == true, "\(plan)")
        }
    }
}
