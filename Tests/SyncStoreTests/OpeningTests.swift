import Foundation
import SyncCore
import SyncSQLite
import SyncStore
import Testing

@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Opens the store, which must fail, and makes sure that nothing in the folder has changed.
    private func refusal(entities: [EntityDescriptor] = [Samples.everything]) throws -> SyncError {
        let names = try folder.names
        let before = try names.map { try folder.bytes(name: $0) }
        let error = #expect(throws: SyncError.self) { _ = try folder.open(entities: entities) }
        #expect(try folder.names == names)
        #expect(try names.map { try folder.bytes(name: $0) } == before)
        return try #require(error)
    }

    private func database(script: String) throws {
        let connection = try Connection.open(path: folder.store, flags: .readWriteCreate)
        try connection.execute(script)
        connection.close()
    }

    @Test func aNewStoreGetsAnIncarnationThatItKeeps() throws {
        let device = try folder.open().read { try $0.value(name: "device") }
        #expect(DeviceID(try #require(device)) != nil)
        #expect(try folder.open().read { try $0.value(name: "device") } == device)
        let other = try TemporaryFolder()
        #expect(try other.open().read { try $0.value(name: "device") } != device)
    }

    @Test func anEmptyFileAndAnEmptyDatabaseAreNewStores() throws {
        try folder.write([])
        try folder.open().save(Samples.local(record: Samples.full()))
        let other = try TemporaryFolder()
        let connection = try Connection.open(path: other.store, flags: .readWriteCreate)
        try connection.execute("VACUUM")
        connection.close()
        try other.open().save(Samples.local(record: Samples.full()))
    }

    /// SQLite would take an empty database as new, and remove the log with what was written last.
    @Test func aLogWithoutItsDatabaseIsRefusedUntouched() throws {
        let source = try TemporaryFolder()
        let store = try source.open()
        try store.save(Samples.local(record: Samples.full()))
        let log = try source.bytes(name: "store.sqlite-wal")
        store.close()
        #expect(log.count > 32)
        try Data(log).write(to: URL(fileURLWithPath: folder.store + "-wal"))
        #expect(try refusal().message.contains("its log ('-wal') holds records"))
        try folder.write([])
        #expect(try refusal().message.contains("its log ('-wal') holds records"))
    }

    @Test func whoOnlyLooksMakesNoStoreOfAnEmptyFileOrDatabase() throws {
        for isDatabase in [false, true] {
            try folder.write([])
            if isDatabase { try database(script: "VACUUM") }
            let before = try folder.bytes()
            #expect(throws: SyncError.self) {
                try SQLiteStore.openUnchanged(
                    path: folder.store,
                    entities: [Samples.everything],
                    random: Counting()
                )
            }
            #expect(try folder.bytes() == before)
        }
    }

    @Test(arguments: [
        Array("{\"not\":\"a database\"}".utf8), [0x53], [UInt8](repeating: 0, count: 8192),
        Array("SQLite format 3\0".utf8), Array("SQLite format 3\0".utf8) + [UInt8](repeating: 7, count: 9000),
        [UInt8](repeating: 0xff, count: 100),
    ])
    func otherContentIsRefusedUntouched(bytes: [UInt8]) throws {
        try folder.write(bytes)
        #expect(try refusal().kind == .unreadableStore)
    }

    @Test(arguments: [
        "CREATE TABLE note (id INTEGER); INSERT INTO note VALUES (1)", "PRAGMA application_id = 5",
        "PRAGMA user_version = 3", "PRAGMA journal_mode = WAL; CREATE TABLE note (id INTEGER)",
        "PRAGMA journal_mode = WAL; CREATE TABLE sync_value (name, value)",
    ])
    func anotherProgramsDatabaseIsRefusedUntouched(script: String) throws {
        try database(script: script)
        #expect(try refusal() == .foreignStore())
    }

    @Test func aStoreOfANewerFormatIsRefusedUntouched() throws {
        try folder.open().close()
        try database(script: "PRAGMA user_version = 99")
        #expect(try refusal() == .newerStore(found: 99, known: 7))
    }

    @Test func aStoreOfTheFirstFormatKeepsItsRecordsAndTakesRevisions() throws {
        let record = Samples.local(record: Samples.full(), state: .pending)
        let key = record.version.key
        let before = try folder.open()
        try before.save(record)
        before.close()
        try database(
            script: """
                ALTER TABLE "every_thing" DROP COLUMN sync_revision; PRAGMA user_version = 1; DROP TABLE sync_held; \
                DROP TABLE sync_sum; \
                DROP INDEX "sync:every_thing:state"; \
                CREATE INDEX "sync:every_thing:unclean" ON every_thing (sync_state, id) WHERE sync_state <> 0
                """
        )
        let store = try folder.open()
        #expect(try store.load(key.text) == record)
        #expect(try store.read { try $0.unclean() } == [Samples.everything.name])
        try store.write(.full) {
            try $0.setRevision(entity: Samples.everything, key: key, revision: Revision("7"))
        }
        #expect(try store.read { try $0.revision(entity: Samples.everything, key: key) } == Revision("7"))
        // An edit keeps the remote's name for what it was made on.
        try store.save(record)
        #expect(try store.read { try $0.revision(entity: Samples.everything, key: key) } == Revision("7"))
        try store.write(.full) { try $0.forgetRevisions(Samples.everything) }
        #expect(
            try store.write(.full) {
                try $0.keysMissingFromSnapshot(
                    entity: Samples.everything,
                    includingUnknown: true,
                    after: nil,
                    limit: 9
                )
            }
                == [key]
        )
    }

    @Test func whatAnOlderProgramHidBehindADuplicateIsShownUntilASyncMergesIt() throws {
        let before = try folder.open()
        for key in ["a", "b"] {
            var record = Samples.full(key: key)
            record.values[1] = .text("the same title")
            try before.save(Samples.local(record: record))
        }
        before.close()
        try database(
            script: """
                UPDATE every_thing SET sync_visibility = 2, sync_merged = 'a' WHERE id = 'b'; \
                PRAGMA user_version = 6
                """
        )
        let store = try folder.open()
        let shown = try #require(try store.load("b"))
        #expect(shown.visibility == .live)
        #expect(shown.version.mergedInto == nil)
        #expect(try store.read { try $0.unchecked() } == [Samples.everything.name])
        let grouped = try store.write(.full) { try $0.groupedInserts(Samples.everything) }
        #expect(Set(grouped.map(\.text)) == ["a", "b"])
    }

    @Test func aFolderAndAPipeAreRefused() throws {
        try FileManager.default.createDirectory(atPath: folder.store, withIntermediateDirectories: false)
        #expect(throws: SyncError.self) { _ = try folder.open() }
        #expect(try folder.names == ["store.sqlite"])
        let other = try TemporaryFolder()
        #expect(mkfifo(other.store, 0o600) == 0)
        #expect(throws: SyncError.self) { _ = try other.open() }
    }

    @Test func aMissingFolderIsNotMade() throws {
        let path = folder.path + "/missing/store.sqlite"
        let error = #expect(throws: SyncError.self) {
            _ = try SQLiteStore.open(path: path, entities: [], random: Counting())
        }
        #expect(error?.kind == .inputOutput)
        #expect(try folder.names == [])
    }

    @Test func damageInsideIsReportedAndNotRepaired() throws {
        do {
            let store = try folder.open()
            try store.write(.full) { transaction in
                for number in 0..<2000 {
                    let record = Samples.local(record: Samples.full(key: "key \(number)"))
                    try transaction.save(entity: Samples.everything, record: record)
                }
            }
            store.close()
        }
        var bytes = try folder.bytes()
        for offset in (bytes.count / 2)..<bytes.count { bytes[offset] = 0xa5 }
        try folder.write(bytes)
        let store = try folder.open()
        let error = #expect(throws: SyncError.self) {
            try store.read { try $0.scan(entity: Samples.everything, includeHidden: true) { _ in } }
        }
        #expect(error?.kind == .unreadableStore)
        store.close()
        #expect(try folder.bytes() == bytes)
    }

    @Test func aCutOffStoreIsRefused() throws {
        try folder.open().close()
        try folder.write(Array(try folder.bytes().prefix(8192)))
        let before = try folder.bytes()
        #expect(throws: SyncError.self) { _ = try folder.open() }
        #expect(try folder.bytes() == before)
    }

    @Test func openingAgainChangesNothing() throws {
        try folder.open().save(Samples.local(record: Samples.full()))
        let before = try folder.bytes()
        try folder.open().close()
        #expect(try folder.bytes() == before)
    }

    @Test func namesThatTablesCannotHaveAreRefusedBeforeAFileIsMade() throws {
        func entity(name: String, fields: [String] = ["id"]) -> EntityDescriptor {
            EntityDescriptor(
                name: name,
                typeName: "X",
                fields: fields.map { FieldDescriptor(name: $0, type: .string()) },
                key: [fields[0]],
                strategy: .lastWriteWins
            )
        }
        let sets = [
            [entity(name: "sync-value")], [entity(name: "sqlite-x")], [entity(name: "a"), entity(name: "A")],
            [entity(name: "a\0b")],
            [entity(name: "a", fields: ["id", "ID"])], [entity(name: "a", fields: ["sync_state"])],
            [entity(name: "a", fields: [""])],
        ]
        for entities in sets { #expect(try refusal(entities: entities).kind == .unreadableStore) }
        #expect(try folder.names == [])
    }

    @Test func oddNamesAreOnlyNames() throws {
        let entity = EntityDescriptor(
            name: "select \"x\"; DROP TABLE sync_value; --",
            typeName: "X",
            fields: ["id", "order", "rowid", "a\"b", "x'y", "ünï"].map {
                FieldDescriptor(name: $0, type: .string(), isNullable: true)
            },
            key: ["id"],
            strategy: .lastWriteWins,
            unique: [["a\"b", "order"]],
            indexes: [["x'y"], ["ünï", "rowid"]]
        )
        let store = try folder.open(entities: [entity])
        let record = Samples.local(
            record: Record(values: [.text("k"), .text("1"), .null, .text("'); --"), nil, .text("u")]),
            of: entity
        )
        try store.save(record, of: entity)
        #expect(try store.load("k", of: entity) == record)
        let sharing = try store.read {
            try $0.keysSharing(entity: entity, unique: 0, record: record.version.record)
        }
        #expect(sharing == [RecordKey("k")])
        #expect(try store.read { try $0.value(name: "device") } != nil)
    }

    @Test func aPathIsTakenLiterally() throws {
        let path = folder.path + "/file:x?mode=memory"
        let store = try SQLiteStore.open(path: path, entities: [Samples.everything], random: Counting())
        store.close()
        #expect(try folder.names == ["file:x?mode=memory"])
    }

    @Test func aClosedStoreSaysSo() throws {
        let store = try folder.open()
        store.close()
        store.close()
        #expect(throws: SyncError.self) { _ = try store.load("a") }
        #expect(throws: SyncError.self) { try store.save(Samples.local(record: Samples.full())) }
    }

    @Test(.enabled(if: geteuid() != 0)) func aFileThatMayNotBeWrittenIsRefused() throws {
        try folder.open().close()
        chmod(folder.store, 0o400)
        #expect(try refusal().kind == .notPermitted)
    }
}
