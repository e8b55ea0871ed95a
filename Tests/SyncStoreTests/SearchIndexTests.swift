import SyncChecks
import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// The full-text index follows every write and every schema.
@Suite struct SearchIndexTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func entity(search: [String], version: Int = 1, hasNote: Bool = true) -> EntityDescriptor {
        var fields = [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "title", type: .string(), isRequired: true),
        ]
        if hasNote { fields.append(FieldDescriptor(name: "note", type: .string())) }
        return EntityDescriptor(
            name: "text-entry",
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
        try store.rebuildSearch(entity)
        #expect(try store.hasSoundSearch(entity))
        #expect(try found("mercy", in: store, entity: entity) == ["a", "b"])
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
