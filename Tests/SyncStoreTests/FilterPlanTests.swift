import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// Joins, alternatives and elements are found by indexes: no plan walks a table.
@Suite struct FilterPlanTests {
    let folder: TemporaryFolder
    let connection: Connection
    let notes: EntityTable
    let folders: EntityTable

    init() throws {
        folder = try TemporaryFolder()
        try folder.open(entities: [Self.folderEntity, Self.note]).close()
        connection = try Connection.open(path: folder.store, flags: .readOnly)
        try connection.addQueryFunctions()
        notes = try EntityTable(descriptor: Self.note, shape: TableShape(Self.note))
        folders = try EntityTable(descriptor: Self.folderEntity, shape: TableShape(Self.folderEntity))
    }

    private static let folderEntity = EntityDescriptor(
        name: "folder",
        typeName: "Folder",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "name", type: .string(), isRequired: true),
            FieldDescriptor(name: "value", type: .string()),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        indexes: [["name"]]
    )
    private static let note = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "folder", type: .string(), isNullable: true),
            FieldDescriptor(name: "title", type: .string(), isRequired: true),
            FieldDescriptor(name: "value", type: .string()),
            FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true)),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        indexes: [["title"], ["tags"]],
        references: [ReferenceDescriptor(field: "folder", entity: "folder", onDelete: .nullify)]
    )

    private func plan(_ filter: StoreQuery.Filter, of table: EntityTable) throws -> [String] {
        var query = StoreQuery()
        query.require(filter)
        let sql = try QuerySQL(
            table: table,
            query: query,
            lookup: { [notes, folders] in $0 == "note" ? notes : folders }
        )
        return try connection.queryPlan(sql: table.sql.selectRecord + sql.text)
    }

    private func test(_ field: String, _ test: StoreQuery.Test) -> StoreQuery.Filter {
        .test(StoreQuery.Condition(field: field, test: test))
    }

    private func walks(_ plan: [String]) -> [String] {
        plan.filter { $0.hasPrefix("SCAN") && !$0.contains("json_each") }
    }

    @Test func elementsLeadToTheirRows() throws {
        for list in [
            StoreQuery.Test.hasAnyElement([.text("a"), .text("b")]),
            .hasAllElements([.text("a"), .text("b")]),
        ] {
            let plan = try plan(test("tags", list), of: notes)
            #expect(walks(plan).isEmpty, "\(plan)")
            #expect(plan.contains { $0.contains("SEARCH note USING INTEGER PRIMARY KEY") }, "\(plan)")
            #expect(
                plan.contains { $0.contains("sync:note:elements:tags USING PRIMARY KEY (value=?)") },
                "\(plan)"
            )
        }
    }

    @Test func conditionsOnWhatIsReferredToLeadToTheRecords() throws {
        let name = test("name", .equals(.text("x")))
        let joined = try plan(.refers(field: "folder", entity: "folder", name), of: notes)
        #expect(walks(joined).isEmpty, "\(joined)")
        #expect(
            joined.contains { $0.contains("SEARCH note USING INDEX sync:note:by:folder (folder=?)") },
            "\(joined)"
        )
        #expect(joined.contains { $0.contains("sync:folder:by:name (name=?)") }, "\(joined)")
        let title = test("title", .equals(.text("x")))
        let parents = try plan(.isReferred(entity: "note", field: "folder", title), of: folders)
        #expect(walks(parents).isEmpty, "\(parents)")
        #expect(
            parents.contains { $0.contains("SEARCH folder USING INDEX sync:folder:key (id=?)") },
            "\(parents)"
        )
    }

    @Test func alternativesAreFoundEachByItsIndex() throws {
        let either = StoreQuery.Filter.any([
            test("title", .equals(.text("x"))), test("tags", .hasAnyElement([.text("a")])),
            .refers(field: "folder", entity: "folder", test("name", .equals(.text("n")))),
        ])
        let plan = try plan(either, of: notes)
        #expect(walks(plan).isEmpty, "\(plan)")
        #expect(plan.contains { $0.contains("SEARCH note USING INTEGER PRIMARY KEY") }, "\(plan)")
    }

    @Test func aTestOnReferredRecordsBesideAnIndexFindsEachByItsKey() throws {
        let unindexed = StoreQuery.Filter.refers(
            field: "folder",
            entity: "folder",
            test("value", .equals(.text("v")))
        )
        let plan = try plan(.all([test("title", .equals(.text("x"))), unindexed]), of: notes)
        #expect(walks(plan).isEmpty, "\(plan)")
        #expect(plan.contains { $0.contains("sync:folder:key (id=?)") }, "\(plan)")
    }

    /// Elements are kept when records are written in any way, and made for a store that had none.
    @Test func theElementsOfAStoreAreThoseOfItsRows() throws {
        let before = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: Self.note.fields,
            key: ["id"],
            strategy: .lastWriteWins,
            references: Self.note.references
        )
        let other = try TemporaryFolder()
        let store = try other.open(entities: [Self.folderEntity, before])
        for number in 1...3 {
            let json = #"{"id":"n\#(number)","title":"t","tags":["a","b\#(number)"]}"#
            try store.save(wire: json, key: "n\(number)", of: before)
        }
        store.close()
        let next = try other.open(entities: [Self.folderEntity, Self.note])
        defer { next.close() }
        let found = try next.read { snapshot in
            try snapshot.query(
                entity: Self.note,
                query: StoreQuery(filters: [test("tags", .hasAllElements([.text("a"), .text("b2")]))])
            )
        }
        #expect(found.map(\.version.key.text) == ["n2"])
    }
}
