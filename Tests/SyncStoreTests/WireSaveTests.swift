import SyncCore
import SyncStore
import Testing

@Suite struct WireSaveTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open(entities: [Samples.everything, Samples.page, Samples.verse])
    }

    @Test func bytesAndValuesMakeTheSameRow() throws {
        for var record in [Samples.full(key: "a"), Samples.bare(key: "b")] {
            record.values[16] = nil
            let local = Samples.local(record: record)
            let wire = String(
                decoding: RecordEncoder(descriptor: Samples.everything, form: .wire).bytes(record),
                as: UTF8.self
            )
            try store.save(wire: wire, key: local.version.key.text)
            #expect(try store.load(local.version.key.text) == local)
        }
    }

    @Test func escapesArePutInTheirPlace() throws {
        try store.save(wire: #"{"id":"\u0061","title":"x\ny\u0000z","must":null}"#, key: "a")
        #expect(try store.load("a")?.version.record.values[1] == .text("x\ny\0z"))
    }

    @Test func whatStaysOnThisDeviceSurvivesAPull() throws {
        for draft in [FieldValue.text("mine"), .null, nil] {
            var record = Samples.full()
            record.values[16] = draft
            try store.save(Samples.local(record: record))
            try store.save(wire: #"{"id":"a","must":null}"#, key: "a")
            var expected = Samples.bare(key: "a")
            expected.values[16] = draft
            #expect(try store.load("a")?.version.record == expected)
        }
    }

    @Test func aPullMakesTheRecordCleanAndLeavesTheHeadsFlag() throws {
        var record = Samples.local(record: Samples.full(), state: .pending)
        record.hasHeads = true
        try store.save(record)
        try store.save(wire: #"{"id":"a","must":null}"#, key: "a", metadata: Samples.metadata(sequence: 9))
        let header = try store.read { try $0.header(entity: Samples.everything, key: RecordKey("a")) }
        #expect(
            header
                == RecordHeader(
                    state: .synced,
                    visibility: .live,
                    hasHeads: true,
                    metadata: Samples.metadata(sequence: 9)
                )
        )
    }

    @Test(arguments: [
        #"{"id":"a","title":"new","count":1.5,"must":null}"#, #"{"id":"a","title":"new"}"#,
        #"{"id":"b","title":"new","must":null}"#, #"{"title":"new","must":null}"#,
        #"{"id":null,"must":null}"#,
        #"{"id":"a","title":"new","must":null"#, #"{"id":"a","must":null} x"#, "[]", "", "\u{FEFF}{}",
        #"{"id":"a","must":null,"must":null}"#, #"{"id":"a","must":null,"x":1,"x":1}"#,
    ])
    func anErrorFoundMidwayWritesNothing(wire: String) throws {
        let before = Samples.local(record: Samples.full())
        try store.save(before)
        try store.write(.pulled) { store in
            #expect(throws: FieldError.self) {
                try store.save(wire: Array(wire.utf8), key: "a", metadata: Samples.metadata(sequence: 2))
            }
            // Nor does anything of it slip into the next record.
            try store.save(
                entity: Samples.everything,
                record: Samples.local(record: Samples.bare(key: "next"))
            )
        }
        #expect(try store.load("a") == before)
        #expect(try store.load("next")?.version.record == Samples.bare(key: "next"))
    }

    @Test func bytesThatAreNoTextAreRefused() throws {
        var wire = Array(#"{"id":"a","must":null,"title":"x?y"}"#.utf8)
        wire[wire.firstIndex(of: UInt8(ascii: "?")) ?? 0] = 0xff
        try store.write(.pulled) { store in
            let error = #expect(throws: FieldError.self) { try store.save(wire: wire, key: "a") }
            #expect(error?.rule == "json")
        }
        #expect(try store.load("a") == nil)
    }

    @Test func aKeyThatDoesNotMatchItsRecordIsRefused() throws {
        func rule(wire: String, key: String, entity: EntityDescriptor) -> String? {
            do {
                try store.save(wire: wire, key: key, of: entity)
                return nil
            } catch {
                return (error as? FieldError)?.rule
            }
        }
        #expect(
            rule(wire: #"{"id":"e\u0301","must":null}"#, key: "\u{e9}", entity: Samples.everything) == "key"
        )
        #expect(rule(wire: #"{"number":1}"#, key: "2", entity: Samples.page) == "key")
        #expect(rule(wire: #"{"number":1}"#, key: "1", entity: Samples.page) == nil)
        #expect(rule(wire: #"{"book":"b","number":1}"#, key: #"["b",2]"#, entity: Samples.verse) == "key")
        #expect(rule(wire: #"{"book":"b","number":1}"#, key: #"["b",1]"#, entity: Samples.verse) == nil)
    }

    @Test func aTombstoneMayHaveLostItsValue() throws {
        try store.save(wire: "{}", key: "a", isDeleted: true)
        let record = try #require(try store.load("a"))
        #expect(record.version.isDeleted)
        #expect(record.visibility == .deleted)
        #expect(record.version.key == RecordKey("a"))
        try store.save(wire: "{}", key: #"["b",1]"#, of: Samples.verse, isDeleted: true)
        #expect(try store.load(#"["b",1]"#, of: Samples.verse)?.version.isDeleted == true)
    }
}
