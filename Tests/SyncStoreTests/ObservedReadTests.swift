import SyncChecks
import SyncCore
import SyncSQLite
import TestSeeds
import Testing

@testable import SyncStore

/// Who reads a query again takes up no more than what was written since, and finds what a whole read finds.
@Suite struct ObservedReadTests {
    let folder: TemporaryFolder
    let store: SQLiteStore
    let adapter = CountingAdapter(entity)

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open(entities: [Self.entity])
    }

    static let entity = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "owner", type: .string(), isRequired: true),
            FieldDescriptor(name: "count", type: .integer(), isNullable: true),
            FieldDescriptor(name: "ratio", type: .number()),
            FieldDescriptor(name: "at", type: .dateTime, isNullable: true),
            FieldDescriptor(name: "flag", type: .boolean, isNullable: true),
            FieldDescriptor(name: "price", type: .decimal),
            FieldDescriptor(name: "blob", type: .data),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        indexes: [["owner", "count"], ["count"], ["ratio"], ["at"], ["flag"], ["price"], ["blob"]]
    )

    private static let queries: [StoreQuery] =
        [StoreQuery(), StoreQuery(sort: [.init(field: "id", isDescending: true)])]
        + [
            StoreQuery(conditions: [.init(field: "owner", test: .equals(.text("a")))]),
            StoreQuery(
                conditions: [.init(field: "owner", test: .oneOf([.text("a"), .text("b")]))],
                sort: [.init(field: "count", isDescending: true), .init(field: "owner")],
                limit: 7
            ),
            StoreQuery(
                conditions: [
                    .init(
                        field: "count",
                        test: .range(lower: .init(value: .integer(1), isIncluded: true), upper: nil)
                    )
                ],
                sort: [.init(field: "count")],
                after: .init(values: [.integer(2)], key: RecordKey("k15"))
            ),
            StoreQuery(limit: 10, includesDeleted: true), StoreQuery(limit: 0),
        ]
        + ["count", "ratio", "at", "flag", "price", "blob"].flatMap { field in
            [true, false].map {
                // No index has the order of decimals.
                StoreQuery(
                    sort: [.init(field: field, isDescending: $0)],
                    limit: $0 ? nil : 12,
                    allowsScan: field == "price"
                )
            }
        }

    private static func record(number: Int, seed: inout Seed) -> Record {
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

    private static func version(number: Int, seed: inout Seed, isDeleted: Bool = false) -> LocalRecord {
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: Int64(seed.next() % 1000)),
            device: DeviceID(bits: 1),
            sequence: 1
        )
        let version = SyncRecord(
            entity: entity.name,
            key: RecordKey("k\(number)"),
            record: record(number: number, seed: &seed),
            isDeleted: isDeleted,
            metadata: VersionMetadata(first: editTimestamp)
        )
        return LocalRecord(version: version, state: .synced, visibility: isDeleted ? .deleted : .live)
    }

    private func write(_ count: Int, seed: inout Seed) throws {
        try store.write(.full) { transaction in
            for _ in 0..<count {
                let number = Int(seed.next() % 60)
                switch seed.next() % 8 {
                case 0: try transaction.remove(entity: Self.entity, key: RecordKey("k\(number)"))
                case 1:
                    try transaction.save(
                        entity: Self.entity,
                        record: Self.version(number: number, seed: &seed, isDeleted: true)
                    )
                default:
                    try transaction.save(
                        entity: Self.entity,
                        record: Self.version(number: number, seed: &seed)
                    )
                }
            }
        }
    }

    @Test(arguments: TestSeeds.cases(1...3))
    func anyQueryReadAgainIsTheQueryReadWhole(seeds: TestSeeds) throws {
        let other = try folder.open(entities: [Self.entity])
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        for seed in seeds {
            var draw = Seed(seed)
            var last = Self.queries.map { _ in ObservedModels<Record>?.none }
            for step in 0..<60 {
                switch draw.next() % 12 {
                case 0:
                    try other.write(.full) {
                        try $0.save(entity: Self.entity, record: Self.version(number: 3, seed: &draw))
                    }
                case 1: try write(300, seed: &draw)
                case 2: for _ in 0..<70 { try write(1, seed: &draw) }
                default: try write(1 + Int(draw.next() % 4), seed: &draw)
                }
                for (index, query) in Self.queries.enumerated() where draw.next() % 3 > 0 {
                    let next = try store.load(with: adapter, query: query, since: last[index])
                    #expect(
                        next.models == (try store.load(with: adapter, query: query)),
                        "seed \(seed), step \(step), \(query)"
                    )
                    last[index] = next
                }
            }
        }
    }

    @Test func onlyWhatWasWrittenIsReadAgain() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(9)
        try store.write(.full) { transaction in
            for number in 0..<500 {
                try transaction.save(entity: Self.entity, record: Self.version(number: number, seed: &seed))
            }
        }
        func reads(last: inout ObservedModels<Record>?, query: StoreQuery) throws -> Int {
            let before = adapter.reads.use { $0 }
            last = try store.load(with: adapter, query: query, since: last)
            return adapter.reads.use { $0 } - before
        }
        for query in [StoreQuery(), StoreQuery(sort: [.init(field: "at", isDescending: true)])] {
            var last: ObservedModels<Record>?
            #expect(try reads(last: &last, query: query) == 500)
            #expect(try reads(last: &last, query: query) == 0)
            try store.write(.full) {
                try $0.save(entity: Self.entity, record: Self.version(number: 7, seed: &seed))
            }
            #expect(try reads(last: &last, query: query) == 1)
            try store.write(.full) { try $0.setValue("note", value: "of sync") }
            #expect(try reads(last: &last, query: query) == 0)
            // Nothing is known of what another store writes.
            let other = try folder.open(entities: [Self.entity])
            try other.write(.full) {
                try $0.save(entity: Self.entity, record: Self.version(number: 8, seed: &seed))
            }
            other.close()
            #expect(try reads(last: &last, query: query) == 500)
            #expect(last?.models == (try store.load(with: adapter, query: query)))
        }
    }

    @Test func aRecordIsReadAgainOnlyWhenItWasWritten() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(4)
        let key = RecordKey("k1")
        try store.write(.full) { transaction in
            for number in 0..<3 {
                try transaction.save(entity: Self.entity, record: Self.version(number: number, seed: &seed))
            }
        }
        var last = try store.load(with: adapter, key: key, since: nil)
        let before = adapter.reads.use { $0 }
        try store.write(.full) {
            try $0.save(entity: Self.entity, record: Self.version(number: 2, seed: &seed))
        }
        last = try store.load(with: adapter, key: key, since: last)
        #expect(adapter.reads.use { $0 } == before)
        try store.write(.full) {
            try $0.save(entity: Self.entity, record: Self.version(number: 1, seed: &seed))
        }
        last = try store.load(with: adapter, key: key, since: last)
        #expect(adapter.reads.use { $0 } == before + 1)
        #expect(last.model == (try store.load(with: adapter, key: key)))
        try store.write(.full) { try $0.remove(entity: Self.entity, key: key) }
        #expect(try store.load(with: adapter, key: key, since: last).model == nil)
    }

    @Test func whatIsReadWhileSomebodyWritesIsNotKept() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(5)
        try store.write(.full) {
            try $0.save(entity: Self.entity, record: Self.version(number: 1, seed: &seed))
        }
        var last: ObservedModels<Record>?
        try store.write(.full) { transaction in
            try transaction.save(entity: Self.entity, record: Self.version(number: 2, seed: &seed))
            // The snapshot has none of it, and the commit that follows is counted once it is there.
            last = try store.load(with: adapter, query: StoreQuery(), since: nil)
            #expect(last?.models.count == 1)
        }
        #expect(try store.load(with: adapter, query: StoreQuery(), since: last).models.count == 2)
    }

    @Test func afterAWriteThatFailedAllIsReadAgain() throws {
        let subscription = store.changes { _ in }
        defer { subscription.cancel() }
        var seed = Seed(6)
        try store.write(.full) {
            try $0.save(entity: Self.entity, record: Self.version(number: 1, seed: &seed))
        }
        var last = try store.load(with: adapter, query: StoreQuery(), since: nil)
        #expect(throws: SyncError.noSuchRecord(entity: "note")) {
            try store.write(.full) { transaction in
                try transaction.save(entity: Self.entity, record: Self.version(number: 2, seed: &seed))
                throw SyncError.noSuchRecord(entity: "note")
            }
        }
        let before = adapter.reads.use { $0 }
        last = try store.load(with: adapter, query: StoreQuery(), since: last)
        #expect(last.models.count == 1)
        #expect(adapter.reads.use { $0 } == before + 1)
    }

    @Test func recordsAmongKeysAreSoughtByKey() throws {
        let connection = try Connection.open(path: folder.store, flags: .readOnly)
        defer { connection.close() }
        try connection.addQueryFunctions()
        let table = try EntityTable(descriptor: Self.entity, shape: TableShape(Self.entity))
        for query in Self.queries where !query.includesDeleted {
            let sql = try QuerySQL(
                table: table,
                query: query,
                among: [RecordKey("k1")],
                lookup: { _ in table }
            )
            let plan = try connection.queryPlan(sql: table.sql.modelsWithKeys + sql.text)
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
        return row.record(descriptor: descriptor)
    }

    func bind(_ model: Record, to row: any RowBinder) throws { try model.bind(to: row) }
}
