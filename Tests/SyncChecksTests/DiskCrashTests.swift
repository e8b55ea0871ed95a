import Foundation
import SyncChecks
import SyncCore
import SyncSQLite
import SyncStore
import Testing

/// The state after a crash at each step that changes the disk, for every kind of survival.
@Suite struct DiskCrashTests {
    static let survivals: [Survival] =
        [.syncedOnly, .everything] + (1...2).map { Survival.some(seed: $0) }

    @Test(arguments: survivals) func everyCommittedTransactionOutlivesACrashAtAnyStep(survival: Survival)
        throws
    {
        let violations = try Crashes(survival: survival).violations(work: TransactionWork.self)
        #expect(violations.isEmpty, "\(violations.prefix(5))")
    }

    @Test(arguments: survivals) func everyWriteOfAStoreOutlivesACrashAtAnyStep(survival: Survival) throws {
        let violations = try Crashes(survival: survival).violations(work: StoreWork.self)
        #expect(violations.isEmpty, "\(violations.prefix(5))")
    }

    @Test(arguments: DiskFault.allCases) func aStepThatFailsLosesNoCommit(fault: DiskFault) throws {
        let crashes = Crashes(survival: .syncedOnly, fault: fault)
        var violations = try crashes.violations(work: TransactionWork.self)
        violations += try crashes.violations(work: StoreWork.self)
        #expect(violations.isEmpty, "\(violations.prefix(5))")
    }

    @Test(arguments: DiskFlaw.allCases) func aDiskThatDoesNotSyncIsFoundOut(flaw: DiskFlaw) throws {
        let crashes = Crashes(survival: .syncedOnly, flaws: [flaw])
        #expect(try !crashes.violations(work: TransactionWork.self).isEmpty)
        #expect(try !crashes.violations(work: StoreWork.self).isEmpty)
    }

    @Test func aFullDiskLosesNoCommitAndGoesOnWhenThereIsSpace() throws {
        var refusals = 0
        for capacity in stride(from: 0, through: 200_000, by: 3_000) {
            let disk = SimulatedDisk()
            disk.capacity = capacity
            var acknowledged = 0
            do { try StoreWork.run(disk) { acknowledged += 1 } } catch { refusals += 1 }
            #expect(disk.bytes(under: "/") <= capacity)
            disk.restart(keeping: .syncedOnly)
            disk.capacity = nil
            let violation = try StoreWork.violation(disk: disk, acknowledged: acknowledged)
            #expect(violation == nil, "\(capacity) bytes")
            try StoreWork.run(disk) {}
        }
        #expect(refusals > 10)
    }

    /// The state that the simulated disk leaves also opens as real files.
    @Test func aStoreWhoseMakingWasCutOffOpensOnARealDisk() async throws {
        for step in 1...40 {
            let disk = SimulatedDisk()
            disk.crash(at: step)
            do { try StoreWork.run(disk) {} } catch {}
            disk.restart(keeping: .some(seed: 1))
            try await withFolder { path in
                for (name, bytes) in disk.snapshot().files {
                    try Data(bytes).write(to: URL(fileURLWithPath: path + name))
                }
                let store = try SQLiteStore.open(
                    path: path + "/store.sqlite",
                    entities: [StoreWork.entity],
                    random: SeededRandom(1)
                )
                #expect(
                    try store.read { try $0.counts(entity: StoreWork.entity).records } <= 10,
                    "step \(step)"
                )
            }
        }
    }

    /// After a power loss, whichever connection wrote the unsynced data.
    @Test(arguments: [false, true]) func aNoteLeavesOnTheDiskAllThatWasCommittedBefore(byAnother: Bool) throws
    {
        let disk = SimulatedDisk()
        let store = try StoreWork.open(disk: disk)
        let other = byAnother ? try StoreWork.open(disk: disk) : store
        func set(_ name: String, durability: Durability, in store: SQLiteStore) throws {
            try store.write(durability) { try $0.setValue(name, value: "there") }
        }
        try set("first", durability: .full, in: store)
        try set("pulled", durability: .pulled, in: other)
        try set("noted", durability: .noted, in: store)
        // Only `.noted` commits have come since, so this one does not wait for the disk.
        try set("last", durability: .noted, in: store)
        disk.restart(keeping: .syncedOnly)
        let again = try StoreWork.open(disk: disk)
        let found = try again.read { snapshot in
            try ["first", "pulled", "noted", "last"].filter { try snapshot.value(name: $0) != nil }
        }
        #expect(found == ["first", "pulled", "noted"])
    }

    /// The process that pulled may have ended.
    @Test func theFirstNoteOfAnOpenedStoreLeavesAllOnTheDisk() throws {
        let disk = SimulatedDisk()
        let first = try StoreWork.open(disk: disk)
        try first.write(.pulled) { try $0.setValue("pulled", value: "there") }
        let second = try StoreWork.open(disk: disk)
        try second.write(.noted) { try $0.setValue("noted", value: "there") }
        disk.restart(keeping: .syncedOnly)
        #expect(try StoreWork.open(disk: disk).read { try $0.value(name: "pulled") } != nil)
    }

    @Test func aStoreOnTheDiskIsLeasedOnce() throws {
        let disk = SimulatedDisk()
        let store = try StoreWork.open(disk: disk)
        let lease = try store.lease()
        let other = try StoreWork.open(disk: disk)
        #expect { try other.lease() } throws: { ($0 as? SyncError)?.kind == .busy }
        lease.close()
        let second = try other.lease()
        disk.restart(keeping: .everything)
        // The lock of a dead process is released, and closing it has no effect.
        let third = try StoreWork.open(disk: disk).lease()
        second.close()
        #expect { try StoreWork.open(disk: disk).lease() } throws: { ($0 as? SyncError)?.kind == .busy }
        third.close()
    }
}

