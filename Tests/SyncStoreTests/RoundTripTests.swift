import SyncCore
import SyncStore
import Testing

@Suite struct RoundTripTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open(entities: [Samples.everything, Samples.page, Samples.folder, Samples.verse])
    }

    @Test func everyFieldTypeReadsBackAsItWasWritten() throws {
        let record = Samples.local(record: Samples.full(), state: .conflict)
        try store.save(record)
        #expect(try store.load("a") == record)
    }

    @Test func absentAndNullStayApart() throws {
        for (index, field) in Samples.everything.fields.enumerated() where field.isNullable {
            var record = Samples.bare(key: "k\(index)")
            record.values[14] = nil
            record.values[index] = .null
            try store.save(Samples.local(record: record))
            #expect(try store.load("k\(index)")?.version.record == record)
        }
    }

    @Test(arguments: [
        "", "a\0b", "é", "e\u{301}", "'; DROP TABLE every_thing; --", "\"", "日本語", "\u{10FFFF}",
    ])
    func anyTextCanBeAKey(key: String) throws {
        let record = Samples.local(record: Samples.bare(key: key))
        try store.save(record)
        #expect(try store.load(key) == record)
    }

    @Test func keysThatLookAlikeAreTwoRecords() throws {
        try store.save(
            Samples.local(record: Samples.bare(key: "é"), sequence: 1),
            Samples.local(record: Samples.bare(key: "e\u{301}"), sequence: 2)
        )
        #expect(try store.load("é")?.version.metadata.editTimestamp.sequence == 1)
        #expect(try store.load("e\u{301}")?.version.metadata.editTimestamp.sequence == 2)
    }

    @Test func textOfAnyKindReadsBackByteForByte() throws {
        for (index, text) in ["", "\0", "a\0b", "e\u{301}", "\u{FEFF}x", "' OR 1=1 --", "\u{202E}abc"]
            .enumerated()
        {
            var record = Samples.bare(key: "t\(index)")
            record.values[1] = .text(text)
            record.values[9] = .bytes(Array(text.utf8))
            record.unknown = [UnknownField(path: text + "?", json: #""\u0000""#)]
            try store.save(Samples.local(record: record))
            #expect(try store.load("t\(index)")?.version.record == record)
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max])
    func integersAndInstantsKeepAllTheirBits(number: Int64) throws {
        var record = Samples.bare(key: "n")
        record.values[2] = .integer(number)
        record.values[5] = .timestamp(Timestamp(microseconds: number))
        try store.save(Samples.local(record: record))
        #expect(try store.load("n")?.version.record == record)
    }

    @Test(arguments: [0.1, -1e300, .leastNonzeroMagnitude, 1.7976931348623157e308, 9_007_199_254_740_992, 1])
    func doublesKeepAllTheirBits(number: Double) throws {
        var record = Samples.bare(key: "n")
        record.values[3] = .number(number)
        try store.save(Samples.local(record: record))
        #expect(try store.load("n")?.version.record == record)
    }

    @Test func stampsReadBackWithVectorAndFinerMarks() throws {
        var record = Samples.local(record: Samples.bare(key: "s"))
        record.version.metadata.editTimestamp = Samples.editTimestamp(sequence: .max, time: -5, device: .max)
        record.version.metadata.vector = VersionVector(Samples.editTimestamp(sequence: 3, device: 1))
        record.version.metadata.vector.insert(record.version.metadata.editTimestamp)
        var detail = FieldTimestamps(origin: Samples.editTimestamp(sequence: 2))
        detail.units["note"] = [
            Sibling(editTimestamp: Samples.editTimestamp(sequence: 4)),
            Sibling(editTimestamp: Samples.editTimestamp(sequence: 5), value: .absent),
        ]
        detail.elements["tags"] = [RecordKey(#""a""#): [Samples.editTimestamp(sequence: 6)]]
        detail.life = [Samples.editTimestamp(sequence: 7)]
        record.version.metadata.detail = detail
        record.hasHeads = true
        try store.save(record)
        #expect(try store.load("s") == record)
        let header = try #require(
            try store.read { try $0.header(entity: Samples.everything, key: RecordKey("s")) }
        )
        #expect(
            header
                == RecordHeader(
                    state: .synced,
                    visibility: .live,
                    hasHeads: true,
                    metadata: record.version.metadata
                )
        )
    }

    @Test func tombstonesKeepTheirValueAndNameTheirSurvivor() throws {
        var record = Samples.local(record: Samples.full(), isDeleted: true)
        record.version.mergedInto = RecordKey("survivor")
        try store.save(record)
        #expect(try store.load("a") == record)
        #expect(record.visibility == .deleted)
    }

    @Test func integerKeysAreKeptInTheOrderOfTheirText() throws {
        for number in [10, 9, -1, 2, 100] as [Int64] {
            let record = Record(values: [.integer(number), nil])
            try store.save(Samples.local(record: record, of: Samples.page), of: Samples.page)
        }
        var keys: [String] = []
        try store.read {
            try $0.scan(entity: Samples.page, includeHidden: false) { keys.append($0.version.key.text) }
        }
        #expect(keys == ["-1", "10", "100", "2", "9"])
        #expect(try store.load("10", of: Samples.page)?.version.record.values[0] == .integer(10))
    }

    @Test func compositeKeysFindTheirRecord() throws {
        let record = Samples.local(
            record: Record(values: [.text("a\"b"), .integer(2), .text("t")]),
            of: Samples.verse
        )
        try store.save(record, of: Samples.verse)
        #expect(record.version.key.text == #"["a\"b",2]"#)
        #expect(try store.load(record.version.key.text, of: Samples.verse) == record)
    }

    @Test func scanWalksKeysAsBytesAndHidesWhatIsHidden() throws {
        var merged = Samples.local(record: Samples.bare(key: "m"))
        merged.visibility = .setAside
        try store.save(
            Samples.local(record: Samples.bare(key: "é")),
            Samples.local(record: Samples.bare(key: "z")),
            Samples.local(record: Samples.bare(key: "Z")),
            Samples.local(record: Samples.bare(key: "gone"), isDeleted: true),
            merged
        )
        func keys(includeHidden: Bool) throws -> [String] {
            var keys: [String] = []
            try store.read {
                try $0.scan(entity: Samples.everything, includeHidden: includeHidden) {
                    keys.append($0.version.key.text)
                }
            }
            return keys
        }
        #expect(try keys(includeHidden: false) == ["Z", "z", "é"])
        #expect(try keys(includeHidden: true) == ["Z", "gone", "m", "z", "é"])
    }

    @Test func entitiesComeParentsFirst() {
        let names = store.entities.map(\.name)
        #expect(names == ["every-thing", "folder", "page", "verse"])
    }

    @Test func aSecondSaveReplacesAllValues() throws {
        try store.save(Samples.local(record: Samples.full()))
        let bare = Samples.local(record: Samples.bare(key: "a"), state: .pending, sequence: 2)
        try store.save(bare)
        #expect(try store.load("a") == bare)
    }

    @Test func valuesOfAnotherTypeAreRefusedAndNothingIsWritten() throws {
        let record = Samples.local(record: Samples.bare(key: "a"))
        try store.save(record)
        var wrong = Samples.local(record: Samples.full())
        wrong.version.record.values[2] = .text("12")
        #expect {
            try store.save(wrong)
        } throws: {
            ($0 as? FieldError)?.rule == "type"
        }
        wrong.version.record.values[2] = .integer(1)
        wrong.version.record.values[3] = .number(.nan)
        #expect {
            try store.save(wrong)
        } throws: {
            ($0 as? FieldError)?.rule == "number-range"
        }
        #expect(try store.load("a") == record)
    }

    @Test func modelsReadStraightFromRowsEqualTheirRecords() throws {
        try store.save(
            Samples.local(record: Samples.full(key: "b")),
            Samples.local(record: Samples.bare(key: "a")),
            Samples.local(record: Samples.bare(key: "x"), isDeleted: true)
        )
        let adapter = RecordAdapter(descriptor: Samples.everything)
        var models: [Record] = []
        try store.scan(with: adapter) { models.append($0) }
        #expect(models == [Samples.bare(key: "a"), Samples.full(key: "b")])
        var unsorted: [Record] = []
        try store.scan(with: adapter, includeHidden: true, isSorted: false) { unsorted.append($0) }
        #expect(unsorted.count == 3)
        #expect(try store.load(with: adapter, key: RecordKey("b")) == Samples.full(key: "b"))
        #expect(try store.load(with: adapter, key: RecordKey("x")) == nil)
    }
}

/// An adapter whose models are records.
struct RecordAdapter: EntityAdapter {
    let descriptor: EntityDescriptor

    func read(_ row: any RowReader) throws -> Record { row.record(descriptor: descriptor) }

    func bind(_ model: Record, to row: any RowBinder) throws {
        for (index, value) in model.values.enumerated() { try row.bind(value, at: index) }
        try row.bind(unknown: model.unknown)
    }
}
