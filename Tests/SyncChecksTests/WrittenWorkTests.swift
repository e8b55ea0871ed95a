import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import SyncStore
import Testing

/// An app that chose not to wait for the disk loses its last writes alone, and only with the machine.
@Suite struct WrittenWorkTests {
    @Test(arguments: DiskCrashTests.survivals) func aPowerFailureTakesTheLastWritesAlone(survival: Survival)
        throws
    {
        let violations = try Crashes(survival: survival).violations(work: WrittenWork.self)
        #expect(violations.isEmpty, "\(violations.prefix(5))")
    }

    @Test func theCrashOfAnAppTakesNoneAndAPowerFailureSome() throws {
        for (survival, counts) in [(Survival.everything, 10...10), (.syncedOnly, 5...9)] {
            let disk = SimulatedDisk()
            let store = try StoreWork.open(disk: disk)
            try WrittenWork.write(to: store) {}
            disk.restart(keeping: survival)
            #expect(counts.contains(try WrittenWork.keys(on: disk).count), "\(survival)")
        }
    }
}

extension WrittenWorkTests {
    /// A backup would else hold edits whose names this store gives again.
    @Test func whatIsInABackupIsOnTheDisk() throws {
        #expect(try keysAfterAPowerFailure { store, _ in try Self.backUp(store) } == 10)
    }

    @Test func aFullDiskCanBeBackedUp() throws {
        _ = try keysAfterAPowerFailure { store, disk in
            disk.capacity = 1
            #expect(throws: SyncError.self) { try store.write(.full) { try $0.setValue("more", value: "x") } }
            try Self.backUp(store)
            disk.capacity = nil
        }
    }

    private static func backUp(_ store: SQLiteStore) throws {
        let path = FileManager.default.temporaryDirectory.path + "/backup-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try store.backup(to: path, at: ManualClock().now()) { _ in }
    }

    @Test func aNoteComesAfterEverythingThoughACommitThatChangedNothingWasBetween() throws {
        let keys = try keysAfterAPowerFailure { store, _ in
            try store.write(.full) { try $0.setValue("intent", value: "there") }
            try store.write(.noted) { try $0.setValue("note", value: "of what is done") }
        }
        #expect(keys == 10)
    }

    @Test func theNumberOfAnEditIsOnTheDiskThoughItWasTakenByAPull() throws {
        let disk = SimulatedDisk()
        let store = try StoreWork.open(disk: disk)
        let number = try store.write(.pulled) { try $0.nextSequence() }
        disk.restart(keeping: .syncedOnly)
        #expect(try StoreWork.open(disk: disk).write(.full) { try $0.nextSequence() } > number)
    }

    private func keysAfterAPowerFailure(after work: (SQLiteStore, SimulatedDisk) throws -> Void) throws
        -> Int
    {
        let disk = SimulatedDisk()
        let store = try StoreWork.open(disk: disk)
        try WrittenWork.write(to: store) {}
        try work(store, disk)
        disk.restart(keeping: .syncedOnly)
        return try WrittenWork.keys(on: disk).count
    }
}

/// Writes that need not be on the disk, and in their middle the note of what is about to be sent.
private enum WrittenWork: Work {
    static func run(_ disk: SimulatedDisk, acknowledge: () -> Void) throws {
        let store = try StoreWork.open(disk: disk)
        defer { store.close() }
        try write(to: store, acknowledge: acknowledge)
    }

    static func write(to store: SQLiteStore, acknowledge: () -> Void) throws {
        let writer = LocalWriter(
            store: store,
            clock: ManualClock(),
            random: SeededRandom(2),
            durability: .written
        )
        for number in 0..<10 {
            let text = String(repeating: "x", count: 3000)
            _ = try writer.put(
                entity: StoreWork.entity,
                json: Array(#"{"id": "note-\#(number)", "text": "\#(text)"}"#.utf8)
            )
            guard number == 4 else { continue }
            try store.write(.full) { try $0.setValue("intent", value: "there") }
            acknowledge()
        }
    }

    static func keys(on disk: SimulatedDisk) throws -> [String] {
        var keys: [String] = []
        try StoreWork.open(disk: disk).read { snapshot in
            try snapshot.scan(entity: StoreWork.entity, includeHidden: true) {
                keys.append($0.version.key.text)
            }
        }
        return keys
    }

    static func violation(disk: SimulatedDisk, acknowledged: Int) throws -> String? {
        let keys = try keys(on: disk)
        if keys != keys.indices.map({ "note-\($0)" }) { return "more than the last writes are gone: \(keys)" }
        return acknowledged > 0 && keys.count < 5 ? "what is about to be sent is gone: \(keys)" : nil
    }
}
