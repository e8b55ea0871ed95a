import SyncCore
import SyncStore
import Testing

/// What is kept beside records.
@Suite struct BesideTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open([Samples.everything, Samples.folder, Samples.page])
    }

    private func version(_ key: String = "a", _ sequence: Int64 = 1) -> SyncRecord {
        var record = Samples.full(key)
        // What stays on this device is no part of a version that travels.
        record.values[16] = nil
        return Samples.local(record, sequence: sequence).version
    }

    @Test func sidesAreKeptByKindAndForgotten() throws {
        try store.write(.full) { store in
            for (index, kind) in SideKind.allCases.enumerated() {
                try store.setSide(Samples.everything, RecordKey("a"), kind, version("a", Int64(index + 1)))
            }
            try store.setSide(Samples.everything, RecordKey("a"), .base, version("a", 9))
            try store.setSide(Samples.everything, RecordKey("a"), .displaced, nil)
        }
        try store.read { store throws in
            #expect(try store.side(Samples.everything, RecordKey("a"), .base) == version("a", 9))
            #expect(try store.side(Samples.everything, RecordKey("a"), .remote) == version("a", 2))
            #expect(try store.side(Samples.everything, RecordKey("a"), .displaced) == nil)
            #expect(try store.side(Samples.everything, RecordKey("b"), .base) == nil)
        }
    }

    @Test func headsAreReplacedAsAWholeAndFlagged() throws {
        let key = RecordKey("a")
        try store.save(Samples.local(Samples.full()))
        // Two heads of one mark are two heads: a copied store may have made them.
        var twin = version("a", 2)
        twin.record.values[1] = .text("twin")
        try store.write(.full) { try $0.setHeads(Samples.everything, key, [version("a", 2), twin]) }
        #expect(try store.read { try $0.heads(Samples.everything, key) } == [version("a", 2), twin])
        #expect(try store.load("a")?.hasHeads == true)
        try store.write(.full) { try $0.setHeads(Samples.everything, key, []) }
        #expect(try store.read { try $0.heads(Samples.everything, key) }.isEmpty)
        #expect(try store.load("a")?.hasHeads == false)
    }

    @Test func headersChangeAlone() throws {
        try store.save(Samples.local(Samples.full()))
        var header = RecordHeader(
            state: .rejected,
            visibility: .merged,
            hasHeads: true,
            stamp: Samples.stamp(7)
        )
        header.stamp.vector.insert(Samples.mark(3, device: 1))
        try store.write(.full) { try $0.update(Samples.everything, RecordKey("a"), header) }
        let record = try #require(try store.load("a"))
        #expect(record.version.record == Samples.full())
        #expect(record.state == .rejected)
        #expect(record.visibility == .merged)
        #expect(record.version.stamp == header.stamp)
        #expect(throws: SyncError.noSuchRecord("every-thing")) {
            try store.write(.full) { try $0.update(Samples.everything, RecordKey("none"), header) }
        }
    }

    @Test func removingLeavesNothingBehind() throws {
        let key = RecordKey("a")
        try store.save(Samples.local(Samples.full()))
        try store.write(.full) { store in
            try store.setSide(Samples.everything, key, .base, version())
            try store.setHeads(Samples.everything, key, [version()])
            try store.addHistory(
                Samples.everything,
                key,
                HistoryEntry(at: Timestamp(microseconds: 1), event: "e", detail: "d")
            )
            try store.remove(Samples.everything, key)
            #expect(try store.header(Samples.everything, key) == nil)
            #expect(try store.side(Samples.everything, key, .base) == nil)
            #expect(try store.heads(Samples.everything, key).isEmpty)
            #expect(try store.history(Samples.everything, key).isEmpty)
        }
    }

    @Test func keysInAStateComeInPages() throws {
        for key in ["", "b", "é", "a", "c\0", "z"] {
            try store.save(Samples.local(Samples.bare(key), state: .pending))
        }
        try store.save(
            Samples.local(Samples.bare("clean")),
            Samples.local(Samples.bare("c"), state: .conflict)
        )
        try store.read { store throws in
            func keys(_ state: SyncState, after: String?, limit: Int) throws -> [String] {
                try store.keys(
                    Samples.everything,
                    in: state,
                    after: after.map { RecordKey($0) },
                    limit: limit
                )
                .map(\.text)
            }
            #expect(try keys(.pending, after: nil, limit: 3) == ["", "a", "b"])
            #expect(try keys(.pending, after: "b", limit: .max) == ["c\0", "z", "é"])
            #expect(try keys(.conflict, after: nil, limit: .max) == ["c"])
            #expect(try keys(.synced, after: nil, limit: .max) == ["clean"])
            #expect(try keys(.rejected, after: nil, limit: .max) == [])
        }
    }

    @Test func keysSharingSeesLiveAndMergedRecordsOnly() throws {
        func record(_ key: String, _ title: FieldValue?, _ count: Int64) -> Record {
            var record = Samples.bare(key)
            record.values[1] = title
            record.values[2] = .integer(count)
            return record
        }
        var merged = Samples.local(record("m", .text("t"), 1))
        merged.visibility = .merged
        merged.version.mergedInto = RecordKey("a")
        try store.save(
            merged,
            Samples.local(record("a", .text("t"), 1)),
            Samples.local(record("b", .text("t"), 2)),
            Samples.local(record("c", .text("T"), 1)),
            Samples.local(record("d", .text("t"), 1), isDeleted: true),
            Samples.local(record("e", nil, 1))
        )
        func keys(_ record: Record) throws -> [String] {
            try store.read { try $0.keysSharing(Samples.everything, unique: 0, record) }.map(\.text)
        }
        #expect(try keys(record("new", .text("t"), 1)) == ["a", "m"])
        #expect(try keys(record("new", .null, 1)) == [])
        #expect(try keys(record("new", nil, 1)) == [])
        #expect(try keys(record("new", .text("x"), 1)) == [])
    }

    @Test func childrenAreFoundByTheirReference() throws {
        for (number, parent, isDeleted) in [
            (1, "p", false), (2, "p", true), (3, "q", false), (10, "p", false),
        ] {
            let record = Record(values: [.integer(Int64(number)), .text(parent)])
            try store.save(Samples.local(record, of: Samples.page, isDeleted: isDeleted), of: Samples.page)
        }
        let children = try store.read {
            try $0.children(Samples.page, field: "folderId", parent: RecordKey("p"))
        }
        #expect(children.map(\.text) == ["1", "10"])
    }

    @Test func countsTellStatesAndVisibility() throws {
        try store.save(
            Samples.local(Samples.bare("a")),
            Samples.local(Samples.bare("b"), state: .pending),
            Samples.local(Samples.bare("c"), state: .pending, isDeleted: true),
            Samples.local(Samples.bare("d"), state: .conflict),
            Samples.local(Samples.bare("e"), state: .rejected),
            Samples.local(Samples.bare("f"), state: .rejected)
        )
        try store.write(.full) { store in
            for key in ["f", "unread"] {
                try store.setRejection(
                    Rejection(
                        entity: "every-thing",
                        key: RecordKey(key),
                        reason: "r",
                        attempts: 1,
                        raw: nil,
                        since: Timestamp(microseconds: 0)
                    )
                )
            }
        }
        var expected = EntityCounts()
        expected.records = 5
        expected.pending = 2
        expected.conflicts = 1
        expected.rejected = 3
        expected.deleted = 1
        #expect(try store.read { try $0.counts(Samples.everything) } == expected)
        #expect(try store.read { try $0.counts(Samples.page) } == EntityCounts())
    }

    @Test func smallValuesAreSetAndForgotten() throws {
        try store.write(.full) { store in
            try store.setValue("cursor", "a\0b")
            try store.setValue("e\u{301}", "decomposed")
            try store.setValue("gone", "x")
            try store.setValue("gone", nil)
        }
        try store.read { store throws in
            #expect(try store.value("cursor") == "a\0b")
            #expect(try store.value("\u{e9}") == nil)
            #expect(try store.value("gone") == nil)
        }
    }

    @Test func aDecisionIsWrittenOnceAndReadOldestFirst() throws {
        func entry(_ id: String, _ at: Int64) -> JournalEntry {
            JournalEntry(
                id: id,
                at: Timestamp(microseconds: at),
                rule: "last-write-wins",
                kept: version("a", 2),
                lost: version("a", 1)
            )
        }
        try store.write(.full) { store in
            try store.addJournal(entry("2", 20))
            try store.addJournal(entry("1", 10))
            try store.addJournal(entry("2", 99))
            try store.addJournal(entry("3", 30))
            try store.removeJournal("3")
        }
        #expect(try store.read { try $0.journal() } == [entry("2", 20), entry("1", 10)])
        // Its entity's schema is not loaded: the entry stays, and is not told.
        store.close()
        #expect(try folder.open([Samples.page]).read { try $0.journal() }.isEmpty)
        #expect(try folder.open().read { try $0.journal() }.count == 2)
    }

    @Test func rejectionsAreReplacedByRecord() throws {
        func rejection(_ key: String, _ attempts: Int, _ since: Int64, raw: [UInt8]? = nil) -> Rejection {
            Rejection(
                entity: "unheard of",
                key: RecordKey(key),
                reason: "r",
                attempts: attempts,
                raw: raw,
                since: Timestamp(microseconds: since)
            )
        }
        try store.write(.full) { store in
            try store.setRejection(rejection("b", 1, 2))
            try store.setRejection(rejection("a", 1, 3, raw: [0, 1]))
            try store.setRejection(rejection("c", 1, 1))
            try store.setRejection(rejection("b", 2, 2))
            try store.removeRejection(entity: "unheard of", key: RecordKey("c"))
        }
        #expect(
            try store.read { try $0.rejections() } == [
                rejection("b", 2, 2), rejection("a", 1, 3, raw: [0, 1]),
            ]
        )
    }

    @Test func aRejectionCanBeRemovedInTheTransactionThatSetIt() throws {
        let rejection = Rejection(
            entity: "every-thing",
            key: RecordKey("a"),
            reason: "r",
            attempts: 1,
            raw: nil,
            since: Timestamp(microseconds: 0)
        )
        try store.write(.full) { store in
            try store.removeRejection(entity: "every-thing", key: RecordKey("a"))
            try store.setRejection(rejection)
            try store.removeRejection(entity: "every-thing", key: RecordKey("a"))
            #expect(try store.rejections().isEmpty)
            try store.setRejection(rejection)
        }
        try store.write(.full) { try $0.removeRejection(entity: "every-thing", key: RecordKey("a")) }
        #expect(try store.read { try $0.rejections() }.isEmpty)
    }

    @Test func historyIsKeptOldestFirstUpToItsLimit() throws {
        func entry(_ number: Int64) -> HistoryEntry {
            HistoryEntry(at: Timestamp(microseconds: -number), event: "merged", detail: "\(number)")
        }
        try store.write(.full) { store in
            for number in 1...103 {
                try store.addHistory(Samples.everything, RecordKey("a"), entry(Int64(number)))
            }
            try store.addHistory(Samples.everything, RecordKey("b"), entry(1))
        }
        let entries = try store.read { try $0.history(Samples.everything, RecordKey("a")) }
        #expect(entries == (4...103).map(entry))
        #expect(try store.read { try $0.history(Samples.everything, RecordKey("b")) } == [entry(1)])
    }
}
