import SyncCore
import SyncStore
import Testing

@Suite struct WireSaveTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open([Samples.everything, Samples.page, Samples.verse])
    }

    @Test func bytesAndValuesMakeTheSameRow() throws {
        for var record in [Samples.full("a"), Samples.bare("b")] {
            record.values[16] = nil
            let local = Samples.local(record)
            let wire = String(
                decoding: RecordEncoder(Samples.everything, form: .wire).bytes(record),
                as: UTF8.self
            )
            try store.save(wire: wire, local.version.key.text)
            #expect(try store.load(local.version.key.text) == local)
        }
    }

    @Test func escapesArePutInTheirPlace() throws {
        try store.save(wire: #"{"id":"\u0061","title":"x\ny\u0000z","must":null}"#, "a")
        #expect(try store.load("a")?.version.record.values[1] == .text("x\ny\0z"))
    }

    @Test func whatStaysOnThisDeviceSurvivesAPull() throws {
        for draft in [FieldValue.text("mine"), .null, nil] {
            var record = Samples.full()
            record.values[16] = draft
            try store.save(Samples.local(record))
            try store.save(wire: #"{"id":"a","must":null}"#, "a")
            var expected = Samples.bare("a")
            expected.values[16] = draft
            #expect(try store.load("a")?.version.record == expected)
        }
    }

    @Test func aPullMakesTheRecordCleanAndLeavesTheHeadsFlag() throws {
        var record = Samples.local(Samples.full(), state: .pending)
        record.hasHeads = true
        try store.save(record)
        try store.save(wire: #"{"id":"a","must":null}"#, "a", stamp: Samples.stamp(9))
        let header = try store.read { try $0.header(Samples.everything, RecordKey("a")) }
        #expect(
            header
                == RecordHeader(state: .synced, visibility: .live, hasHeads: true, stamp: Samples.stamp(9))
        )
    }

    @Test(arguments: [
        #"{"id":"a","title":"new","count":1.5,"must":null}"#, #"{"id":"a","title":"new"}"#,
        #"{"id":"b","title":"new","must":null}"#, #"{"title":"new","must":null}"#,
        #"{"id":null,"must":null}"#,
        #"{"id":"a","title":"new","must":null"#, #"{"id":"a","must":null} x"#, "[]", "", "\u{FEFF}{}",
        #"{"id":"a","must":null,"must":null}"#, #"{"id":"a","must":null,"x":1,"x":1}"#,
    ])
    func aProblemFoundMidwayWritesNothing(_ wire: String) throws {
        let before = Samples.local(Samples.full())
        try store.save(before)
        try store.write(.pulled) { store in
            #expect(throws: FieldProblem.self) {
                try store.save(wire: Array(wire.utf8), "a", stamp: Samples.stamp(2))
            }
            // Nor does anything of it slip into the next record.
            try store.save(Samples.everything, Samples.local(Samples.bare("next")))
        }
        #expect(try store.load("a") == before)
        #expect(try store.load("next")?.version.record == Samples.bare("next"))
    }

    @Test func bytesThatAreNoTextAreRefused() throws {
        var wire = Array(#"{"id":"a","must":null,"title":"x?y"}"#.utf8)
        wire[wire.firstIndex(of: UInt8(ascii: "?")) ?? 0] = 0xff
        try store.write(.pulled) { store in
            let problem = #expect(throws: FieldProblem.self) { try store.save(wire: wire, "a") }
            #expect(problem?.rule == "json")
        }
        #expect(try store.load("a") == nil)
    }

    @Test func aKeyThatDoesNotMatchItsRecordIsRefused() throws {
        func rule(_ wire: String, _ key: String, _ entity: EntityDescriptor) -> String? {
            do {
                try store.save(wire: wire, key, of: entity)
                return nil
            } catch {
                return (error as? FieldProblem)?.rule
            }
        }
        #expect(rule(#"{"id":"e\u0301","must":null}"#, "\u{e9}", Samples.everything) == "key")
        #expect(rule(#"{"number":1}"#, "2", Samples.page) == "key")
        #expect(rule(#"{"number":1}"#, "1", Samples.page) == nil)
        #expect(rule(#"{"book":"b","number":1}"#, #"["b",2]"#, Samples.verse) == "key")
        #expect(rule(#"{"book":"b","number":1}"#, #"["b",1]"#, Samples.verse) == nil)
    }

    @Test func aTombstoneMayHaveLostItsValue() throws {
        try store.save(wire: "{}", "a", isDeleted: true)
        let record = try #require(try store.load("a"))
        #expect(record.version.isDeleted)
        #expect(record.visibility == .deleted)
        #expect(record.version.key == RecordKey("a"))
        try store.save(wire: "{}", #"["b",1]"#, of: Samples.verse, isDeleted: true)
        #expect(try store.load(#"["b",1]"#, of: Samples.verse)?.version.isDeleted == true)
    }
}
