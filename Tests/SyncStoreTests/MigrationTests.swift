import SyncCore
import SyncSQLite
import SyncStore
import Testing

@Suite struct MigrationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func note(
        _ fields: [FieldDescriptor],
        version: Int = 1,
        key: [String] = ["id"],
        unique: [[String]] = [],
        indexes: [[String]] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            version: version,
            fields: [FieldDescriptor("id", type: .string(), isRequired: true)] + fields,
            key: key,
            strategy: .lastWriteWins,
            unique: unique,
            indexes: indexes
        )
    }

    private static let title = FieldDescriptor("title", type: .string(), isNullable: true)
    private static let rating = FieldDescriptor("rating", type: .integer(), isNullable: true)

    /// Opens with one schema and writes wire objects whose key is `a`, `b` and so on.
    private func write(_ wires: String..., with entity: EntityDescriptor) throws {
        let store = try folder.open([entity])
        for (index, wire) in wires.enumerated() {
            try store.save(wire: wire, ["a", "b", "c", "d"][index], of: entity)
        }
        store.close()
    }

    /// Opens with another schema and gives a record's canonical wire object.
    private func wire(_ key: String = "a", with entity: EntityDescriptor) throws -> String {
        let store = try folder.open([entity])
        defer { store.close() }
        let record = try #require(try store.load(key, of: entity))
        return String(
            decoding: RecordEncoder(entity, form: .wire).bytes(record.version.record),
            as: UTF8.self
        )
    }

    private func sqlite(_ script: String) throws {
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        try connection.execute(script)
        connection.close()
    }

    private func indexes() throws -> [String] {
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        return try connection.texts("SELECT name FROM sqlite_schema WHERE name LIKE '%:by:%' ORDER BY name")
    }

    @Test func aNewFieldIsAbsentInOldRecords() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note([Self.title]))
        let new = Self.note([Self.rating, Self.title], version: 2)
        #expect(try wire(with: new) == #"{"id":"a","title":"t"}"#)
        try write(#"{"id":"a","rating":5,"title":null}"#, with: new)
        #expect(try wire(with: new) == #"{"id":"a","rating":5,"title":null}"#)
    }

    @Test func aNewFieldTakesWhatNewerDevicesHadSentBefore() throws {
        let nested = FieldDescriptor("lat", wirePath: ["place", "lat"], type: .number())
        let texts = [
            #"{"id":"a","rating":5,"place":{"lat":1.5,"lng":2},"zeta":[1]}"#, #"{"id":"b","rating":null}"#,
            #"{"id":"c","rating":"unfit","place":7}"#, #"{"id":"d"}"#,
        ]
        try write(texts[0], texts[1], texts[2], texts[3], with: Self.note([]))
        let new = Self.note([Self.rating, nested])
        let store = try folder.open([new])
        let record = try #require(try store.load("a", of: new)).version.record
        #expect(record.values == [.text("a"), .integer(5), .number(1.5)])
        #expect(record.unknown.map(\.path) == ["/place/lng", "zeta"])
        #expect(try store.load("b", of: new)?.version.record.values == [.text("b"), .null, nil])
        #expect(try store.load("c", of: new)?.version.record.values == [.text("c"), nil, nil])
        #expect(try store.load("c", of: new)?.version.record.unknown.count == 2)
        store.close()
        #expect(try wire("a", with: new) == texts[0])
    }

    @Test func aDroppedFieldLivesOnAsAnUnknownOneAndReturns() throws {
        let everything = Samples.everything
        let less = EntityDescriptor(
            name: everything.name,
            typeName: everything.typeName,
            fields: [everything.fields[0], FieldDescriptor("extra", type: .string())],
            key: ["id"],
            strategy: .lastWriteWins
        )
        var record = Samples.full()
        record.values[13] = .null
        var store = try folder.open()
        try store.save(Samples.local(record, state: .pending, sequence: 3))
        store.close()
        let before = try wire(with: everything)
        store = try folder.open([less])
        let dropped = try #require(try store.load("a", of: less))
        #expect(dropped.version.record.unknown.contains(UnknownField(path: "note", json: "null")))
        #expect(dropped.state == .pending)
        #expect(dropped.version.stamp == Samples.stamp(3))
        store.close()
        store = try folder.open()
        #expect(try store.load("a") == Samples.local(record, state: .pending, sequence: 3))
        store.close()
        #expect(try wire(with: everything) == before)
    }

    @Test func whatStaysOnThisDeviceNeverBecomesUnknown() throws {
        let draft = FieldDescriptor("draft", type: .string(), isNullable: true, isLocalOnly: true)
        let with = Self.note([draft, Self.title])
        var store = try folder.open([with])
        let record = Samples.local(Record(values: [.text("a"), .text("secret"), nil]), of: with)
        try store.save(record, of: with)
        store.close()
        let without = Self.note([Self.title])
        #expect(try wire(with: without) == #"{"id":"a"}"#)
        try write(#"{"id":"a","title":"t"}"#, with: without)
        store = try folder.open([with])
        let values = try store.load("a", of: with)?.version.record.values
        #expect(values == [.text("a"), .text("secret"), .text("t")])
    }

    @Test func droppedObjectsKeepTheirNamesOnTheWire() throws {
        let place = FieldDescriptor(
            "places",
            type: .array(element: Samples.everything.fields[12].type)
        )
        let text = #"{"id":"a","places":[{"latitude":1.5,"x":1},{}]}"#
        try write(text, with: Self.note([place]))
        #expect(try wire(with: Self.note([])) == text)
        #expect(try wire(with: Self.note([place])) == text)
    }

    @Test func objectsTakeTheFormThatAPullWouldGiveThem() throws {
        func note(_ members: [FieldDescriptor]) -> EntityDescriptor {
            Self.note([FieldDescriptor("place", type: .object(members))])
        }
        let name = FieldDescriptor("name", type: .string())
        let floor = FieldDescriptor("floor", wirePath: ["level"], type: .integer())
        let text = #"{"id":"a","place":{"name":"n","level":3,"z":0}}"#
        try write(text, with: note([name]))
        let store = try folder.open([note([floor, name])])
        let pulled = #"{"id":"b","place":{"name":"n","level":3,"z":0}}"#
        try store.save(wire: pulled, "b", of: note([floor, name]))
        let values = try ["a", "b"].map {
            try store.load($0, of: note([floor, name]))?.version.record.values[1]
        }
        #expect(values[0] == .json(#"{"floor":3,"name":"n","z":0}"#))
        #expect(values[0] == values[1])
    }

    @Test func aRenamedFieldKeepsItsValues() throws {
        let old = Self.note([Self.title, Self.rating], unique: [["title", "rating"]])
        try write(#"{"id":"a","title":"t"}"#, #"{"id":"b","title":null}"#, with: old)
        let heading = FieldDescriptor("heading", type: .string(), isNullable: true, renamedFrom: "title")
        let new = Self.note([heading, Self.rating], version: 2, unique: [["heading", "rating"]])
        #expect(try wire(with: new) == #"{"id":"a","heading":"t"}"#)
        #expect(try wire("b", with: new) == #"{"id":"b","heading":null}"#)
        #expect(try indexes() == ["sync:note:by:heading,rating"])
    }

    @Test func aRenamedKeyStaysTheKey() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note([Self.title]))
        let new = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor("slug", type: .string(), isRequired: true, renamedFrom: "id"), Self.title,
            ],
            key: ["slug"],
            strategy: .lastWriteWins
        )
        #expect(try wire(with: new) == #"{"slug":"a","title":"t"}"#)
        try write(#"{"slug":"a","title":"u"}"#, with: new)
        #expect(try wire(with: new) == #"{"slug":"a","title":"u"}"#)
    }

    @Test func aNewRequiredFieldIsFilledWithItsDefault() throws {
        try write(#"{"id":"a","status":"sent"}"#, #"{"id":"b"}"#, with: Self.note([]))
        let status = FieldDescriptor("status", type: .string(), isRequired: true, defaultJSON: #""new""#)
        let parent = FieldDescriptor(
            "parent",
            type: .string(),
            isNullable: true,
            isRequired: true,
            defaultJSON: "null"
        )
        let must = FieldDescriptor("must", type: .string(), isRequired: true)
        let new = Self.note([status, parent, must], version: 2)
        #expect(try wire(with: new) == #"{"id":"a","status":"sent","parent":null}"#)
        #expect(try wire("b", with: new) == #"{"id":"b","status":"new","parent":null}"#)
    }

    @Test func aFieldOfAnotherTypeIsRefusedAndNothingIsTouched() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note([Self.title]))
        let before = try folder.bytes()
        let wrong = Self.note([FieldDescriptor("title", type: .integer()), Self.rating], version: 2)
        let error = #expect(throws: SyncError.self) { _ = try folder.open([Samples.everything, wrong]) }
        #expect(error?.kind == .unreadableStore)
        let otherKey = Self.note([Self.title], key: ["id", "title"])
        #expect(throws: SyncError.self) { _ = try folder.open([otherKey]) }
        #expect(try folder.bytes() == before)
        #expect(try wire(with: Self.note([Self.title])) == #"{"id":"a","title":"t"}"#)
    }

    @Test func anOlderSchemaThanTheTablesIsRefused() throws {
        try write(#"{"id":"a"}"#, with: Self.note([], version: 3))
        let before = try folder.bytes()
        #expect(throws: SyncError.newerSchema("note", found: 3, known: 2)) {
            _ = try folder.open([Self.note([], version: 2)])
        }
        #expect(try folder.bytes() == before)
    }

    @Test func indexesFollowTheSchema() throws {
        try write(
            #"{"id":"a"}"#,
            with: Self.note([Self.title, Self.rating], indexes: [["title"], ["rating"]])
        )
        #expect(try indexes() == ["sync:note:by:rating", "sync:note:by:title"])
        try sqlite("CREATE INDEX mine ON note (rating)")
        try write(
            #"{"id":"a"}"#,
            with: Self.note([Self.title, Self.rating], indexes: [["rating", "title"]])
        )
        #expect(try indexes() == ["sync:note:by:rating,title"])
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'") == 1)
    }

    @Test func aTableWhoseEntityIsGoneStaysAsItIs() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note([Self.title]))
        try folder.open([Samples.page]).close()
        #expect(try wire(with: Self.note([Self.title])) == #"{"id":"a","title":"t"}"#)
    }

    @Test func aMigrationThatFailsLeavesEverythingAsItWas() throws {
        try write(#"{"id":"a","rating":5}"#, with: Self.note([]))
        // The page's table cannot be made, after the note's was changed.
        try sqlite("CREATE TABLE page (mine TEXT)")
        let before = try folder.bytes()
        #expect(throws: SyncError.self) { _ = try folder.open([Self.note([Self.rating]), Samples.page]) }
        #expect(try folder.bytes() == before)
        try sqlite("DROP TABLE page")
        try folder.open([Self.note([Self.rating]), Samples.page]).close()
        #expect(try wire(with: Self.note([Self.rating])) == #"{"id":"a","rating":5}"#)
    }

    @Test func nullAndAbsentStayApartBeyondSixtyThreeFields() throws {
        func wide(_ count: Int) -> EntityDescriptor {
            Self.note((0..<count).map { FieldDescriptor("f\($0)", type: .integer(), isNullable: true) })
        }
        try write(#"{"id":"a","f61":null,"f62":null,"f80":null}"#, with: wide(62))
        #expect(try wire(with: wide(62)) == #"{"id":"a","f61":null,"f62":null,"f80":null}"#)
        #expect(try wire(with: wide(150)) == #"{"id":"a","f61":null,"f62":null,"f80":null}"#)
        try write(#"{"id":"a","f149":null,"f0":1}"#, with: wide(150))
        #expect(try wire(with: wide(150)) == #"{"id":"a","f0":1,"f149":null}"#)
        #expect(try wire(with: wide(10)) == #"{"id":"a","f0":1,"f149":null}"#)
        #expect(try wire(with: wide(150)) == #"{"id":"a","f0":1,"f149":null}"#)
    }

    @Test func versionsBesideARecordFollowTheSchema() throws {
        let old = Self.note([Self.title])
        let new = Self.note([Self.rating])
        let record = Record(
            values: [.text("a"), .text("t")],
            unknown: [UnknownField(path: "rating", json: "5")]
        )
        var store = try folder.open([old])
        try store.write(.full) { store in
            try store.setSide(old, RecordKey("a"), .base, Samples.local(record, of: old).version)
        }
        store.close()
        store = try folder.open([new])
        let side = try store.read { try $0.side(new, RecordKey("a"), .base) }
        #expect(side?.record.values == [.text("a"), .integer(5)])
        #expect(side?.record.unknown == [UnknownField(path: "title", json: #""t""#)])
    }

    @Test func aStoreThatIsOpenReadsOnWhenAnotherAddsFieldsButDoesNotWrite() throws {
        let old = Self.note([Self.title])
        let store = try folder.open([old])
        try store.save(wire: #"{"id":"a","title":"t"}"#, "a", of: old)
        #expect(try store.load("a", of: old) != nil)
        let newer = try folder.open([Self.note([Self.title, Self.rating])])
        #expect(try store.load("a", of: old)?.version.record.values == [.text("a"), .text("t")])
        let error = #expect(throws: SyncError.self) { try store.save(wire: #"{"id":"a"}"#, "a", of: old) }
        #expect(error?.kind == .unreadableStore)
        newer.close()
    }

    @Test func aStoreThatIsOpenDoesNotReadWhatAnotherHasRemoved() throws {
        let old = Self.note([Self.title])
        let store = try folder.open([old])
        try store.save(wire: #"{"id":"a","title":"t"}"#, "a", of: old)
        #expect(try store.load("a", of: old) != nil)
        try folder.open([Self.note([])]).close()
        let error = #expect(throws: SyncError.self) { _ = try store.load("a", of: old) }
        #expect(error?.kind == .unreadableStore)
    }

    @Test func aStoreThatIsOpenDoesNotMindOtherTables() throws {
        let note = Self.note([Self.title])
        let store = try folder.open([note])
        try store.save(wire: #"{"id":"a","title":"t"}"#, "a", of: note)
        try folder.open([note, Samples.page]).close()
        try sqlite("CREATE INDEX mine ON note (title)")
        try store.save(wire: #"{"id":"a","title":"u"}"#, "a", of: note)
        #expect(try store.load("a", of: note)?.version.record.values == [.text("a"), .text("u")])
    }

    @Test func versionsBesideARecordStayReadableWhenTheSchemaBecomesStricter() throws {
        let old = Self.note([
            Self.title, FieldDescriptor("n", type: .integer()),
            FieldDescriptor("o", type: .object([FieldDescriptor("t", type: .string(), isNullable: true)])),
        ])
        let record = Record(values: [.text("a"), .null, .integer(99), .json(#"{"t":null}"#)])
        var store = try folder.open([old])
        let version = Samples.local(record, of: old).version
        let entry = JournalEntry(
            id: "1",
            at: Timestamp(microseconds: 0),
            rule: "r",
            kept: version,
            lost: version
        )
        try store.write(.full) { store in
            try store.save(old, Samples.local(record, of: old))
            try store.setSide(old, RecordKey("a"), .base, version)
            try store.addJournal(entry)
        }
        store.close()
        let new = Self.note([
            FieldDescriptor("title", type: .string(minLength: 3), isRequired: true),
            FieldDescriptor("n", type: .integer(maximum: 9)),
            FieldDescriptor("o", type: .object([FieldDescriptor("t", type: .string(), isRequired: true)])),
        ])
        store = try folder.open([new])
        try store.read { store throws in
            #expect(try store.load(new, RecordKey("a"))?.version.record == record)
            #expect(try store.side(new, RecordKey("a"), .base) == version)
            #expect(try store.journal() == [entry])
        }
    }
}