/// Work that acknowledges its parts, and can check afterwards whether they are stored.
protocol Work {
    static func run(_ disk: SimulatedDisk, acknowledge: () -> Void) throws
    static func violation(disk: SimulatedDisk, acknowledged: Int) throws -> String?
}

/// Repeats work, each time with one more successful step.
struct Crashes {
    var survival: Survival
    /// What happens at the step; nil is a crash.
    var fault: DiskFault?
    var flaws: Set<DiskFlaw> = []

    func violations<Subject: Work>(work: Subject.Type) throws -> [String] {
        let whole = SimulatedDisk()
        try work.run(whole) {}
        let count = whole.steps
        #expect(count > 50)
        return (1...count).compactMap { step in
            let disk = SimulatedDisk(flaws: flaws)
            if let fault { disk.fail(step: step, with: fault) } else { disk.crash(at: step) }
            var acknowledged = 0
            // This may fail; if the fault did not matter, it does not.
            do { try work.run(disk) { acknowledged += 1 } } catch {}
            let place = disk.crashedIn ?? "step \(step)"
            disk.restart(keeping: survival)
            do {
                return try work.violation(disk: disk, acknowledged: acknowledged).map {
                    "\(step) (\(place)): \($0)"
                }
            } catch {
                return "\(step) (\(place)): \(error)"
            }
        }
    }
}

/// Transactions of three rows each, over several pages, with checkpoints and reopening.
enum TransactionWork: Work {
    static func run(_ disk: SimulatedDisk, acknowledge: () -> Void) throws {
        for round in 0..<2 {
            let connection = try DiskTests.open(disk: disk)
            defer { connection.close() }
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, part INTEGER, text TEXT)"
            )
            for number in 0..<6 {
                try connection.transaction(kind: .immediate) {
                    for part in 0..<3 {
                        let insert = try connection.cached(
                            sql: "INSERT INTO item (part, text) VALUES (?1, ?2)"
                        )
                        try insert.bind(Int64(round * 6 + number), at: 1)
                        try insert.bind(String(repeating: "\(part)", count: 1500), at: 2)
                        try insert.run()
                    }
                }
                acknowledge()
                if number == 3 { try connection.checkpoint(mode: .truncate) }
            }
        }
    }

    static func violation(disk: SimulatedDisk, acknowledged: Int) throws -> String? {
        let connection = try DiskTests.open(disk: disk)
        let damage = try connection.integrityCheck(includingIndexes: true)
        if !damage.isEmpty { return "damaged: \(damage)" }
        guard try connection.integer(sql: "SELECT count(*) FROM sqlite_schema") > 0 else {
            return acknowledged == 0 ? nil : "lost everything"
        }
        let parts = try connection.texts(
            sql: "SELECT part || ' ' || count(*) FROM item GROUP BY part ORDER BY part"
        )
        if parts != parts.indices.map({ "\($0) 3" }) { return "torn: \(parts)" }
        return parts.count < acknowledged ? "\(acknowledged) acknowledged, \(parts.count) there" : nil
    }
}

/// Records and a named value, each written in one transaction.
enum StoreWork: Work {
    static let entity = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "text", type: .string()),
        ],
        key: ["id"],
        strategy: .lastWriteWins
    )

    static func open(disk: SimulatedDisk) throws -> SQLiteStore {
        try SQLiteStore.open(path: "/store.sqlite", entities: [entity], random: SeededRandom(1), medium: disk)
    }

    static func run(_ disk: SimulatedDisk, acknowledge: () -> Void) throws {
        for round in 0..<2 {
            let store = try open(disk: disk)
            defer { store.close() }
            for number in (round * 5)..<(round * 5 + 5) {
                try store.write(.full) { transaction in
                    var record = Record(empty: entity)
                    record.values = [.text("note-\(number)"), .text(String(repeating: "x", count: 3000))]
                    let editTimestamp = EditTimestamp(
                        time: Timestamp(microseconds: 0),
                        device: DeviceID(bits: 1),
                        sequence: Int64(number + 1)
                    )
                    let version = SyncRecord(
                        entity: entity.name,
                        key: RecordKey("note-\(number)"),
                        record: record,
                        metadata: VersionMetadata(first: editTimestamp)
                    )
                    try transaction.save(
                        entity: entity,
                        record: LocalRecord(version: version, state: .synced)
                    )
                    try transaction.setValue("last", value: "\(number)")
                }
                acknowledge()
            }
        }
    }

    static func violation(disk: SimulatedDisk, acknowledged: Int) throws -> String? {
        let store = try open(disk: disk)
        let (last, records) = try store.read { snapshot in
            (
                try snapshot.value(name: "last").flatMap { Int($0) } ?? -1,
                try snapshot.counts(entity: entity).records
            )
        }
        if records != last + 1 { return "torn: \(records) records, the last is \(last)" }
        return records < acknowledged ? "\(acknowledged) acknowledged, \(records) there" : nil
    }
}
