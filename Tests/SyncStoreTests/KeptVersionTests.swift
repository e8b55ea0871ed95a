import SyncCore
import SyncStore
import Testing

/// What is kept beside records.
@Suite struct KeptVersionTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open(entities: [Samples.everything, Samples.folder, Samples.page])
    }

    private func version(key: String = "a", _ sequence: Int64 = 1) -> SyncRecord {
        var record = Samples.full(key: key)
        // What stays on this device is no part of a version that travels.
        record.values[16] = nil
        return Samples.local(record: record, sequence: sequence).version
    }

    @Test func sidesAreKeptByKindAndForgotten() throws {
        try store.write(.full) { store in
            for (index, kind) in SideKind.allCases.enumerated() {
                try store.setSide(
                    entity: Samples.everything,
                    key: RecordKey("a"),
                    kind: kind,
                    version: version(key: "a", Int64(index + 1))
                )
            }
            try store.setSide(
                entity: Samples.everything,
                key: RecordKey("a"),
                kind: .base,
                version: version(key: "a", 9)
            )
            try store.setSide(entity: Samples.everything, key: RecordKey("a"), kind: .displaced, version: nil)
        }
        try store.read { store throws in
            #expect(
                try store.side(entity: Samples.everything, key: RecordKey("a"), kind: .base)
                    == version(key: "a", 9)
            )
            #expect(
                try store.side(entity: Samples.everything, key: RecordKey("a"), kind: .remote)
                    == version(key: "a", 2)
            )
            #expect(try store.side(entity: Samples.everything, key: RecordKey("a"), kind: .displaced) == nil)
            #expect(try store.side(entity: Samples.everything, key: RecordKey("b"), kind: .base) == nil)
        }
    }

    @Test func headsAreReplacedAsAWholeAndFlagged() throws {
        let key = RecordKey("a")
        try store.save(Samples.local(record: Samples.full()))
        // Two heads of one mark are two heads: a copied store may have made them.
        var twin = version(key: "a", 2)
        twin.record.values[1] = .text("twin")
        try store.write(.full) {
            try $0.setHeads(entity: Samples.everything, key: key, heads: [version(key: "a", 2), twin])
        }
        #expect(
            try store.read { try $0.heads(entity: Samples.everything, key: key) } == [
                version(key: "a", 2), twin,
            ]
        )
        #expect(try store.load("a")?.hasHeads == true)
        try store.write(.full) { try $0.setHeads(entity: Samples.everything, key: key, heads: []) }
        #expect(try store.read { try $0.heads(entity: Samples.everything, key: key) }.isEmpty)
        #expect(try store.load("a")?.hasHeads == false)
    }

    @Test func headersChangeAlone() throws {
        try store.save(Samples.local(record: Samples.full()))
        var header = RecordHeader(
            state: .rejected,
            visibility: .setAside,
            hasHeads: true,
            metadata: Samples.metadata(sequence: 7)
        )
        header.metadata.vector.insert(Samples.editTimestamp(sequence: 3, device: 1))
        try store.write(.full) {
            try $0.update(entity: Samples.everything, key: RecordKey("a"), header: header)
        }
        let record = try #require(try store.load("a"))
        #expect(record.version.record == Samples.full())
        #expect(record.state == .rejected)
        #expect(record.visibility == .setAside)
        #expect(record.version.metadata == header.metadata)
        #expect(throws: SyncError.noSuchRecord(entity: "every-thing")) {
            try store.write(.full) {
                try $0.update(entity: Samples.everything, key: RecordKey("none"), header: header)
            }
        }
    }

    @Test func removingLeavesNothingBehind() throws {
        let key = RecordKey("a")
        try store.save(Samples.local(record: Samples.full()))
        try store.write(.full) { store in
            try store.setSide(entity: Samples.everything, key: key, kind: .base, version: version())
            try store.setHeads(entity: Samples.everything, key: key, heads: [version()])
            try store.addHistory(
                entity: Samples.everything,
                key: key,
                entry: HistoryEntry(at: Timestamp(microseconds: 1), event: "e", detail: "d")
            )
            try store.remove(entity: Samples.everything, key: key)
            #expect(try store.header(entity: Samples.everything, key: key) == nil)
            #expect(try store.side(entity: Samples.everything, key: key, kind: .base) == nil)
            #expect(try store.heads(entity: Samples.everything, key: key).isEmpty)
            #expect(try store.history(entity: Samples.everything, key: key).isEmpty)
        }
    }

    @Test func keysInAStateComeInPages() throws {
        for key in ["", "b", "é", "a", "c\0", "z"] {
            try store.save(Samples.local(record: Samples.bare(key: key), state: .pending))
        }
        try store.save(
            Samples.local(record: Samples.bare(key: "clean")),
            Samples.local(record: Samples.bare(key: "c"), state: .conflict)
        )
        try store.read { store throws in
            func keys(state: SyncState, after: String?, limit: Int) throws -> [String] {
                try store.keys(
                    entity: Samples.everything,
                    in: state,
                    after: after.map { RecordKey($0) },
                    limit: limit
                )
                .map(\.text)
            }
            #expect(try keys(state: .pending, after: nil, limit: 3) == ["", "a", "b"])
            #expect(try keys(state: .pending, after: "b", limit: .max) == ["c\0", "z", "é"])
            #expect(try keys(state: .conflict, after: nil, limit: .max) == ["c"])
            #expect(try keys(state: .synced, after: nil, limit: .max) == ["clean"])
            #expect(try keys(state: .rejected, after: nil, limit: .max) == [])
        }
    }

    @Test func keysSharingSeesNoTombstones() throws {
        func record(key: String, title: FieldValue?, count: Int64) -> Record {
            var record = Samples.bare(key: key)
            record.values[1] = title
            record.values[2] = .integer(count)
            return record
        }
        var merged = Samples.local(record: record(key: "m", title: .text("t"), count: 1))
        merged.visibility = .setAside
        merged.version.mergedInto = RecordKey("a")
        try store.save(
            merged,
            Samples.local(record: record(key: "a", title: .text("t"), count: 1)),
            Samples.local(record: record(key: "b", title: .text("t"), count: 2)),
            Samples.local(record: record(key: "c", title: .text("T"), count: 1)),
            Samples.local(record: record(key: "d", title: .text("t"), count: 1), isDeleted: true),
            Samples.local(record: record(key: "e", title: nil, count: 1))
        )
        func keys(record: Record) throws -> [String] {
            try store.read { try $0.keysSharing(entity: Samples.everything, unique: 0, record: record) }.map(
                \.text
            )
        }
        #expect(try keys(record: record(key: "new", title: .text("t"), count: 1)) == ["a", "m"])
        #expect(try keys(record: record(key: "new", title: .null, count: 1)) == [])
        #expect(try keys(record: record(key: "new", title: nil, count: 1)) == [])
        #expect(try keys(record: record(key: "new", title: .text("x"), count: 1)) == [])
    }

    @Test func childrenAreFoundByTheirReference() throws {
        for (number, parent, isDeleted) in [
            (1, "p", false), (2, "p", true), (3, "q", false), (10, "p", false),
        ] {
            let record = Record(values: [.integer(Int64(number)), .text(parent)])
            try store.save(
                Samples.local(record: record, of: Samples.page, isDeleted: isDeleted),
                of: Samples.page
            )
        }
        let children = try store.read {
            try $0.children(
                entity: Samples.page,
                reference: Samples.page.references[0],
                parent: RecordKey("p")
            )
        }
        #expect(children.map(\.text) == ["1", "10"])
    }

    @Test func countsTellStatesAndVisibility() throws {
        try store.save(
            Samples.local(record: Samples.bare(key: "a")),
            Samples.local(record: Samples.bare(key: "b"), state: .pending),
            Samples.local(record: Samples.bare(key: "c"), state: .pending, isDeleted: true),
            Samples.local(record: Samples.bare(key: "d"), state: .conflict),
            Samples.local(record: Samples.bare(key: "e"), state: .rejected),
            Samples.local(record: Samples.bare(key: "f"), state: .rejected)
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
        #expect(try store.read { try $0.counts(entity: Samples.everything) } == expected)
        #expect(try store.read { try $0.counts(entity: Samples.page) } == EntityCounts())
    }

    @Test func smallValuesAreSetAndForgotten() throws {
        try store.write(.full) { store in
            try store.setValue("cursor", value: "a\0b")
            try store.setValue("e\u{301}", value: "decomposed")
            try store.setValue("gone", value: "x")
            try store.setValue("gone", value: nil)
        }
        try store.read { store throws in
            #expect(try store.value(name: "cursor") == "a\0b")
            #expect(try store.value(name: "\u{e9}") == nil)
            #expect(try store.value(name: "gone") == nil)
        }
    }

    @Test func aDecisionIsWrittenOnceAndReadOldestFirst() throws {
        func entry(id: String, at: Int64) -> JournalEntry {
            JournalEntry(
                id: id,
                at: Timestamp(microseconds: at),
                rule: "last-write-wins",
                kept: version(key: "a", 2),
                lost: version(key: "a", 1)
            )
        }
        try store.write(.full) { store in
            try store.addJournal(entry(id: "2", at: 20))
            try store.addJournal(entry(id: "1", at: 10))
            try store.addJournal(entry(id: "2", at: 99))
            try store.addJournal(entry(id: "3", at: 30))
            try store.removeJournal("3")
        }
        #expect(try store.read { try $0.journal() } == [entry(id: "2", at: 20), entry(id: "1", at: 10)])
        // Its entity's schema is not loaded: the entry stays, and is not told.
        store.close()
        #expect(try folder.open(entities: [Samples.page]).read { try $0.journal() }.isEmpty)
        #expect(try folder.open().read { try $0.journal() }.count == 2)
    }

    @Test func rejectionsAreReplacedByRecord() throws {
        func rejection(key: String, attempts: Int, since: Int64, raw: [UInt8]? = nil) -> Rejection {
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
            try store.setRejection(rejection(key: "b", attempts: 1, since: 2))
            try store.setRejection(rejection(key: "a", attempts: 1, since: 3, raw: [0, 1]))
            try store.setRejection(rejection(key: "c", attempts: 1, since: 1))
            try store.setRejection(rejection(key: "b", attempts: 2, since: 2))
            try store.removeRejection(entity: "unheard of", key: RecordKey("c"), seenBy: nil)
        }
        #expect(
            try store.read { try $0.rejections() } == [
                rejection(key: "b", attempts: 2, since: 2),
                rejection(key: "a", attempts: 1, since: 3, raw: [0, 1]),
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
            try store.removeRejection(entity: "every-thing", key: RecordKey("a"), seenBy: nil)
            try store.setRejection(rejection)
            try store.removeRejection(entity: "every-thing", key: RecordKey("a"), seenBy: nil)
            #expect(try store.rejections().isEmpty)
            try store.setRejection(rejection)
        }
        try store.write(.full) {
            try $0.removeRejection(entity: "every-thing", key: RecordKey("a"), seenBy: nil)
        }
        #expect(try store.read { try $0.rejections() }.isEmpty)
    }

    @Test func historyIsKeptOldestFirstUpToItsLimit() throws {
        func entry(number: Int64) -> HistoryEntry {
            HistoryEntry(at: Timestamp(microseconds: -number), event: "merged", detail: "\(number)")
        }
        try store.write(.full) { store in
            for number in 1...103 {
                try store.addHistory(
                    entity: Samples.everything,
                    key: RecordKey("a"),
                    entry: entry(number: Int64(number))
                )
            }
            try store.addHistory(entity: Samples.everything, key: RecordKey("b"), entry: entry(number: 1))
        }
        let entries = try store.read { try $0.history(entity: Samples.everything, key: RecordKey("a")) }
        #expect(entries == (4...103).map(entry))
        #expect(
            try store.read { try $0.history(entity: Samples.everything, key: RecordKey("b")) } == [
                entry(number: 1)
            ]
        )
    }
}
