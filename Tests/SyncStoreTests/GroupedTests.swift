import SyncChecks
import SyncCore
import Testing

@testable import SyncStore

/// Records that share unique values are found among many inserted ones as among few.
@Suite struct GroupedTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open(entities: [Samples.everything])
    }

    /// Live, deleted and hidden records, of which many share a title and a count. Returns their keys in order.
    private func fill(_ count: Int, random: inout Seed) throws -> [RecordKey] {
        var keys: [RecordKey] = []
        for number in 1...count {
            var record = Samples.bare(key: "k\(Int.random(in: 0..<1_000_000, using: &random))-\(number)")
            if Int.random(in: 0..<8, using: &random) > 0 {
                record.values[1] = .text("t\(Int.random(in: 0..<count, using: &random))")
            }
            record.values[2] = .integer(Int64.random(in: 0...1, using: &random))
            var local = Samples.local(record: record, isDeleted: Int.random(in: 0..<6, using: &random) == 0)
            if Int.random(in: 0..<9, using: &random) == 0, !local.version.isDeleted {
                local.visibility = .setAside
                local.version.mergedInto = keys.randomElement(using: &random)
            }
            try store.save(local)
            keys.append(local.version.key)
        }
        return keys
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func amongManyRowsAllAreFoundThatALookAtEachFinds(seed: UInt64) throws {
        var random = Seed(seed)
        let keys = try fill(60, random: &random)
        for row in [1, 5, 30, 55, 60, 61] as [Int64] {
            // Rows have the numbers in which they were written.
            let rows = Array(keys[(Int(row) - 1)...])
            let (each, found) = try store.read {
                (
                    try $0.grouped(entity: Samples.everything, among: rows),
                    try inserted(in: $0, from: row)
                )
            }
            #expect(Set(each).isSubset(of: found), "from row \(row) on")
            // No more than who shares values with one of them, be that deleted by now.
            let values = Set(try rows.map { try self.values(key: $0) })
            for key in Set(found).subtracting(each) {
                #expect(values.contains(try self.values(key: key)), "\(key.text)")
            }
        }
    }

    private func inserted(in snapshot: any StoreSnapshot, from row: Int64) throws -> [RecordKey] {
        try #require(snapshot as? StoreSession).grouped(entity: Samples.everything, from: row)
    }

    /// A record's title and count.
    private func values(key: RecordKey) throws -> [FieldValue?] {
        let record = try #require(try store.load(key.text)).version.record
        return [record.values[1], record.values[2]]
    }

    @Test func nobodyIsFoundWhereNobodyShares() throws {
        for number in 1...40 {
            var record = Samples.bare(key: "k\(number)")
            (record.values[1], record.values[2]) = (.text("t"), .integer(Int64(number)))
            try store.save(Samples.local(record: record))
        }
        #expect(try store.read { try inserted(in: $0, from: 1) } == [])
        #expect(try store.read { try inserted(in: $0, from: 40) } == [])
    }
}
