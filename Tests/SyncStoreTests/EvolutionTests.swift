import SyncCore
import SyncSQLite
import SyncStore
import Testing

/// A store with records in every state is opened with another schema.
@Suite struct EvolutionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let title = FieldDescriptor(name: "title", type: .enumeration(["x"]), isRequired: true)
    private static let rating = FieldDescriptor(name: "rating", type: .integer())
    private static let day = FieldDescriptor(name: "day", type: .date)

    private static func note(fields: [FieldDescriptor], version: Int = 2) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            version: version,
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)] + fields,
            key: ["id"],
            strategy: .lastWriteWins,
            granularity: .field,
            indexes: fields.contains { $0.name == "rating" } ? [["rating"]] : []
        )
    }

    private static let old = note(fields: [title, rating, day], version: 1)

    /// One way for a schema to go on.
    struct Step: Sendable, CustomStringConvertible {
        let description: String
        let fields: [FieldDescriptor]
        /// The record on the wire afterwards; `*` stands for the title.
        let wire: String
        /// The name of the title among marks.
        var titleTimestamp = "title"
    }

    static let plain = #"{"id":"a","title":"*","rating":5,"day":"2025-12-25","zeta":1}"#
    static let steps = [
        Step(
            description: "an added optional field",
            fields: [title, rating, day, FieldDescriptor(name: "note", type: .string(), isNullable: true)],
            wire: plain
        ),
        Step(
            description: "an added field with a default",
            fields: [
                title, rating, day,
                FieldDescriptor(name: "status", type: .string(), isRequired: true, defaultJSON: #""new""#),
            ],
            wire: plain.replacing(#","zeta""#, with: #","status":"new","zeta""#)
        ),
        Step(
            description: "a renamed field that keeps its place",
            fields: [
                FieldDescriptor(name: "heading", wirePath: ["title"], type: .string(), renamedFrom: "title"),
                rating, day,
            ],
            wire: plain
        ),
        Step(
            description: "a renamed field that moves",
            fields: [FieldDescriptor(name: "heading", type: .string(), renamedFrom: "title"), rating, day],
            wire: plain.replacing("title", with: "heading"),
            titleTimestamp: "heading"
        ),
        Step(
            description: "widened types",
            fields: [
                FieldDescriptor(name: "title", type: .string(), isNullable: true),
                FieldDescriptor(name: "rating", type: .number()),
                FieldDescriptor(name: "day", type: .string()),
            ],
            wire: plain
        ),
        Step(
            description: "a removed field",
            fields: [title, day],
            wire: #"{"id":"a","title":"*","day":"2025-12-25","rating":5,"zeta":1}"#
        ),
    ]

    private static func version(key: String, title: String) -> SyncRecord {
        var detail = FieldTimestamps(origin: Samples.editTimestamp(sequence: 1))
        detail.units["title"] = [Sibling(editTimestamp: Samples.editTimestamp(sequence: 2))]
        var metadata = Samples.metadata(sequence: 3)
        metadata.detail = detail
        let values: [FieldValue?] = [.text(key), .text(title), .integer(5), .text("2025-12-25")]
        return SyncRecord(
            entity: "note",
            key: RecordKey(key),
            record: Record(values: values, unknown: [UnknownField(path: "zeta", json: "1")]),
            metadata: metadata
        )
    }

    private static let states: [SyncState] = [.synced, .pending, .conflict, .rejected]

    /// One record in each state, with all that is kept beside it.
    private func fill() throws {
        let store = try folder.open(entities: [Self.old])
        try store.write(.full) { store in
            for state in Self.states {
                let key = "\(state)"
                let local = LocalRecord(version: Self.version(key: key, title: "local"), state: state)
                try store.save(entity: Self.old, record: local)
                if state == .synced { continue }
                try store.setSide(
                    entity: Self.old,
                    key: local.version.key,
                    kind: .base,
                    version: Self.version(key: key, title: "base")
                )
            }
            try store.setSide(
                entity: Self.old,
                key: RecordKey("conflict"),
                kind: .remote,
                version: Self.version(key: "conflict", title: "remote")
            )
            try store.setRejection(
                Rejection(
                    entity: "note",
                    key: RecordKey("rejected"),
                    reason: "too long",
                    attempts: 2,
                    raw: nil,
                    since: Timestamp(microseconds: 1)
                )
            )
            try store.addJournal(
                JournalEntry(
                    id: "1",
                    at: Timestamp(microseconds: 0),
                    rule: "r",
                    kept: Self.version(key: "synced", title: "kept"),
                    lost: Self.version(key: "synced", title: "lost")
                )
            )
        }
        store.close()
    }

    private func wire(version: SyncRecord?, entity: EntityDescriptor) throws -> String {
        let record = try #require(version).record
        return String(
            decoding: RecordEncoder(descriptor: entity, form: .wire).bytes(record),
            as: UTF8.self
        )
    }

    private func check(_ step: Step) throws {
        let entity = Self.note(fields: step.fields)
        let store = try folder.open(entities: [entity, Samples.page])
        defer { store.close() }
        func expected(key: String, title: String) -> String {
            step.wire.replacing(#""a""#, with: #""\#(key)""#).replacing("*", with: title)
        }
        try store.read { store throws in
            for state in Self.states {
                let key = RecordKey("\(state)")
                let local = try #require(try store.load(entity: entity, key: key))
                #expect(local.state == state)
                #expect(
                    try wire(version: local.version, entity: entity)
                        == expected(key: key.text, title: "local")
                )
                #expect(local.version.metadata.editTimestamp == Samples.editTimestamp(sequence: 3))
                #expect(
                    local.version.metadata.detail?.units == [
                        step.titleTimestamp: [Sibling(editTimestamp: Samples.editTimestamp(sequence: 2))]
                    ]
                )
                guard state != .synced else { continue }
                let base = try store.side(entity: entity, key: key, kind: .base)
                #expect(try wire(version: base, entity: entity) == expected(key: key.text, title: "base"))
                #expect(base?.metadata.detail == local.version.metadata.detail)
            }
            let remote = try store.side(entity: entity, key: RecordKey("conflict"), kind: .remote)
            #expect(try wire(version: remote, entity: entity) == expected(key: "conflict", title: "remote"))
            #expect(try store.rejections().map(\.reason) == ["too long"])
            let journal = try #require(try store.journal().first)
            #expect(try wire(version: journal.kept, entity: entity) == expected(key: "synced", title: "kept"))
            #expect(try wire(version: journal.lost, entity: entity) == expected(key: "synced", title: "lost"))
            #expect(try store.counts(entity: Samples.page).records == 0)
        }
    }

    @Test(arguments: steps)
    func everyValueAndEveryPendingEditSurvives(step: Step) throws {
        try fill()
        try check(step)
        try check(step)
    }

    @Test(arguments: steps)
    func aMigrationThatIsKilledInTheMiddleBeginsAnew(step: Step) throws {
        try fill()
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        try connection.execute(
            """
            CREATE TABLE stop (n INTEGER);
            CREATE TRIGGER stopped BEFORE UPDATE ON sync_entity BEGIN SELECT raise(ABORT, 'killed'); END;
            CREATE TRIGGER stopped_late BEFORE INSERT ON sync_entity WHEN new.name = 'page'
            BEGIN SELECT raise(ABORT, 'killed'); END;
            """
        )
        connection.close()
        let before = try dump()
        let entity = Self.note(fields: step.fields)
        #expect(throws: SyncError.self) { _ = try folder.open(entities: [entity, Samples.page]) }
        #expect(try dump() == before)
        let again = try Connection.open(path: folder.store, flags: .readWrite)
        // The first step of the migration passes now, and the last one fails.
        try again.execute("DROP TRIGGER stopped")
        again.close()
        let between = try dump()
        #expect(throws: SyncError.self) { _ = try folder.open(entities: [entity, Samples.page]) }
        #expect(try dump() == between)
        let last = try Connection.open(path: folder.store, flags: .readWrite)
        try last.execute("DROP TRIGGER stopped_late; DROP TABLE stop")
        last.close()
        try check(step)
    }

    /// The tables and what the note's rows and the versions beside them hold.
    private func dump() throws -> [String] {
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        defer { connection.close() }
        return try connection.texts(sql: "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name")
            + connection.texts(
                sql: "SELECT id || sync_state || coalesce(sync_detail, '') FROM note ORDER BY id"
            )
            + connection.texts(sql: "SELECT CAST(version AS TEXT) FROM sync_side ORDER BY id")
            + connection.texts(sql: "SELECT shape FROM sync_entity ORDER BY name")
    }

    @Test func aWidenedColumnHoldsFractionsAndKeepsNullAbsentAndIndex() throws {
        func note(type: FieldType) -> EntityDescriptor {
            Self.note(fields: [FieldDescriptor(name: "rating", type: type, isNullable: true)])
        }
        var store = try folder.open(entities: [note(type: .integer())])
        for (key, rest) in [("a", #","rating":7"#), ("b", #","rating":null"#), ("c", "")] {
            try store.save(wire: "{\"id\":\"\(key)\"\(rest)}", key: key, of: note(type: .integer()))
        }
        store.close()
        store = try folder.open(entities: [note(type: .number())])
        let values = try ["a", "b", "c"].map {
            try store.load($0, of: note(type: .number()))?.version.record.values[1]
        }
        #expect(values == [.number(7), .null, nil])
        try store.save(wire: #"{"id":"a","rating":7.5}"#, key: "a", of: note(type: .number()))
        #expect(try store.load("a", of: note(type: .number()))?.version.record.values[1] == .number(7.5))
        store.close()
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        #expect(
            try connection.texts(sql: "SELECT name FROM sqlite_schema WHERE name LIKE '%:by:%'") == [
                "sync:note:by:rating"
            ]
        )
        connection.close()
        let error = #expect(throws: SyncError.self) {
            _ = try folder.open(entities: [note(type: .integer())])
        }
        #expect(error?.kind == .unreadableStore)
    }

    @Test func anIntegerThatNoNumberCanHoldKeepsItsColumn() throws {
        let old = Self.note(fields: [Self.rating])
        let store = try folder.open(entities: [old])
        try store.save(wire: #"{"id":"a","rating":9007199254740993}"#, key: "a", of: old)
        store.close()
        let before = try folder.bytes()
        let new = Self.note(fields: [FieldDescriptor(name: "rating", type: .number())])
        let error = #expect(throws: SyncError.self) { _ = try folder.open(entities: [new]) }
        #expect(error?.message.contains("too large for a number") == true)
        #expect(try folder.bytes() == before)
    }

    /// Another app with a newer schema had written the new name before this one was updated.
    @Test func aValueWhoseNameARenamedFieldTakesIsInTheJournal() throws {
        let old = Self.note(fields: [FieldDescriptor(name: "title", type: .string())], version: 1)
        let new = Self.note(fields: [FieldDescriptor(name: "heading", type: .string(), renamedFrom: "title")])
        var store = try folder.open(entities: [old])
        var record = Record(empty: old)
        (record.values[0], record.values[1]) = (.text("a"), .text("from the field"))
        record.unknown = [UnknownField(path: "heading", json: "\"from another app\"")]
        try store.save(Samples.local(record: record, of: old), of: old)
        store.close()
        for _ in 0..<2 {
            store = try folder.open(entities: [new])
            let kept = try store.read { try $0.load(entity: new, key: RecordKey("a")) }
            #expect(kept?.version.record.values[1] == .text("from another app"))
            #expect(kept?.version.record.unknown == [UnknownField(path: "title", json: "\"from the field\"")])
            let entries = try store.read { try $0.journal() }
            #expect(entries.map(\.lost.record.values[1]) == [.text("from the field")])
            #expect(entries.map(\.kept.record.values[1]) == [.text("from another app")])
            store.close()
        }
    }

    /// Somebody left out the version between, which had another name.
    @Test(arguments: [false, true])
    func aFieldThatWasRenamedTwiceKeepsWhatAStoreOfTheOldestVersionHolds(isLocalOnly: Bool) throws {
        let old = Self.note(
            fields: [FieldDescriptor(name: "title", type: .string(), isLocalOnly: isLocalOnly)],
            version: 1
        )
        let new = Self.note(
            fields: [
                FieldDescriptor(
                    name: "caption",
                    type: .string(),
                    isRequired: !isLocalOnly,
                    renamedFrom: "heading",
                    earlierNames: ["title"],
                    isLocalOnly: isLocalOnly
                )
            ],
            version: 3
        )
        var store = try folder.open(entities: [old])
        var record = Record(empty: old)
        (record.values[0], record.values[1]) = (.text("a"), .text("words"))
        try store.save(Samples.local(record: record, of: old), of: old)
        store.close()
        store = try folder.open(entities: [new])
        let kept = try store.read { try $0.load(entity: new, key: RecordKey("a")) }
        #expect(kept?.version.record.values[1] == .text("words"))
        #expect(kept?.version.record.unknown == [])
    }

    @Test func twoRenamesThatTakeValuesFromOneVersionEachLeaveAnEntry() throws {
        func field(_ name: String, from former: String? = nil) -> FieldDescriptor {
            FieldDescriptor(name: name, type: .string(), renamedFrom: former)
        }
        let old = Self.note(fields: [field("a"), field("b")])
        var store = try folder.open(entities: [old])
        var record = Record(empty: old)
        record.values = [.text("a"), .text("one"), .text("two")]
        record.unknown = ["c", "d"].map { UnknownField(path: $0, json: "\"from \($0)\"") }
        try store.save(Samples.local(record: record, of: old), of: old)
        store.close()
        // Both keep the version of the schema, as while an app is being made.
        let first = Self.note(fields: [field("c", from: "a"), field("b")])
        try folder.open(entities: [first]).close()
        let second = Self.note(fields: [field("c", from: "a"), field("d", from: "b")])
        store = try folder.open(entities: [second])
        let lost = try store.read { try $0.journal() }.flatMap(\.lost.record.values)
        #expect(lost.contains(.text("one")))
        #expect(lost.contains(.text("two")))
    }

    @Test func aFieldCannotTakeTheNameOfAnotherOneThatTheStoreHolds() throws {
        let fields = ["title", "heading"].map { FieldDescriptor(name: $0, type: .string()) }
        let old = Self.note(fields: fields, version: 1)
        let renamed = FieldDescriptor(
            name: "heading",
            wirePath: ["title"],
            type: .string(),
            renamedFrom: "title"
        )
        var store = try folder.open(entities: [old])
        var record = Record(empty: old)
        record.values = [.text("a"), .text("one"), .text("two")]
        try store.save(Samples.local(record: record, of: old), of: old)
        store.close()
        let error = #expect(throws: SyncError.self) {
            try folder.open(entities: [Self.note(fields: [renamed])])
        }
        #expect(error?.message.contains("'heading'") == true)
        store = try folder.open(entities: [old])
        #expect(try store.read { try $0.load(entity: old, key: RecordKey("a")) }?.version.record == record)
    }
}
