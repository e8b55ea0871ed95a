import SyncChecks
import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// Who reads a query again takes up no more than what was written since, and finds what a whole read finds.
@Suite struct ObservedReadTests {
    let folder: TemporaryFolder
    let store: SQLiteStore
    let adapter = CountingAdapter(entity)

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open([Self.entity])
    }

    static let entity = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor("id", type: .string(), isRequired: true),
            FieldDescriptor("owner", type: .string(), isRequired: true),
            FieldDescriptor("count", type: .integer(), isNullable: true),
            FieldDescriptor("ratio", type: .number()),
            FieldDescriptor("at", type: .dateTime, isNullable: true),
            FieldDescriptor("flag", type: .boolean, isNullable: true),
            FieldDescriptor("price", type: .decimal),
            FieldDescriptor("blob", type: .data),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        indexes: [["owner", "count"], ["count"], ["ratio"], ["at"], ["flag"], ["price"], ["blob"]]
    )

    private static let queries: [StoreQuery] =
        [StoreQuery(), StoreQuery(sort: [.init("id", isDescending: true)])]
        + [
            StoreQuery(conditions: [.init("owner", .equals(.text("a")))]),
            StoreQuery(
                conditions: [.init("owner", .oneOf([.text("a"), .text("b")]))],
                sort: [.init("count", isDescending: true), .init("owner")],
                limit: 7
            ),
            StoreQuery(
                conditions: [.init("count", .range(lower: .init(.integer(1), isIncluded: true), upper: nil))],
                sort: [.init("count")],
                after: .init(values: [.integer(2)], key: RecordKey("k15"))
            ),
            StoreQuery(limit: 10, includesDeleted: true), StoreQuery(limit: 0),
        ]
        + ["count", "ratio", "at", "flag", "price", "blob"].flatMap { field in
            [true, false].map { StoreQuery(sort: [.init(field, isDescending: $0)], limit: $0 ? nil : 12) }
        }

    private static func record(_ number: Int, _ seed: inout Seed) -> Record {
        var record = Record(empty: entity)
        func pick<Value>(_ values: [Value]) -> Value { values[Int(seed.next() % UInt64(values.count))] }
        record.values = [
            .text("k\(number)"), .text(pick(["a", "b", "c", "é"])),
            pick([nil, .null, .integer(-3), .integer(1), .integer(2), .integer(30)]),
            pick([nil, .number(-0.5), .number(2), .number(10.25)]),
            pick([
                nil, .null, .timestamp(Timestamp(microseconds: 5)), .timestamp(Timestamp(microseconds: -7)),
            ]),
            pick([nil, .null, .boolean(true), .boolean(false)]),
            pick([nil, .text("10"), .text("9"), .text("-1.5")]),
            pick([nil, .bytes([]), .bytes([1]), .bytes([1, 0]), .bytes([255])]),
        ]
        return record
    }

    private static func version(_ number: Int, _ seed: inout Seed, isDeleted: Bool = false) -> LocalRecord {
        let mark = EditMark(
            time: Timestamp(microseconds: Int64(seed.next() % 1000)),
            device: DeviceID(bits: 1),
            sequence: 1
        )
        let version = SyncRecord(
            entity: entity.name,
            key: RecordKey("k\(number)"),
            record: record(number, &seed),
            isDeleted: isDeleted,
            stamp: Stamp(first: mark)
        )
        return LocalRecord(version: version, state: .synced, visibility: isDeleted ? .deleted : .live)
    }

    private func write(_ count: Int, _ seed: inout Seed) throws {
        try store.write(.full) { transaction in
            for _ in 0..<count {
                let number = Int(seed.next() % 60)
                switch seed.next() % 8 {
                case 0: try transaction.remove(Self.entity, RecordKey("k\(number)"))
                case 1: try transaction.save(Self.entity, Self.version(number, &seed, isDeleted: true))
                default: try transaction.save(Self.entity, Self.version(number, &seed))
                }
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func anyQueryReadAgainIsTheQueryReadWhole(seed: UInt64) throws {
        var draw = Seed(seed)
        let other = try folder.open([Self.entity])
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var last = Self.queries.map { _ in ObservedModels<Record>?.none }
        for step in 0..<120 {
            switch draw.next() % 12 {
            case 0: try other.write(.full) { try $0.save(Self.entity, Self.version(3, &draw)) }
            case 1: try write(300, &draw)
            case 2: for _ in 0..<70 { try write(1, &draw) }
            default: try write(1 + Int(draw.next() % 4), &draw)
            }
            for (index, query) in Self.queries.enumerated() where draw.next() % 3 > 0 {
                let next = try store.load(adapter, query, since: last[index])
                #expect(
                    next.models == (try store.load(adapter, query)),
                    "seed \(seed), step \(step), \(query)"
                )
                last[index] = next
            }
        }
    }

    @Test func onlyWhatWasWrittenIsReadAgain() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(9)
        try store.write(.full) { transaction in
            for number in 0..<500 { try transaction.save(Self.entity, Self.version(number, &seed)) }
        }
        func reads(_ last: inout ObservedModels<Record>?, _ query: StoreQuery) throws -> Int {
            let before = adapter.reads.use { $0 }
            last = try store.load(adapter, query, since: last)
            return adapter.reads.use { $0 } - before
        }
        for query in [StoreQuery(), StoreQuery(sort: [.init("at", isDescending: true)])] {
            var last: ObservedModels<Record>?
            #expect(try reads(&last, query) == 500)
            #expect(try reads(&last, query) == 0)
            try store.write(.full) { try $0.save(Self.entity, Self.version(7, &seed)) }
            #expect(try reads(&last, query) == 1)
            try store.write(.full) { try $0.setValue("note", "of sync") }
            #expect(try reads(&last, query) == 0)
            // Nothing is known of what another store writes.
            let other = try folder.open([Self.entity])
            try other.write(.full) { try $0.save(Self.entity, Self.version(8, &seed)) }
            other.close()
            #expect(try reads(&last, query) == 500)
            #expect(last?.models == (try store.load(adapter, query)))
        }
    }

    @Test func aRecordIsReadAgainOnlyWhenItWasWritten() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(4)
        let key = RecordKey("k1")
        try store.write(.full) { transaction in
            for number in 0..<3 { try transaction.save(Self.entity, Self.version(number, &seed)) }
        }
        var last = try store.load(adapter, key, since: nil)
        let before = adapter.reads.use { $0 }
        try store.write(.full) { try $0.save(Self.entity, Self.version(2, &seed)) }
        last = try store.load(adapter, key, since: last)
        #expect(adapter.reads.use { $0 } == before)
        try store.write(.full) { try $0.save(Self.entity, Self.version(1, &seed)) }
        last = try store.load(adapter, key, since: last)
        #expect(adapter.reads.use { $0 } == before + 1)
        #expect(last.model == (try store.load(adapter, key)))
        try store.write(.full) { try $0.remove(Self.entity, key) }
        #expect(try store.load(adapter, key, since: last).model == nil)
    }

    @Test func whatIsReadWhileSomebodyWritesIsNotKept() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(5)
        try store.write(.full) { try $0.save(Self.entity, Self.version(1, &seed)) }
        var last: ObservedModels<Record>?
        try store.write(.full) { transaction in
            try transaction.save(Self.entity, Self.version(2, &seed))
            // The snapshot has none of it, and the commit that follows is counted once it is there.
            last = try store.load(adapter, StoreQuery(), since: nil)
            #expect(last?.models.count == 1)
        }
        #expect(try store.load(adapter, StoreQuery(), since: last).models.count == 2)
    }

    @Test func afterAWriteThatFailedAllIsReadAgain() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(6)
        try store.write(.full) { try $0.save(Self.entity, Self.version(1, &seed)) }
        var last = try store.load(adapter, StoreQuery(), since: nil)
        #expect(throws: SyncError.noSuchRecord("note")) {
            try store.write(.full) { transaction in
                try transaction.save(Self.entity, Self.version(2, &seed))
                throw SyncError.noSuchRecord("note")
            }
        }
        let before = adapter.reads.use { $0 }
        last = try store.load(adapter, StoreQuery(), since: last)
        #expect(last.models.count == 1)
        #expect(adapter.reads.use { $0 } == before + 1)
    }

    @Test func recordsAmongKeysAreSoughtByKey() throws {
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        defer { connection.close() }
        let table = try EntityTable(Self.entity, TableShape(Self.entity))
        for query in Self.queries where !query.includesDeleted {
            let sql = try QuerySQL(table, query, among: [RecordKey("k1")])
            let plan = try connection.queryPlan(table.sql.modelsWithKeys + sql.text)
            #expect(plan.contains("SEARCH note USING INDEX sync:note:key (id=?)"), "\(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN note") }, "\(plan)")
        }
    }
}

/// Records as they are, and how many were read.
struct CountingAdapter: EntityAdapter {
    let descriptor: EntityDescriptor
    let reads = Guarded(0)

    init(_ descriptor: EntityDescriptor) { self.descriptor = descriptor }

    func read(_ row: any RowReader) throws -> Record {
        reads.use { $0 += 1 }
        return row.record(descriptor)
    }

    func bind(_ model: Record, to row: any RowBinder) throws { try model.bind(to: row) }
}
