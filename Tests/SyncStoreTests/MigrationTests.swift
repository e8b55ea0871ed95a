import SyncCore
import SyncSQLite
import SyncStore
import Testing

@Suite struct MigrationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func note(
        fields: [FieldDescriptor],
        version: Int = 1,
        key: [String] = ["id"],
        unique: [[String]] = [],
        indexes: [[String]] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            version: version,
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)] + fields,
            key: key,
            strategy: .lastWriteWins,
            unique: unique,
            indexes: indexes
        )
    }

    private static let title = FieldDescriptor(name: "title", type: .string(), isNullable: true)
    private static let rating = FieldDescriptor(name: "rating", type: .integer(), isNullable: true)

    /// Opens with one schema and writes wire objects whose key is `a`, `b` and so on.
    private func write(_ wires: String..., with entity: EntityDescriptor) throws {
        let store = try folder.open(entities: [entity])
        for (index, wire) in wires.enumerated() {
            try store.save(wire: wire, key: ["a", "b", "c", "d"][index], of: entity)
        }
        store.close()
    }

    /// Opens with another schema and gives a record's canonical wire object.
    private func wire(key: String = "a", with entity: EntityDescriptor) throws -> String {
        let store = try folder.open(entities: [entity])
        defer { store.close() }
        let record = try #require(try store.load(key, of: entity))
        return String(
            decoding: RecordEncoder(descriptor: entity, form: .wire).bytes(record.version.record),
            as: UTF8.self
        )
    }

    private func sqlite(script: String) throws {
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        try connection.execute(script)
        connection.close()
    }

    private func indexes() throws -> [String] {
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        return try connection.texts(
            sql: "SELECT name FROM sqlite_schema WHERE name LIKE '%:by:%' ORDER BY name"
        )
    }

    @Test func aNewFieldIsAbsentInOldRecords() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note(fields: [Self.title]))
        let new = Self.note(fields: [Self.rating, Self.title], version: 2)
        #expect(try wire(with: new) == #"{"id":"a","title":"t"}"#)
        try write(#"{"id":"a","rating":5,"title":null}"#, with: new)
        #expect(try wire(with: new) == #"{"id":"a","rating":5,"title":null}"#)
    }

    @Test func aNewFieldTakesWhatNewerDevicesHadSentBefore() throws {
        let nested = FieldDescriptor(name: "lat", wirePath: ["place", "lat"], type: .number())
        let texts = [
            #"{"id":"a","rating":5,"place":{"lat":1.5,"lng":2},"zeta":[1]}"#, #"{"id":"b","rating":null}"#,
            #"{"id":"c","rating":"unfit","place":7}"#, #"{"id":"d"}"#,
        ]
        try write(texts[0], texts[1], texts[2], texts[3], with: Self.note(fields: []))
        let new = Self.note(fields: [Self.rating, nested])
        let store = try folder.open(entities: [new])
        let record = try #require(try store.load("a", of: new)).version.record
        #expect(record.values == [.text("a"), .integer(5), .number(1.5)])
        #expect(record.unknown.map(\.path) == ["/place/lng", "zeta"])
        #expect(try store.load("b", of: new)?.version.record.values == [.text("b"), .null, nil])
        #expect(try store.load("c", of: new)?.version.record.values == [.text("c"), nil, nil])
        #expect(try store.load("c", of: new)?.version.record.unknown.count == 2)
        store.close()
        #expect(try wire(key: "a", with: new) == texts[0])
    }

    @Test func aDroppedFieldLivesOnAsAnUnknownOneAndReturns() throws {
        let everything = Samples.everything
        let less = EntityDescriptor(
            name: everything.name,
            typeName: everything.typeName,
            fields: [everything.fields[0], FieldDescriptor(name: "extra", type: .string())],
            key: ["id"],
            strategy: .lastWriteWins
        )
        var record = Samples.full()
        record.values[13] = .null
        var store = try folder.open()
        try store.save(Samples.local(record: record, state: .pending, sequence: 3))
        store.close()
        let before = try wire(with: everything)
        store = try folder.open(entities: [less])
        let dropped = try #require(try store.load("a", of: less))
        #expect(dropped.version.record.unknown.contains(UnknownField(path: "note", json: "null")))
        #expect(dropped.state == .pending)
        #expect(dropped.version.metadata == Samples.metadata(sequence: 3))
        store.close()
        store = try folder.open()
        #expect(try store.load("a") == Samples.local(record: record, state: .pending, sequence: 3))
        store.close()
        #expect(try wire(with: everything) == before)
    }

    @Test func whatStaysOnThisDeviceNeverBecomesUnknown() throws {
        let draft = FieldDescriptor(name: "draft", type: .string(), isNullable: true, isLocalOnly: true)
        let with = Self.note(fields: [draft, Self.title])
        var store = try folder.open(entities: [with])
        let record = Samples.local(record: Record(values: [.text("a"), .text("secret"), nil]), of: with)
        try store.save(record, of: with)
        store.close()
        let without = Self.note(fields: [Self.title])
        #expect(try wire(with: without) == #"{"id":"a"}"#)
        try write(#"{"id":"a","title":"t"}"#, with: without)
        store = try folder.open(entities: [with])
        let values = try store.load("a", of: with)?.version.record.values
        #expect(values == [.text("a"), .text("secret"), .text("t")])
    }

    @Test func droppedObjectsKeepTheirNamesOnTheWire() throws {
        let place = FieldDescriptor(
            name: "places",
            type: .array(element: Samples.everything.fields[12].type)
        )
        let text = #"{"id":"a","places":[{"latitude":1.5,"x":1},{}]}"#
        try write(text, with: Self.note(fields: [place]))
        #expect(try wire(with: Self.note(fields: [])) == text)
        #expect(try wire(with: Self.note(fields: [place])) == text)
    }

    @Test func objectsTakeTheFormThatAPullWouldGiveThem() throws {
        func note(members: [FieldDescriptor]) -> EntityDescriptor {
            Self.note(fields: [FieldDescriptor(name: "place", type: .object(members))])
        }
        let name = FieldDescriptor(name: "name", type: .string())
        let floor = FieldDescriptor(name: "floor", wirePath: ["level"], type: .integer())
        let text = #"{"id":"a","place":{"name":"n","level":3,"z":0}}"#
        try write(text, with: note(members: [name]))
        let store = try folder.open(entities: [note(members: [floor, name])])
        let pulled = #"{"id":"b","place":{"name":"n","level":3,"z":0}}"#
        try store.save(wire: pulled, key: "b", of: note(members: [floor, name]))
        let values = try ["a", "b"].map {
            try store.load($0, of: note(members: [floor, name]))?.version.record.values[1]
        }
        #expect(values[0] == .json(#"{"floor":3,"name":"n","z":0}"#))
        #expect(values[0] == values[1])
    }

    @Test func aRenamedFieldKeepsItsValues() throws {
        let old = Self.note(fields: [Self.title, Self.rating], unique: [["title", "rating"]])
        try write(#"{"id":"a","title":"t"}"#, #"{"id":"b","title":null}"#, with: old)
        let heading = FieldDescriptor(
            name: "heading",
            type: .string(),
            isNullable: true,
            renamedFrom: "title"
        )
        let new = Self.note(fields: [heading, Self.rating], version: 2, unique: [["heading", "rating"]])
        #expect(try wire(with: new) == #"{"id":"a","heading":"t"}"#)
        #expect(try wire(key: "b", with: new) == #"{"id":"b","heading":null}"#)
        #expect(try indexes() == ["sync:note:by:heading,rating"])
    }

    @Test func aFieldMayBeRenamedInCaseButNotExchangedForOne() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note(fields: [Self.title]))
        func note(former: String?) -> EntityDescriptor {
            Self.note(fields: [
                FieldDescriptor(name: "Title", type: .string(), isNullable: true, renamedFrom: former)
            ])
        }
        let error = #expect(throws: SyncError.self) { _ = try folder.open(entities: [note(former: nil)]) }
        #expect(error?.kind == .unreadableStore)
        #expect(try wire(with: note(former: "title")) == #"{"id":"a","Title":"t"}"#)
    }

    @Test func aRenamedKeyStaysTheKey() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note(fields: [Self.title]))
        let new = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "slug", type: .string(), isRequired: true, renamedFrom: "id"),
                Self.title,
            ],
            key: ["slug"],
            strategy: .lastWriteWins
        )
        #expect(try wire(with: new) == #"{"slug":"a","title":"t"}"#)
        try write(#"{"slug":"a","title":"u"}"#, with: new)
        #expect(try wire(with: new) == #"{"slug":"a","title":"u"}"#)
    }

    @Test func aNewRequiredFieldIsFilledWithItsDefault() throws {
        try write(#"{"id":"a","status":"sent"}"#, #"{"id":"b"}"#, with: Self.note(fields: []))
        let status = FieldDescriptor(
            name: "status",
            type: .string(),
            isRequired: true,
            defaultJSON: #""new""#
        )
        let parent = FieldDescriptor(
            name: "parent",
            type: .string(),
            isNullable: true,
            isRequired: true,
            defaultJSON: "null"
        )
        let must = FieldDescriptor(name: "must", type: .string(), isRequired: true)
        let new = Self.note(fields: [status, parent, must], version: 2)
        #expect(try wire(with: new) == #"{"id":"a","status":"sent","parent":null}"#)
        #expect(try wire(key: "b", with: new) == #"{"id":"b","status":"new","parent":null}"#)
    }

    @Test func aFieldOfAnotherTypeIsRefusedAndNothingIsTouched() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note(fields: [Self.title]))
        let before = try folder.bytes()
        let wrong = Self.note(
            fields: [FieldDescriptor(name: "title", type: .integer()), Self.rating],
            version: 2
        )
        let error = #expect(throws: SyncError.self) {
            _ = try folder.open(entities: [Samples.everything, wrong])
        }
        #expect(error?.kind == .unreadableStore)
        let otherKey = Self.note(fields: [Self.title], key: ["id", "title"])
        #expect(throws: SyncError.self) { _ = try folder.open(entities: [otherKey]) }
        #expect(try folder.bytes() == before)
        #expect(try wire(with: Self.note(fields: [Self.title])) == #"{"id":"a","title":"t"}"#)
    }

    @Test func anOlderSchemaThanTheTablesIsRefused() throws {
        try write(#"{"id":"a"}"#, with: Self.note(fields: [], version: 3))
        let before = try folder.bytes()
        #expect(throws: SyncError.newerSchema(entity: "note", found: 3, known: 2)) {
            _ = try folder.open(entities: [Self.note(fields: [], version: 2)])
        }
        #expect(try folder.bytes() == before)
    }

    @Test func indexesFollowTheSchema() throws {
        try write(
            #"{"id":"a"}"#,
            with: Self.note(fields: [Self.title, Self.rating], indexes: [["title"], ["rating"]])
        )
        #expect(try indexes() == ["sync:note:by:rating", "sync:note:by:title"])
        try sqlite(script: "CREATE INDEX mine ON note (rating)")
        try write(
            #"{"id":"a"}"#,
            with: Self.note(fields: [Self.title, Self.rating], indexes: [["rating", "title"]])
        )
        #expect(try indexes() == ["sync:note:by:rating,title"])
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        #expect(try connection.integer(sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'mine'") == 1)
    }

    @Test func aTableWhoseEntityIsGoneStaysAsItIs() throws {
        try write(#"{"id":"a","title":"t"}"#, with: Self.note(fields: [Self.title]))
        try folder.open(entities: [Samples.page]).close()
        #expect(try wire(with: Self.note(fields: [Self.title])) == #"{"id":"a","title":"t"}"#)
    }

    @Test func aMigrationThatFailsLeavesEverythingAsItWas() throws {
        try write(#"{"id":"a","rating":5}"#, with: Self.note(fields: []))
        // The page's table cannot be made, after the note's was changed.
        try sqlite(script: "CREATE TABLE page (mine TEXT)")
        let before = try folder.bytes()
        #expect(throws: SyncError.self) {
            _ = try folder.open(entities: [Self.note(fields: [Self.rating]), Samples.page])
        }
        #expect(try folder.bytes() == before)
        try sqlite(script: "DROP TABLE page")
        try folder.open(entities: [Self.note(fields: [Self.rating]), Samples.page]).close()
        #expect(try wire(with: Self.note(fields: [Self.rating])) == #"{"id":"a","rating":5}"#)
    }

    @Test func nullAndAbsentStayApartBeyondSixtyThreeFields() throws {
        func wide(count: Int) -> EntityDescriptor {
            Self.note(
                fields: (0..<count).map {
                    FieldDescriptor(name: "f\($0)", type: .integer(), isNullable: true)
                }
            )
        }
        try write(#"{"id":"a","f61":null,"f62":null,"f80":null}"#, with: wide(count: 62))
        #expect(try wire(with: wide(count: 62)) == #"{"id":"a","f61":null,"f62":null,"f80":null}"#)
        #expect(try wire(with: wide(count: 150)) == #"{"id":"a","f61":null,"f62":null,"f80":null}"#)
        try write(#"{"id":"a","f149":null,"f0":1}"#, with: wide(count: 150))
        #expect(try wire(with: wide(count: 150)) == #"{"id":"a","f0":1,"f149":null}"#)
        #expect(try wire(with: wide(count: 10)) == #"{"id":"a","f0":1,"f149":null}"#)
        #expect(try wire(with: wide(count: 150)) == #"{"id":"a","f0":1,"f149":null}"#)
    }

    @Test func versionsBesideARecordFollowTheSchema() throws {
        let old = Self.note(fields: [Self.title])
        let new = Self.note(fields: [Self.rating])
        let record = Record(
            values: [.text("a"), .text("t")],
            unknown: [UnknownField(path: "rating", json: "5")]
        )
        var store = try folder.open(entities: [old])
        try store.write(.full) { store in
            try store.setSide(
                entity: old,
                key: RecordKey("a"),
                kind: .base,
                version: Samples.local(record: record, of: old).version
            )
        }
        store.close()
        store = try folder.open(entities: [new])
        let side = try store.read { try $0.side(entity: new, key: RecordKey("a"), kind: .base) }
        #expect(side?.record.values == [.text("a"), .integer(5)])
        #expect(side?.record.unknown == [UnknownField(path: "title", json: #""t""#)])
    }

    @Test func aStoreThatIsOpenReadsOnWhenAnotherAddsFieldsButDoesNotWrite() throws {
        let old = Self.note(fields: [Self.title])
        let store = try folder.open(entities: [old])
        try store.save(wire: #"{"id":"a","title":"t"}"#, key: "a", of: old)
        #expect(try store.load("a", of: old) != nil)
        let newer = try folder.open(entities: [Self.note(fields: [Self.title, Self.rating])])
        #expect(try store.load("a", of: old)?.version.record.values == [.text("a"), .text("t")])
        let error = #expect(throws: SyncError.self) {
            try store.save(wire: #"{"id":"a"}"#, key: "a", of: old)
        }
        #expect(error?.kind == .unreadableStore)
        newer.close()
    }

    @Test func aStoreThatIsOpenDoesNotReadWhatAnotherHasRemoved() throws {
        let old = Self.note(fields: [Self.title])
        let store = try folder.open(entities: [old])
        try store.save(wire: #"{"id":"a","title":"t"}"#, key: "a", of: old)
        #expect(try store.load("a", of: old) != nil)
        try folder.open(entities: [Self.note(fields: [])]).close()
        let error = #expect(throws: SyncError.self) { _ = try store.load("a", of: old) }
        #expect(error?.kind == .unreadableStore)
    }

    @Test func aStoreThatIsOpenDoesNotMindOtherTables() throws {
        let note = Self.note(fields: [Self.title])
        let store = try folder.open(entities: [note])
        try store.save(wire: #"{"id":"a","title":"t"}"#, key: "a", of: note)
        try folder.open(entities: [note, Samples.page]).close()
        try sqlite(script: "CREATE INDEX mine ON note (title)")
        try store.save(wire: #"{"id":"a","title":"u"}"#, key: "a", of: note)
        #expect(try store.load("a", of: note)?.version.record.values == [.text("a"), .text("u")])
    }

    @Test func versionsBesideARecordStayReadableWhenTheSchemaBecomesStricter() throws {
        let old = Self.note(fields: [
            Self.title, FieldDescriptor(name: "n", type: .integer()),
            FieldDescriptor(
                name: "o",
                type: .object([FieldDescriptor(name: "t", type: .string(), isNullable: true)])
            ),
        ])
        let record = Record(values: [.text("a"), .null, .integer(99), .json(#"{"t":null}"#)])
        var store = try folder.open(entities: [old])
        let version = Samples.local(record: record, of: old).version
        let entry = JournalEntry(
            id: "1",
            at: Timestamp(microseconds: 0),
            rule: "r",
            kept: version,
            lost: version
        )
        try store.write(.full) { store in
            try store.save(entity: old, record: Samples.local(record: record, of: old))
            try store.setSide(entity: old, key: RecordKey("a"), kind: .base, version: version)
            try store.addJournal(entry)
        }
        store.close()
        let new = Self.note(fields: [
            FieldDescriptor(name: "title", type: .string(minLength: 3), isRequired: true),
            FieldDescriptor(name: "n", type: .integer(maximum: 9)),
            FieldDescriptor(
                name: "o",
                type: .object([FieldDescriptor(name: "t", type: .string(), isRequired: true)])
            ),
        ])
        store = try folder.open(entities: [new])
        try store.read { store throws in
            #expect(try store.load(entity: new, key: RecordKey("a"))?.version.record == record)
            #expect(try store.side(entity: new, key: RecordKey("a"), kind: .base) == version)
            #expect(try store.journal() == [entry])
        }
    }
}
